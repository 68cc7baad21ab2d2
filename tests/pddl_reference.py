"""PDDL executed as it is written: a slow and obvious twin of the translation, for small problems.

It has nothing of sing. States are sets of atoms such as `at(c1, s2)`, named as in tasks.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

Tree = str | list["Tree"]
State = frozenset[str]


def read(text: str) -> list[Tree]:
    tokens = re.findall(r"[()]|[^\s()]+", re.sub(r";[^\n]*", " ", text.lower()))
    stack: list[list[Tree]] = [[]]
    for token in tokens:
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    return stack[0][0]


def typed(items: list[Tree]) -> list[tuple[str, list[str]]]:
    """Each word with its types; `object` where there is none."""
    result: list[tuple[str, list[str]]] = []
    waiting: list[str] = []
    words = iter(items)
    for word in words:
        if word != "-":
            waiting.append(word)
            continue
        kind = next(words)
        kinds = kind[1:] if isinstance(kind, list) else [kind]
        result += [(name, kinds) for name in waiting]
        waiting = []
    return result + [(name, ["object"]) for name in waiting]


class Pddl:
    """A domain with a problem. Derived predicates must be declared by rules behind those that they depend on."""

    def __init__(self, domain: str, problem: str) -> None:
        self._actions: dict[str, list[Tree]] = {}
        self._rules: list[tuple[str, list[tuple[str, list[str]]], Tree]] = []
        self._above: dict[str, list[str]] = {}
        objects: list[tuple[str, list[str]]] = []
        for kind, *items in [*read(domain)[2:], *read(problem)[2:]]:
            if kind == ":types":
                for name, above in typed(items):
                    self._above.setdefault(name, []).extend(above)
            elif kind in (":constants", ":objects"):
                objects += typed(items)
            elif kind == ":derived":
                (name, *parameters), condition = items
                self._rules.append((name, typed(parameters), condition))
            elif kind == ":action":
                self._actions[items[0]] = items[1:]
            elif kind == ":init":
                init = [atom for atom in items if atom[0] not in ("=", "not")]
            elif kind == ":goal":
                self._goal = items[0]
        self._objects = {name: set().union(*map(self._all_above, kinds)) for name, kinds in objects}
        self.derived = {name for name, _, _ in self._rules}
        self.initial_state = frozenset(name_of(atom, {}) for atom in init)

    def _all_above(self, kind: str) -> set[str]:
        return {kind, "object"}.union(*(self._all_above(above) for above in self._above.get(kind, []) if above != kind))

    def _bindings(self, parameters: list[tuple[str, list[str]]]) -> Iterator[dict[str, str]]:
        names = [name for name, _ in parameters]
        domains = [[o for o, kinds in self._objects.items() if kinds & set(wanted)] for _, wanted in parameters]
        return (dict(zip(names, objects, strict=True)) for objects in itertools.product(*domains))

    def completed(self, state: State) -> State:
        """With what can be derived, predicate by predicate."""
        facts = set(state)
        for name in dict.fromkeys(name for name, _, _ in self._rules):
            before = -1
            while len(facts) != before:
                before = len(facts)
                for head, parameters, condition in self._rules:
                    for binding in self._bindings(parameters) if head == name else ():
                        if self.holds(condition, facts, binding):
                            facts.add(name_of([name, *(parameter for parameter, _ in parameters)], binding))
        return frozenset(facts)

    def holds(self, tree: Tree, facts: set[str] | State, binding: dict[str, str]) -> bool:
        if not tree:
            return True
        head, *rest = tree
        if head == "and":
            return all(self.holds(part, facts, binding) for part in rest)
        if head == "or":
            return any(self.holds(part, facts, binding) for part in rest)
        if head == "not":
            return not self.holds(rest[0], facts, binding)
        if head == "imply":
            return not self.holds(rest[0], facts, binding) or self.holds(rest[1], facts, binding)
        if head in ("forall", "exists"):
            results = (self.holds(rest[1], facts, {**binding, **own}) for own in self._bindings(typed(rest[0])))
            return all(results) if head == "forall" else any(results)
        if head == "=":
            first, second = (binding.get(term, term) for term in rest)
            return first == second
        return name_of(tree, binding) in facts

    def is_goal(self, state: State) -> bool:
        return self.holds(self._goal, self.completed(state), {})

    def successors(self, state: State) -> dict[str, State]:
        """The states that single actions lead to, by the names of operators."""
        facts = self.completed(state)
        result = {}
        for name, items in self._actions.items():
            parts = dict(zip(items[::2], items[1::2], strict=True))
            parameters = typed(parts.get(":parameters", []))
            for binding in self._bindings(parameters):
                if self.holds(parts.get(":precondition", []), facts, binding):
                    changes = list(self._changes(parts[":effect"], facts, binding))
                    deleted = {atom for atom, is_added in changes if not is_added}
                    added = {atom for atom, is_added in changes if is_added}
                    result[" ".join([name, *binding.values()])] = (state - deleted) | added
        return result

    def _changes(self, tree: Tree, facts: State, binding: dict[str, str]) -> Iterator[tuple[str, bool]]:
        if not tree or tree[0] == "increase":
            return
        head, *rest = tree
        if head == "and":
            for part in rest:
                yield from self._changes(part, facts, binding)
        elif head == "forall":
            for own in self._bindings(typed(rest[0])):
                yield from self._changes(rest[1], facts, {**binding, **own})
        elif head == "when":
            if self.holds(rest[0], facts, binding):
                yield from self._changes(rest[1], facts, binding)
        elif head == "not":
            yield name_of(rest[0], binding), False
        else:
            yield name_of(tree, binding), True


def name_of(atom: list[Tree], binding: dict[str, str]) -> str:
    predicate, *terms = atom
    return f"{predicate}({', '.join(binding.get(term, term) for term in terms)})"
