#include "translate/join.h"

#include <algorithm>

namespace sing::translate {

Join::Join(Datalog& datalog, const Rule& rule, const Guard& guard)
    : datalog_(datalog),
      rule_(rule),
      guard_(guard),
      in_domain_(guard.memory()),
      atoms_(rule.domains.size(), guard.memory()),
      values_(rule.domains.size(), UNBOUND, guard.memory()),
      candidates_(rule.body.size(), guard.memory()),
      is_done_(rule.body.size(), 0, guard.memory()),
      bound_(guard.memory()),
      saved_(guard.memory()),
      done_(guard.memory()),
      steps_(guard.memory()),
      key_(guard.memory()) {
    const std::size_t num_objects = datalog.domains.back().size();
    for (std::uint32_t domain : rule.domains) {
        std::pmr::vector<char>& members = in_domain_.emplace_back();
        if (datalog.domains[domain].size() == num_objects) continue;
        members.assign(num_objects, 0);
        for (ObjectId object : datalog.domains[domain]) members[object] = 1;
    }
    for (std::size_t atom = 0; atom < rule.body.size(); ++atom)
        for (const Term& term : rule.body[atom].terms)
            if (term.is_variable && (atoms_[term.id].empty() || atoms_[term.id].back() != atom))
                atoms_[term.id].push_back(atom);
}

bool Join::is_in_domain(std::uint32_t variable, ObjectId object) const {
    return in_domain_[variable].empty() || in_domain_[variable][object];
}

bool Join::bind(std::uint32_t variable, ObjectId object) {
    if (values_[variable] != UNBOUND) return values_[variable] == object;
    if (!is_in_domain(variable, object)) return false;
    values_[variable] = object;
    bound_.push_back(variable);
    return true;
}

bool Join::bind_tuple(std::size_t atom, TupleId tuple) {
    const RuleAtom& pattern = rule_.body[atom];
    const std::span<const ObjectId> arguments = datalog_.relations[pattern.relation][tuple];
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Term& term = pattern.terms[i];
        if (term.is_variable ? !bind(term.id, arguments[i]) : term.id != arguments[i]) return false;
    }
    return true;
}

bool Join::refresh(std::size_t atom) {
    const RuleAtom& pattern = rule_.body[atom];
    Relation& relation = datalog_.relations[pattern.relation];
    Candidates& candidates = candidates_[atom];
    key_.resize(pattern.terms.size());
    Relation::Positions positions = 0;
    bool is_bound = true;
    for (std::size_t i = 0; i < pattern.terms.size(); ++i) {
        const Term& term = pattern.terms[i];
        key_[i] = term.is_variable ? values_[term.id] : term.id;
        if (key_[i] == UNBOUND)
            is_bound = false;
        else if (i < Relation::MAX_POSITIONS)
            positions |= Relation::Positions{1} << i;
    }
    candidates.positions = positions;
    candidates.is_bound = is_bound;
    if (is_bound) {
        const TupleId tuple = relation.find(key_);
        const bool is_earlier_trigger = tuple == trigger_tuple_ && trigger_ != NO_ATOM && atom < trigger_ &&
                                        pattern.relation == rule_.body[trigger_].relation;
        const bool fits = tuple < relation.num_visible() && !is_earlier_trigger;
        candidates.bucket = fits ? Bucket{tuple, 1} : Bucket{};
    } else if (positions == 0) {
        const auto size = static_cast<std::uint32_t>(relation.num_visible());
        candidates.bucket = {size - 1, size};
    } else {
        candidates.bucket = relation.matching(positions, key_);
    }
    return candidates.bucket.size > 0;
}

bool Join::refresh_bound(std::size_t num_bound_before) {
    for (std::size_t i = num_bound_before; i < bound_.size(); ++i)
        for (std::size_t atom : atoms_[bound_[i]]) {
            if (is_done_[atom]) continue;
            saved_.emplace_back(atom, candidates_[atom]);
            if (!refresh(atom)) return false;
        }
    return true;
}

void Join::undo(const Step& step) {
    for (; saved_.size() > step.num_saved; saved_.pop_back()) candidates_[saved_.back().first] = saved_.back().second;
    for (; bound_.size() > step.num_bound; bound_.pop_back()) values_[bound_.back()] = UNBOUND;
    for (; done_.size() > step.num_open; done_.pop_back()) is_done_[done_.back()] = 0;
}

bool Join::begin(std::size_t trigger, TupleId tuple) {
    undo({NO_ATOM, 0, 0, NO_TUPLE, 0, 0, 0});
    steps_.clear();
    trigger_ = trigger;
    trigger_tuple_ = tuple;
    for (const RuleAtom& atom : rule_.body)
        if (datalog_.relations[atom.relation].num_visible() == 0) return false;
    if (trigger != NO_ATOM) {
        is_done_[trigger] = 1;
        done_.push_back(trigger);
        if (!bind_tuple(trigger, tuple)) return false;
    }
    for (std::size_t atom = 0; atom < rule_.body.size(); ++atom)
        if (!is_done_[atom] && !refresh(atom)) return false;
    is_new_match_ = push_step();
    return true;
}

// Chooses what to match next. Returns whether nothing is left to match.
bool Join::push_step() {
    std::size_t best = NO_ATOM;
    for (std::size_t atom = 0; atom < candidates_.size(); ++atom) {
        if (is_done_[atom] || candidates_[atom].is_bound) continue;
        if (best == NO_ATOM || candidates_[atom].bucket.size < candidates_[best].bucket.size) best = atom;
    }
    Step step{best, 0, 0, NO_TUPLE, bound_.size(), saved_.size(), done_.size()};
    if (best != NO_ATOM) {
        step.num_left = candidates_[best].bucket.size;
        step.next_tuple = candidates_[best].bucket.last;
        steps_.push_back(step);
        return false;
    }
    const auto free = std::ranges::find(values_, UNBOUND);
    if (free == values_.end()) return true;
    step.variable = static_cast<std::uint32_t>(free - values_.begin());
    step.num_left = static_cast<std::uint32_t>(datalog_.domains[rule_.domains[step.variable]].size());
    steps_.push_back(step);
    return false;
}

// Binds the next candidate of the step. False where it does not fit.
bool Join::try_candidate(Step& step) {
    --step.num_left;
    if (step.atom == NO_ATOM) return bind(step.variable, datalog_.domains[rule_.domains[step.variable]][step.num_left]);

    const Candidates& candidates = candidates_[step.atom];
    const TupleId tuple = step.next_tuple;
    const std::uint32_t relation_number = rule_.body[step.atom].relation;
    if (step.num_left > 0)
        step.next_tuple = candidates.positions == 0
                              ? tuple - 1
                              : datalog_.relations[relation_number].next(candidates.positions, tuple);
    if (tuple == trigger_tuple_ && trigger_ != NO_ATOM && step.atom < trigger_ &&
        relation_number == rule_.body[trigger_].relation)
        return false;
    is_done_[step.atom] = 1;
    done_.push_back(step.atom);
    return bind_tuple(step.atom, tuple) && refresh_bound(step.num_bound);
}

bool Join::next() {
    if (is_new_match_) {
        is_new_match_ = false;
        return true;
    }
    while (!steps_.empty()) {
        guard_.poll(1);
        Step& step = steps_.back();
        undo(step);
        if (is_finished(step)) {
            steps_.pop_back();
            continue;
        }
        if (try_candidate(step) && push_step()) return true;
    }
    return false;
}

}  // namespace sing::translate
