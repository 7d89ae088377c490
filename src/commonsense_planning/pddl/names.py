"""Names that Tarski, its grounder and clingo all take, and the way back to the user's spelling."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from commonsense_planning.pddl.syntax import Symbol
from commonsense_planning.pddl.vocabulary import RESERVED

# Words that a name must not be: those of PDDL, and those that Tarski or its grounder keep for themselves.
TAKEN = RESERVED | {
    "object",
    "number",
    "integer",
    "natural",
    "real",
    "boolean",
    "ite",
    "define",
    "domain",
    "problem",
}


@dataclass
class Names:
    """The normalised name of each declared thing, under its kind and key, and the spelling of each normalised
    name.
    """

    assigned: dict[tuple[str, str], str] = field(default_factory=dict)
    spelling: dict[str, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=lambda: set(TAKEN))

    def add(self, kind: str, symbol: Symbol) -> str:
        """Give the thing a name that is its own, as near to its spelling as can be."""
        plain = re.sub(r"[^a-z0-9_-]", "_", symbol.key)
        if not plain[0].isalpha():
            plain = f"{kind}-{plain}"
        name, number = plain, 1
        while _grounder_name(name) in self.taken:
            name = f"{plain}-{kind}" if number == 1 else f"{plain}-{kind}-{number}"
            number += 1
        self.taken.add(_grounder_name(name))
        self.assigned[kind, symbol.key] = name
        if name != symbol.text:
            self.spelling[name] = symbol.text
        return name

    def of(self, kind: str, symbol: Symbol) -> str:
        """The normalised name of a declared thing of that kind."""
        return self.assigned[kind, symbol.key]


def header_name(symbol: Symbol) -> str:
    """The normalised name of a domain or a problem, which may be the name of something else, too."""
    return re.sub(r"[^a-z0-9_-]", "_", symbol.key)


def _grounder_name(name: str) -> str:
    """The name as Tarski's grounder writes it for clingo; two names must differ there, too."""
    return name.replace("-", "__")


@dataclass(frozen=True)
class Renaming:
    """The normalised names of the variables in scope, each under its key, and all names in use around: those
    of variables that an inner one hides, too. Keys and names have their question mark.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    used: frozenset[str] = frozenset()

    def of(self, symbol: Symbol) -> str:
        """The normalised name of a variable in scope."""
        return self.names[symbol.key]

    def bind(self, symbols: Iterable[Symbol]) -> Renaming:
        """The scope inside, where these variables have names that nothing around has."""
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


NO_VARIABLES = Renaming()
