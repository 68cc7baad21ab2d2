#include "task/sas_reader.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <stdexcept>
#include <string>

#include "task/complete_task.h"

namespace sing {
namespace {

constexpr int FORMAT_VERSION = 3;
constexpr std::int64_t MAX_COUNT = std::numeric_limits<std::int32_t>::max();
// What the heap itself needs for a block.
constexpr std::size_t HEAP_BYTES = 16;

std::string in_quotes(std::string_view text) {
    constexpr std::size_t longest = 60;
    std::size_t size = std::min(text.size(), longest);
    auto is_inside_character = [&](std::size_t i) { return (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80; };
    while (size > 0 && size < text.size() && is_inside_character(size)) --size;
    std::string quoted = "'";
    for (char c : text.substr(0, size)) quoted += static_cast<unsigned char>(c) < ' ' ? '?' : c;
    return quoted.append(size < text.size() ? "…'" : "'");
}

// Whether a plan file can hold the name: there it stands in parentheses on a line of its own, and ";" begins a comment.
// Beside the line feed others take control characters, U+0085, U+2028 and U+2029 for ends of lines.
bool is_name_for_plans(std::string_view name) {
    auto is_special = [](char c) {
        return static_cast<unsigned char>(c) < ' ' || c == '\x7F' || c == '(' || c == ')' || c == ';';
    };
    auto has = [&](std::string_view text) { return name.find(text) != std::string_view::npos; };
    return !name.empty() && std::ranges::none_of(name, is_special) && !has("\xC2\x85") && !has("\xE2\x80\xA8") &&
           !has("\xE2\x80\xA9");
}

// Walks over the text line by line. Lists are reserved by their announced length, but never for more items than the
// rest of the text can have: a corrupt count runs into the end of the file instead of exhausting memory.
class Reader {
public:
    Reader(std::string_view text, const Guard& guard) : rest_(text), guard_(guard) {}

    Task read() {
        expect("begin_version");
        if (number(0, MAX_COUNT, "a version") != FORMAT_VERSION) fail("only SAS version 3 is supported");
        expect("end_version");
        expect("begin_metric");
        task_.uses_costs = number(0, 1, "a metric flag") == 1;
        expect("end_metric");
        read_variables();
        read_mutex_groups();
        read_initial_state();
        read_goal();
        read_operators();
        read_axioms();
        if (!rest_.empty()) {
            next_line();
            fail("expected the end of the file, found " + in_quotes(line_));
        }
        complete_task(task_, guard_);
        return std::move(task_);
    }

private:
    [[noreturn]] void fail(const std::string& message) const {
        throw std::invalid_argument("line " + std::to_string(line_number_) + ": " + message);
    }

    void next_line(std::string_view wanted = "more") {
        ++line_number_;
        if (rest_.empty()) fail("the file ends early, expected " + std::string(wanted));
        const std::size_t end = rest_.find('\n');
        line_ = rest_.substr(0, end);
        rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end + 1);
        if (line_.ends_with('\r')) line_.remove_suffix(1);
        fields_ = line_;
        guard_.poll(1);
    }

    // Makes room for items, each of which takes so many characters of the text at least.
    template <typename T>
    void reserve(std::vector<T>& items, std::int64_t count, std::size_t least_characters) {
        const std::size_t num_items = std::min(static_cast<std::size_t>(count), rest_.size() / least_characters);
        guard_.take(num_items * sizeof(T) + HEAP_BYTES);
        items.reserve(num_items);
    }

    // The current line, to be kept.
    std::string text_of(std::string_view line) {
        guard_.take(line.size() + HEAP_BYTES);
        return std::string(line);
    }

    void expect(std::string_view keyword) {
        next_line(keyword);
        if (line_ != keyword) fail("expected " + in_quotes(keyword) + ", found " + in_quotes(line_));
    }

    // The next number of the current line, within [low, high].
    std::int64_t field(std::int64_t low, std::int64_t high, std::string_view what) {
        fields_.remove_prefix(std::min(fields_.find_first_not_of(' '), fields_.size()));
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(fields_.data(), fields_.data() + fields_.size(), value);
        const bool complete = end == fields_.data() + fields_.size() || *end == ' ';
        if (error != std::errc{} || !complete) fail("expected " + std::string(what) + ", found " + in_quotes(line_));
        if (value < low || value > high)
            fail(std::string(what) + " is " + std::to_string(value) + ", outside " + std::to_string(low) + ".." +
                 std::to_string(high));
        fields_.remove_prefix(static_cast<std::size_t>(end - fields_.data()));
        return value;
    }

    void end_fields() {
        if (fields_.find_first_not_of(' ') != std::string_view::npos)
            fail("unexpected text at the end of " + in_quotes(line_));
    }

    // A line that holds one number.
    std::int64_t number(std::int64_t low, std::int64_t high, std::string_view what) {
        next_line(what);
        const std::int64_t value = field(low, high, what);
        end_fields();
        return value;
    }

    std::int32_t variable_field() {
        return static_cast<std::int32_t>(
            field(0, static_cast<std::int64_t>(task_.variables.size()) - 1, "a variable number"));
    }

    Value value_field(std::int32_t variable, std::int64_t low = 0) {
        const auto& domain = task_.variables[static_cast<std::size_t>(variable)];
        return static_cast<Value>(field(low, domain.domain_size() - 1, "a value of variable " + domain.name));
    }

    Fact fact_field() {
        const std::int32_t variable = variable_field();
        return {variable, value_field(variable)};
    }

    Fact fact_line() {
        next_line("a fact");
        const Fact fact = fact_field();
        end_fields();
        return fact;
    }

    std::vector<Fact> fact_lines(std::string_view count_name) {
        constexpr std::size_t least_characters = 4;  // "0 0" and the end of the line
        std::vector<Fact> facts;
        const std::int64_t count = number(0, MAX_COUNT, count_name);
        reserve(facts, count, least_characters);
        for (std::int64_t i = count; i > 0; --i) facts.push_back(fact_line());
        return facts;
    }

    // Sorted by variable; two facts on one variable are an error.
    void sort_conjunction(std::vector<Fact>& facts, const std::string& what) const {
        std::ranges::sort(facts);
        const auto twice = std::ranges::adjacent_find(facts, {}, &Fact::variable);
        if (twice != facts.end()) fail(what + " names variable " + name_of(twice->variable) + " twice");
    }

    const std::string& name_of(std::int32_t variable) const {
        return task_.variables[static_cast<std::size_t>(variable)].name;
    }

    void read_variables() {
        const std::int64_t count = number(0, MAX_COUNT, "the number of variables");
        reserve(task_.variables, count, std::string_view("begin_variable end_variable").size());
        for (std::int64_t i = count; i > 0; --i) {
            expect("begin_variable");
            Variable variable;
            next_line("a variable name");
            variable.name = text_of(line_);
            variable.axiom_layer = static_cast<std::int32_t>(number(-1, MAX_COUNT, "an axiom layer"));
            const std::int64_t domain_size = number(1, MAX_COUNT, "a domain size");
            if (variable.is_derived() && domain_size != 2)
                fail("variable " + variable.name + " has an axiom layer and " + std::to_string(domain_size) +
                     " values, and such variables have two");
            reserve(variable.value_names, domain_size, 1);
            for (std::int64_t j = domain_size; j > 0; --j) {
                next_line("the name of a value");
                variable.value_names.push_back(text_of(line_));
            }
            expect("end_variable");
            task_.variables.push_back(std::move(variable));
        }
    }

    void read_mutex_groups() {
        const std::int64_t count = number(0, MAX_COUNT, "the number of mutex groups");
        reserve(task_.mutex_groups, count, std::string_view("begin_mutex_group end_mutex_group").size());
        for (std::int64_t i = count; i > 0; --i) {
            expect("begin_mutex_group");
            task_.mutex_groups.push_back(fact_lines("the size of a mutex group"));
            expect("end_mutex_group");
        }
    }

    void read_initial_state() {
        expect("begin_state");
        for (std::size_t i = 0; i < task_.variables.size(); ++i) {
            next_line("an initial value");
            task_.initial_state.push_back(value_field(static_cast<std::int32_t>(i)));
            end_fields();
            Variable& variable = task_.variables[i];
            if (variable.is_derived()) variable.default_value = task_.initial_state.back();
        }
        expect("end_state");
    }

    void read_goal() {
        expect("begin_goal");
        task_.goal = fact_lines("the number of goals");
        sort_conjunction(task_.goal, "the goal");
        expect("end_goal");
    }

    void read_operators() {
        const std::int64_t count = number(0, MAX_COUNT, "the number of operators");
        reserve(task_.operators, count, std::string_view("begin_operator end_operator").size());
        for (std::int64_t i = count; i > 0; --i) {
            expect("begin_operator");
            Operator op;
            next_line("an operator name");
            op.name = text_of(line_.substr(0, line_.find_last_not_of(' ') + 1));  // "name " where it has no arguments
            if (!is_name_for_plans(op.name))
                fail("an operator is named " + in_quotes(op.name) +
                     ", and a plan file cannot hold that: names have no parentheses, ';' or ends of lines");
            op.preconditions = fact_lines("the number of prevail conditions");
            sort_conjunction(op.preconditions, "the prevail condition of operator " + op.name);
            read_effects(op);
            op.cost = number(0, std::numeric_limits<std::int64_t>::max(), "an operator cost");
            expect("end_operator");
            task_.operators.push_back(std::move(op));
        }
    }

    void read_effects(Operator& op) {
        constexpr std::size_t least_characters = 8;  // "0 0 0 0" and the end of the line
        const std::int64_t count = number(0, MAX_COUNT, "the number of effects");
        reserve(op.effects, count, least_characters);
        std::vector<Fact> needed = op.preconditions;
        for (std::int64_t i = count; i > 0; --i) read_effect(op, needed);
        check_effects(op);
        // Several conditional effects of one operator repeat the precondition on their variable.
        std::ranges::sort(needed);
        needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
        sort_conjunction(needed, "the precondition of operator " + op.name);
        guard_.take((needed.size() - op.preconditions.size()) * sizeof(Fact));
        op.preconditions.assign(needed.begin(), needed.end());
    }

    // "conditions… variable before after", where before is -1 for "any value".
    void read_effect(Operator& op, std::vector<Fact>& needed) {
        next_line("an effect");
        Effect effect;
        for (std::int64_t i = field(0, MAX_COUNT, "the number of effect conditions"); i > 0; --i)
            effect.conditions.push_back(fact_field());
        const std::int32_t variable = variable_field();
        const Value before = value_field(variable, -1);
        effect.fact = {variable, value_field(variable)};
        end_fields();
        if (task_.is_derived(variable))
            fail("operator " + op.name + " sets variable " + name_of(variable) + ", which only axioms can set");
        guard_.take(effect.conditions.capacity() * sizeof(Fact));
        if (before != -1) needed.push_back({variable, before});
        op.effects.push_back(std::move(effect));
    }

    void check_effects(const Operator& op) const {
        std::vector<Fact> unconditional;
        for (const Effect& effect : op.effects)
            if (effect.conditions.empty()) unconditional.push_back(effect.fact);
        sort_conjunction(unconditional, "the effect of operator " + op.name);
    }

    void read_axioms() {
        const std::int64_t count = number(0, MAX_COUNT, "the number of axioms");
        reserve(task_.axioms, count, std::string_view("begin_rule end_rule").size());
        for (std::int64_t i = count; i > 0; --i) {
            expect("begin_rule");
            Axiom axiom;
            axiom.conditions = fact_lines("the number of conditions");
            next_line("the head of an axiom");
            const std::int32_t variable = variable_field();
            const Value before = value_field(variable);
            axiom.fact = {variable, value_field(variable)};
            end_fields();
            check_axiom(axiom, before);
            expect("end_rule");
            task_.axioms.push_back(std::move(axiom));
        }
    }

    // A negation of what the axiom itself may lead to would have no meaning.
    void check_axiom(const Axiom& axiom, Value before) const {
        const Variable& head = task_.variables[static_cast<std::size_t>(axiom.fact.variable)];
        if (!head.is_derived()) fail("an axiom sets variable " + head.name + ", which has no axiom layer");
        if (before != head.default_value || axiom.fact.value == before)
            fail("an axiom changes variable " + head.name + " from " + std::to_string(before) + " to " +
                 std::to_string(axiom.fact.value) + ", and its default is " + std::to_string(head.default_value));
        for (const Fact& fact : axiom.conditions) {
            const Variable& variable = task_.variables[static_cast<std::size_t>(fact.variable)];
            if (!variable.is_derived()) continue;
            const bool is_negation = fact.value == variable.default_value;
            if (variable.axiom_layer > head.axiom_layer || (is_negation && variable.axiom_layer == head.axiom_layer))
                fail("an axiom for variable " + head.name + " of layer " + std::to_string(head.axiom_layer) +
                     (is_negation ? " negates" : " needs") + " variable " + variable.name + " of layer " +
                     std::to_string(variable.axiom_layer) +
                     ": conditions come from the same layer or one before it, negations from one before it");
        }
    }

    std::string_view rest_;    // what has not been read yet
    std::string_view line_;    // the current line, without its end
    std::string_view fields_;  // what field() has not taken of it yet
    std::size_t line_number_ = 0;
    const Guard& guard_;
    Task task_;
};

}  // namespace

Task read_sas(std::string_view text, const Guard& guard) { return Reader(text, guard).read(); }

}  // namespace sing
