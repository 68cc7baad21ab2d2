#include "translate/reachability.h"

#include <utility>

#include "translate/join.h"

namespace sing::translate {
namespace {

class Explorer {
public:
    Explorer(const pddl::Problem& problem, std::size_t& num_matches, const Guard& guard)
        : datalog_(make_datalog(problem, guard)), guard_(guard), num_matches_(num_matches) {
        for (std::size_t i = 0; i < problem.actions.size(); ++i) actions_.emplace_back(guard.memory());
        for (std::size_t i = 0; i < problem.rules.size(); ++i) rules_.emplace_back(guard.memory());
    }

    Reachability explore() {
        occurrences_.resize(datalog_.relations.size());
        for (const Rule& rule : datalog_.rules) joins_.emplace_back(datalog_, rule, guard_);
        for (std::size_t rule = 0; rule < datalog_.rules.size(); ++rule)
            for (std::size_t atom = 0; atom < datalog_.rules[rule].body.size(); ++atom)
                occurrences_[datalog_.rules[rule].body[atom].relation].emplace_back(rule, atom);

        // Relations that no rule adds to are complete, and no rule waits for them.
        for (std::size_t i = 0; i < datalog_.relations.size(); ++i) {
            if (datalog_.is_head[i]) continue;
            Relation& relation = datalog_.relations[i];
            while (relation.num_visible() < relation.size()) {
                guard_.poll(1);
                relation.show_next();
            }
        }
        for (std::size_t rule = 0; rule < datalog_.rules.size(); ++rule)
            if (is_static(datalog_.rules[rule])) match(rule, Join::NO_ATOM, NO_TUPLE);
        for (std::uint32_t i = 0; i < datalog_.relations.size(); ++i) note_news(i);
        while (!with_news_.empty()) {
            const std::uint32_t relation = with_news_.back();
            with_news_.pop_back();
            // Matching may add to the relation.
            while (datalog_.relations[relation].num_visible() < datalog_.relations[relation].size()) {
                guard_.poll(1);
                const TupleId tuple = datalog_.relations[relation].show_next();
                for (const auto& [rule, atom] : occurrences_[relation]) match(rule, atom, tuple);
            }
        }
        return {std::move(datalog_.relations), std::move(actions_), std::move(rules_)};
    }

private:
    bool is_static(const Rule& rule) const {
        for (const RuleAtom& atom : rule.body)
            if (datalog_.is_head[atom.relation]) return false;
        return true;
    }

    void note_news(std::uint32_t relation) {
        const Relation& with_news = datalog_.relations[relation];
        if (with_news.size() > with_news.num_visible()) with_news_.push_back(relation);
    }

    void match(std::size_t position, std::size_t atom, TupleId tuple) {
        const Rule& rule = datalog_.rules[position];
        joins_[position].for_matches(atom, tuple, [&](std::span<const ObjectId> values) {
            if (rule.kind != Rule::Kind::EFFECT) {
                Matches& matches = (rule.kind == Rule::Kind::ACTION ? actions_ : rules_)[rule.owner];
                ++matches.count;
                ++num_matches_;
                matches.values.insert(matches.values.end(), values.begin(), values.end());
            }
            for (const RuleAtom& head : rule.heads) {
                tuple_.clear();
                for (const Term& term : head.terms) tuple_.push_back(term.is_variable ? values[term.id] : term.id);
                Relation& relation = datalog_.relations[head.relation];
                const bool had_news = relation.size() > relation.num_visible();
                if (relation.insert(tuple_) && !had_news) with_news_.push_back(head.relation);
            }
        });
    }

    Datalog datalog_;
    const Guard& guard_;
    std::size_t& num_matches_;
    std::vector<Matches> actions_, rules_;
    std::vector<Join> joins_;                                                    // by rule
    std::vector<std::vector<std::pair<std::size_t, std::size_t>>> occurrences_;  // by relation: rules and atoms
    std::vector<std::uint32_t> with_news_;                                       // relations with tuples to be shown
    std::vector<ObjectId> tuple_;
};

}  // namespace

Reachability explore(const pddl::Problem& problem, std::size_t& num_matches, const Guard& guard) {
    return Explorer(problem, num_matches, guard).explore();
}

}  // namespace sing::translate
