"""Names that Tarski, its grounder and clingo, VAL, unified-planning, Fast Downward and pyperplan all accept, and the
mapping back to the user's spelling."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from commonsense_planning.pddl.nodes import Symbol
from commonsense_planning.pddl.vocabulary import RESERVED

# Words that VAL's lexer reserves everywhere, also after a question mark.
KEYWORDS = frozenset(
    {
        "after", "always", "always-within", "and", "assign", "at-most-once", "decrease", "define", "domain", "duration",
        "either", "exists", "forall", "hold-after", "hold-during", "imply", "increase", "is-violated", "maximize",
        "minimize", "name", "not", "number", "or", "preference", "problem", "scale-down", "scale-up", "sometime",
        "sometime-after", "sometime-before", "supply-demand", "time", "total-time", "when", "whenever", "within",
    }
)  # fmt: skip

# Words that cannot be names, since PDDL or some program reserves them. For VAL, "at start", "at end" and
# "over all" are one word each.
TAKEN = RESERVED | KEYWORDS | {"object", "integer", "natural", "real", "boolean", "ite", "start", "end", "all"}


@dataclass
class SafeNames:
    """The normalised name of each declared thing, by its kind and key, and the spelling of each normalised name."""

    assigned: dict[tuple[str, str], str] = field(default_factory=dict)
    original_names: dict[str, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=lambda: set(map(_grounder_name, TAKEN)))

    def add(self, kind: str, symbol: Symbol) -> str:
        """Assigns the thing a unique name, as close to its spelling as possible."""
        plain = re.sub(r"[^a-z0-9_-]", "_", symbol.key)
        if not plain[:1].isalpha():
            plain = f"{kind}-{plain}"
        name, number = plain, 1
        while _grounder_name(name) in self.taken:
            name = f"{plain}-{kind}" if number == 1 else f"{plain}-{kind}-{number}"
            number += 1
        self.taken.add(_grounder_name(name))
        self.assigned[kind, symbol.key] = name
        if name != symbol.text:
            self.original_names[name] = symbol.text
        return name

    def of(self, kind: str, symbol: Symbol) -> str:
        """The normalised name of a declared thing of that kind."""
        return self.assigned[kind, symbol.key]


def _grounder_name(name: str) -> str:
    """The name as Tarski's grounder writes it for clingo; names must differ there, too."""
    return name.replace("-", "__")


@dataclass(frozen=True)
class Renaming:
    """The normalised names of the variables in scope, by their keys, and all names in use, including those of hidden
    outer variables. Keys and names include the question mark."""

    names: Mapping[str, str] = field(default_factory=dict)
    used: frozenset[str] = frozenset()

    def of(self, symbol: Symbol) -> str:
        """The normalised name of a variable in scope."""
        return self.names[symbol.key]

    def bind(self, symbols: Iterable[Symbol]) -> Renaming:
        """The inner scope, in which these variables have names that are not yet in use."""
        names, used = dict(self.names), set(self.used)
        for symbol in symbols:
            plain = re.sub(r"[^a-z0-9_-]", "_", symbol.key[1:])
            plain = f"?{plain}" if plain[0].isalpha() else f"?v{plain}"
            name, number = plain, 2
            while _grounder_name(name) in used:
                name, number = f"{plain}-{number}", number + 1
            names[symbol.key] = name
            used.add(_grounder_name(name))
        return Renaming(names, frozenset(used))


def no_variables(functions: Iterable[str] = ()) -> Renaming:
    """The outermost scope, without variables. No inner variable gets the name of one of the ``functions``, which VAL
    would take for the function, or of a keyword."""
    return Renaming(used=frozenset(f"?{_grounder_name(name)}" for name in (*KEYWORDS, *functions)))


NO_VARIABLES = no_variables()
