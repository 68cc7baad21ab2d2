// Effects of actions.
#pragma once

#include <unordered_map>
#include <vector>

#include "pddl/reader.h"
#include "pddl/rename.h"

namespace sing::pddl {

// Reads one effect into an action: a list of literals, each with the parameters and conditions around it.
class EffectReader : Reader {
public:
    EffectReader(const SyntaxTree& tree, Problem& problem, const Guard& guard, Scope& scope)
        : Reader(tree, problem, guard), scope_(scope) {}

    void read(NodeId root, Action& action);

private:
    // What stands around the parts of a list: one "and", "forall" or "when".
    struct Frame {
        NodeId next, end;
        std::size_t num_parameters, num_conditions, num_renamings;  // of those around, before this list
    };

    void open(NodeId node, Action& action);
    void close(const Frame& frame);
    void quantify(std::vector<Parameter> own, const Action& action);
    void add(FormulaId literal, Action& action);
    void read_cost(NodeId node, Action& action) const;

    Scope& scope_;
    std::vector<Frame> frames_;
    std::vector<Parameter> parameters_;  // of all lists around, the outermost first
    std::vector<Parameter> scoped_;      // the same with the names that the text has
    std::vector<Renaming> renamings_;    // of variables that hide others
    std::vector<FormulaId> conditions_;  // likewise
    // Effects of the action by what identifies them, to find those that say the opposite.
    std::unordered_multimap<std::uint64_t, std::size_t> known_;
    std::vector<char> is_dropped_;  // by effect
};

}  // namespace sing::pddl
