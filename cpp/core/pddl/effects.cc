#include "pddl/effects.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "pddl/numbers.h"

namespace sing::pddl {

void EffectReader::read(NodeId root, Action& action) {
    open(root, action);
    while (!frames_.empty()) {
        guard_.poll(1);
        Frame& frame = frames_.back();
        if (frame.next < frame.end) {
            const NodeId node = frame.next;
            frame.next = tree_.end(node);
            open(node, action);
        } else {
            const Frame closed = frame;
            frames_.pop_back();
            close(closed);
        }
    }
    std::vector<ActionEffect> kept;
    for (std::size_t i = 0; i < action.effects.size(); ++i)
        if (!is_dropped_[i]) kept.push_back(std::move(action.effects[i]));
    action.effects = std::move(kept);
}

void EffectReader::open(NodeId node, Action& action) {
    require_list(node, "an effect");
    if (tree_.is_empty(node)) {
        if (frames_.empty()) return;
        tree_.fail(node, "expected an effect, found '()'");
    }
    const NodeId tag = node + 1;
    const std::size_t num_parameters = parameters_.size(), num_conditions = conditions_.size(),
                      num_renamings = renamings_.size();
    switch (word(tag, "'and', 'forall', 'when', 'not', 'increase' or a predicate")) {
        case AND:
            frames_.push_back({tag + 1, tree_.end(node), num_parameters, num_conditions, num_renamings});
            break;
        case FORALL: {
            if (tree_.num_items(node) != 3) tree_.expected(node, "a list of variables and one effect after 'forall'");
            require_list(tag + 1, "a list of variables");
            quantify(parameters(tag + 1, tag + 2), action);
            frames_.push_back({tree_.end(tag + 1), tree_.end(node), num_parameters, num_conditions, num_renamings});
            break;
        }
        case WHEN:
            if (tree_.num_items(node) != 3) tree_.expected(node, "one condition and one effect after 'when'");
            conditions_.push_back(renamed_apart(problem_, condition(tag + 1, scope_), parameters_, renamings_));
            frames_.push_back({tree_.end(tag + 1), tree_.end(node), num_parameters, num_conditions, num_renamings});
            break;
        case INCREASE:
            if (!parameters_.empty() || !conditions_.empty())
                tree_.fail(node, "the cost of an action cannot depend on conditions or quantified variables");
            read_cost(node, action);
            break;
        case NOT:
            if (tree_.num_items(node) != 2) tree_.expected(node, "one atom after 'not'");
            require_list(tag + 1, "an atom");
            if (tree_.is_empty(tag + 1)) tree_.fail(tag + 1, "expected an atom, found '()'");
            add(atom(tag + 1, true, scope_), action);
            break;
        default:
            add(atom(node, false, scope_), action);
    }
}

void EffectReader::close(const Frame& frame) {
    scope_.leave(std::span(scoped_).subspan(frame.num_parameters));
    scoped_.resize(frame.num_parameters);
    parameters_.resize(frame.num_parameters);
    conditions_.resize(frame.num_conditions);
    renamings_.resize(frame.num_renamings);
}

// Variables that hide others get names of their own, so that conditions around them still mean the others.
void EffectReader::quantify(std::vector<Parameter> own, const Action& action) {
    scope_.enter(own);
    scoped_.insert(scoped_.end(), own.begin(), own.end());
    FreshNames names(problem_.symbols, guard_);
    for (const Parameter& parameter : action.parameters) names.use(parameter.name);
    for (const Parameter& parameter : parameters_) names.use(parameter.name);
    for (Parameter& parameter : own) {
        const Symbol fresh = names.fresh(parameter.name);
        // Also where the name is the same: it may be renamed around here.
        renamings_.emplace_back(parameter.name, fresh);
        parameter.name = fresh;
    }
    parameters_.insert(parameters_.end(), own.begin(), own.end());
}

// Of two effects that differ only in the sign of their literal, the positive one counts: what is deleted and added at
// once holds afterwards.
void EffectReader::add(FormulaId literal, Action& action) {
    Formulas& formulas = problem_.formulas;
    literal = renamed_apart(problem_, literal, parameters_, renamings_);
    ActionEffect effect{parameters_, formulas.junctor(FormulaKind::CONJUNCTION, conditions_), literal};
    const FormulaId opposite = formulas.negation(literal);
    auto key = [&](FormulaId id) { return (std::uint64_t{effect.condition} << 32) | id; };
    auto find = [&](FormulaId id) {
        for (auto [it, end] = known_.equal_range(key(id)); it != end; ++it)
            if (!is_dropped_[it->second] && action.effects[it->second].parameters == effect.parameters)
                return it->second;
        return action.effects.size();
    };
    const std::size_t contradiction = find(opposite);
    if (contradiction < action.effects.size()) {
        if (formulas.kind(literal) == FormulaKind::NEGATED_ATOM) return;
        is_dropped_[contradiction] = 1;
    }
    guard_.take(sizeof(ActionEffect) + effect.parameters.size() * sizeof(Parameter));
    known_.emplace(key(literal), action.effects.size());
    is_dropped_.push_back(0);
    action.effects.push_back(std::move(effect));
}

void EffectReader::read_cost(NodeId node, Action& action) const {
    const bool is_total = tree_.num_items(node) == 3 && tree_.is_list(node + 2) && tree_.num_items(node + 2) == 1 &&
                          tree_.word(node + 3) == TOTAL_COST;
    if (!is_total) tree_.expected(node, "'(increase (total-cost) NUMBER)' or a function in place of the number");
    const NodeId amount = tree_.end(node + 2);
    action.has_cost = true;
    action.cost = {};
    if (tree_.is_word(amount)) {
        const std::string_view text = problem_.symbols.name(tree_.word(amount));
        if (is_number(text))
            action.cost.number = checked_number(tree_, amount, text);
        else
            action.cost.function = tree_.word(amount);
        return;
    }
    if (tree_.is_empty(amount)) tree_.expected(amount, "a number or a function");
    action.cost.function = word(amount + 1, "a function");
    for (NodeId term = amount + 2; term < tree_.end(amount); term = tree_.end(term)) {
        // Objects of the problem may stand here: they are looked up with the values of the function.
        if (problem_.symbols.is_variable(word(term, "an object or a variable"))) check_term(term, scope_);
        action.cost.terms.push_back(tree_.word(term));
    }
}

}  // namespace sing::pddl
