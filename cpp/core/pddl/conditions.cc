// Conditions, without recursion: they may be nested as deeply as a file is long.
#include <vector>

#include "pddl/reader.h"
#include "pddl/rename.h"

namespace sing::pddl {
namespace {

// A junctor or quantifier whose parts are being read.
struct Frame {
    NodeId next, end;  // parts that have not been read
    FormulaKind kind;
    bool negated;                // whether the parts are
    bool negates_first = false;  // of "imply"
    std::size_t first_result;
    std::vector<Parameter> parameters = {};
};

}  // namespace

FormulaId Reader::condition(NodeId root, Scope& scope) {
    Formulas& formulas = problem_.formulas;
    std::vector<Frame> frames;
    std::pmr::vector<FormulaId> results(guard_.memory());

    auto open = [&](NodeId node, bool negated) {
        while (begins_with(node, NOT)) {
            if (tree_.num_items(node) != 2) tree_.expected(node, "one condition after 'not'");
            node += 2;
            negated = !negated;
        }
        require_list(node, "a condition");
        if (tree_.is_empty(node)) {
            results.push_back(negated ? Formulas::FALSITY : Formulas::TRUTH);
            return;
        }
        const NodeId tag = node + 1, end = tree_.end(node);
        switch (word(tag, "'and', 'or', 'not', 'imply', 'forall', 'exists' or a predicate")) {
            case AND:
            case OR: {
                const bool is_and = (tree_.word(tag) == AND) != negated;
                frames.push_back({tag + 1, end, is_and ? FormulaKind::CONJUNCTION : FormulaKind::DISJUNCTION, negated,
                                  false, results.size()});
                break;
            }
            case IMPLY:
                if (tree_.num_items(node) != 3) tree_.expected(node, "two conditions after 'imply'");
                frames.push_back({tag + 1, end, negated ? FormulaKind::CONJUNCTION : FormulaKind::DISJUNCTION, negated,
                                  true, results.size()});
                break;
            case FORALL:
            case EXISTS: {
                if (tree_.num_items(node) != 3)
                    tree_.expected(node, "a list of variables and one condition after " + quoted(tree_.word(tag)));
                require_list(tag + 1, "a list of variables");
                const bool is_forall = (tree_.word(tag) == FORALL) != negated;
                frames.push_back({tree_.end(tag + 1), end, is_forall ? FormulaKind::FORALL : FormulaKind::EXISTS,
                                  negated, false, results.size(), parameters(tag + 1, tag + 2)});
                scope.enter(frames.back().parameters);
                break;
            }
            default:
                results.push_back(atom(node, negated, scope));
        }
    };

    open(root, false);
    while (!frames.empty()) {
        guard_.poll(1);
        Frame& frame = frames.back();
        if (frame.next < frame.end) {
            const NodeId node = frame.next;
            frame.next = tree_.end(node);
            const bool negated = frame.negated != frame.negates_first;
            frame.negates_first = false;
            open(node, negated);
            continue;
        }
        scope.leave(frame.parameters);
        // A junctor within an equal one leaves its parts to that, so that deep nests take linear time.
        const bool is_quantifier = frame.kind == FormulaKind::FORALL || frame.kind == FormulaKind::EXISTS;
        const bool is_merged = !is_quantifier && frames.size() > 1 && frames[frames.size() - 2].kind == frame.kind;
        if (!is_merged) {
            const auto parts = std::span<const FormulaId>(results).subspan(frame.first_result);
            FormulaId result = Formulas::TRUTH;
            if (!is_quantifier)
                result = formulas.junctor(frame.kind, parts);
            else if (frame.parameters.empty())
                result = parts.front();
            else
                result = formulas.quantifier(frame.kind, frame.parameters, parts.front());
            results.resize(frame.first_result);
            results.push_back(result);
        }
        frames.pop_back();
    }
    // A merged junctor is never the outermost one, so that there is one result.
    return renamed_apart(problem_, results.back(), {}, {});
}

}  // namespace sing::pddl
