#include "translate/operator_list.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "translate/instantiate.h"
#include "translate/operator_names.h"
#include "translate/operators.h"
#include "translate/types.h"

namespace sing::translate {
namespace {

// The match of an action that an operator comes from.
struct Origin {
    std::uint32_t action;
    std::uint32_t match;
};

std::size_t bytes_of(const Operator& op) {
    std::size_t bytes = sizeof(Operator) + op.preconditions.size() * sizeof(Fact) + op.effects.size() * sizeof(Effect);
    for (const Effect& effect : op.effects) bytes += effect.conditions.size() * sizeof(Fact);
    return bytes;
}

// How Fast Downward orders operators of one name: first by the conditions on variables that they do not change.
bool comes_before(const Operator& a, const Operator& b) {
    auto prevail = [](const Operator& op) {
        Condition facts = op.preconditions;
        std::erase_if(facts, [&](Fact fact) {
            return std::ranges::any_of(op.effects, [&](const Effect& e) { return e.fact.variable == fact.variable; });
        });
        return facts;
    };
    auto changes = [](const Operator& op) {
        std::vector<std::tuple<std::int32_t, Value, Value, Condition>> result;
        for (const Effect& effect : op.effects) {
            const auto before = std::ranges::lower_bound(op.preconditions, effect.fact.variable, {}, &Fact::variable);
            const bool has = before != op.preconditions.end() && before->variable == effect.fact.variable;
            result.emplace_back(effect.fact.variable, has ? before->value : UNDEFINED, effect.fact.value,
                                effect.conditions);
        }
        return result;
    };
    const Condition a_prevail = prevail(a), b_prevail = prevail(b);
    return a_prevail != b_prevail ? a_prevail < b_prevail : changes(a) < changes(b);
}

class OperatorLister {
public:
    OperatorLister(const pddl::Problem& problem, const Reachability& reachable, const Guard& guard)
        : problem_(problem), reachable_(reachable), guard_(guard), names_(problem), origins_(guard.memory()) {}

    std::vector<Operator> list(const Atoms& atoms, Encoding& encoding, bool keeps_no_ops, std::vector<char>& is_needed,
                               std::size_t& num_operators) {
        OperatorEncoder encoder(encoding, keeps_no_ops, guard_);
        const auto objects = objects_by_type(problem_, guard_);
        GroundAction ground;
        for (std::uint32_t i = 0; i < problem_.actions.size(); ++i) {
            ActionInstantiator instantiator(problem_, atoms, objects, problem_.actions[i], guard_);
            for (std::uint32_t match = 0; match < reachable_.actions[i].count; ++match) {
                guard_.poll(1);
                if (!instantiator.instantiate(values({i, match}), ground)) continue;
                if (ground.effects.empty() && !keeps_no_ops) continue;
                mark(ground, is_needed);
                encoder.encode(ground, operators_);
                for (; num_operators < operators_.size(); ++num_operators) {
                    guard_.take(bytes_of(operators_[num_operators]));
                    origins_.push_back({i, match});
                }
            }
        }
        return sorted();
    }

private:
    std::span<const ObjectId> values(Origin origin) const {
        const std::size_t size = problem_.actions[origin.action].parameters.size();
        return std::span(reachable_.actions[origin.action].values).subspan(origin.match * size, size);
    }

    static void mark(const GroundAction& ground, std::vector<char>& is_needed) {
        for (Literal literal : ground.precondition) is_needed[literal.atom()] = 1;
        for (const GroundEffect& effect : ground.effects)
            for (Literal literal : effect.conditions) is_needed[literal.atom()] = 1;
    }

    std::vector<Operator> sorted() {
        std::pmr::vector<std::uint32_t> order(operators_.size(), guard_.memory());
        std::iota(order.begin(), order.end(), 0u);
        std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
            guard_.poll(1);
            const Origin x = origins_[a], y = origins_[b];
            const auto by_name =
                names_.compare(problem_.actions[x.action], values(x), problem_.actions[y.action], values(y));
            return by_name != 0 ? by_name < 0 : comes_before(operators_[a], operators_[b]);
        });
        std::vector<Operator> result;
        result.reserve(order.size());
        guard_.take(order.size() * sizeof(Operator));
        for (std::uint32_t i : order) {
            guard_.poll(1);
            result.push_back(std::move(operators_[i]));
            Operator& op = result.back();
            op.name = names_.name(problem_.actions[origins_[i].action], values(origins_[i]));
            if (op.name.size() >= sizeof(std::string) / 2) guard_.take(op.name.size());
        }
        return result;
    }

    const pddl::Problem& problem_;
    const Reachability& reachable_;
    const Guard& guard_;
    OperatorNames names_;
    std::vector<Operator> operators_;
    std::pmr::vector<Origin> origins_;  // by operator
};

}  // namespace

std::vector<Operator> list_operators(const pddl::Problem& problem, const Reachability& reachable, const Atoms& atoms,
                                     Encoding& encoding, bool keeps_no_ops, std::vector<char>& is_needed,
                                     std::size_t& num_operators, const Guard& guard) {
    return OperatorLister(problem, reachable, guard).list(atoms, encoding, keeps_no_ops, is_needed, num_operators);
}

}  // namespace sing::translate
