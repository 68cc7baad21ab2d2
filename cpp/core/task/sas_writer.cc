#include "task/sas_writer.h"

#include <algorithm>
#include <string_view>

namespace sing {
namespace {

class Writer {
public:
    Writer(const Task& task, const Guard& guard) : task_(task), guard_(guard) {}

    std::string write() {
        line("begin_version\n3\nend_version\nbegin_metric");
        line(task_.uses_costs ? "1" : "0");
        line("end_metric");
        write_variables();
        write_count(task_.mutex_groups.size());
        for (const auto& group : task_.mutex_groups) {
            line("begin_mutex_group");
            write_facts(group);
            line("end_mutex_group");
        }
        line("begin_state");
        for (std::size_t i = 0; i < task_.variables.size(); ++i) {
            const Variable& variable = task_.variables[i];
            line(std::to_string(variable.is_derived() ? variable.default_value : task_.initial_state[i]));
        }
        line("end_state\nbegin_goal");
        write_facts(task_.goal);
        line("end_goal");
        write_count(task_.operators.size());
        for (const Operator& op : task_.operators) write_operator(op);
        write_count(task_.axioms.size());
        for (const Axiom& axiom : task_.axioms) write_axiom(axiom);
        return std::move(text_);
    }

private:
    void line(std::string_view text) {
        text_ += text;
        text_ += '\n';
        if (text_.capacity() == counted_bytes_) return;
        guard_.take(text_.capacity() - counted_bytes_);
        counted_bytes_ = text_.capacity();
    }
    void write_count(std::size_t count) { line(std::to_string(count)); }
    static std::string text_of(Fact fact) { return std::to_string(fact.variable) + ' ' + std::to_string(fact.value); }
    void write_facts(const std::vector<Fact>& facts) {
        guard_.poll(facts.size() + 1);
        write_count(facts.size());
        for (Fact fact : facts) line(text_of(fact));
    }

    void write_variables() {
        write_count(task_.variables.size());
        for (const Variable& variable : task_.variables) {
            guard_.poll(variable.value_names.size());
            line("begin_variable");
            line(variable.name);
            line(std::to_string(variable.axiom_layer));
            write_count(variable.value_names.size());
            for (const std::string& name : variable.value_names) line(name);
            line("end_variable");
        }
    }

    // A condition on a variable that the operator changes stands with the effect, the others before.
    void write_operator(const Operator& op) {
        auto changes = [&](std::int32_t variable) {
            return std::ranges::any_of(op.effects, [&](const Effect& e) { return e.fact.variable == variable; });
        };
        line("begin_operator");
        // "name " where there are no arguments: the format has the name, a blank, and the arguments.
        line(op.name.find(' ') == std::string::npos ? op.name + ' ' : op.name);
        std::vector<Fact> prevail = op.preconditions;
        std::erase_if(prevail, [&](Fact fact) { return changes(fact.variable); });
        write_facts(prevail);
        write_count(op.effects.size());
        for (const Effect& effect : op.effects) {
            std::string text = std::to_string(effect.conditions.size());
            for (Fact fact : effect.conditions) text += ' ' + text_of(fact);
            const auto before = std::ranges::lower_bound(op.preconditions, effect.fact.variable, {}, &Fact::variable);
            const bool has_before = before != op.preconditions.end() && before->variable == effect.fact.variable;
            text += ' ' + std::to_string(effect.fact.variable) + ' ' +
                    std::to_string(has_before ? before->value : UNDEFINED) + ' ' + std::to_string(effect.fact.value);
            line(text);
        }
        line(std::to_string(op.cost));
        line("end_operator");
    }

    void write_axiom(const Axiom& axiom) {
        line("begin_rule");
        write_facts(axiom.conditions);
        line(std::to_string(axiom.fact.variable) + ' ' + std::to_string(1 - axiom.fact.value) + ' ' +
             std::to_string(axiom.fact.value));
        line("end_rule");
    }

    const Task& task_;
    const Guard& guard_;
    std::string text_;
    std::size_t counted_bytes_ = 0;
};

}  // namespace

std::string write_sas(const Task& task, const Guard& guard) { return Writer(task, guard).write(); }

}  // namespace sing
