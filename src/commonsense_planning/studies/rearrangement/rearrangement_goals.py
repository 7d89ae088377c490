"""What the tasks of a home ask for, in each of the paper's settings."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from commonsense_planning.errors import InputError
from commonsense_planning.studies.homes.scene_goal import Wish
from commonsense_planning.studies.rearrangement.rearrangement_home import Home
from commonsense_planning.studies.rearrangement.rearrangement_pairs import all_pairs, different_things

MOST_WAYS = 2000  # in which the wishes of a task may come true; a goal has a disjunct for each
TRIES = 10_000  # to draw a novel composition

Wishes = tuple[Wish, ...]


class Setting(StrEnum):
    """The settings of the paper's table 1, in its order (appendix A.2)."""

    SIMPLE = "simple"
    COMP = "comp"
    NOVEL_SIMPLE = "novel-simple"
    NOVEL_COMP_2 = "novel-comp-2"
    NOVEL_COMP_3 = "novel-comp-3"


@dataclass(frozen=True)
class Goals:
    """What can be asked of a home, in its own words. ``pairs`` and ``compositions`` are those of training tasks,
    ``novel`` are pairs that no training task asks for."""

    home: Home
    pairs: tuple[Wish, ...]
    compositions: tuple[Wishes, ...]
    novel: tuple[Wish, ...]

    def trained(self, setting: Setting) -> list[Wishes]:
        """All that training tasks ask for in the setting, which is SIMPLE or COMP.

        Raises ``InputError`` if that is nothing.
        """
        single: list[Wishes] = [(pair,) for pair in self.pairs]
        possible = list(self.compositions) if setting is Setting.COMP else single
        if not possible:
            raise self._nothing(setting)
        return possible

    def draw(self, setting: Setting, rng: np.random.Generator) -> Wishes:
        """The wishes of one task. Raises ``InputError`` if the home has nothing that the setting could ask for."""
        if setting is Setting.NOVEL_COMP_2:
            return self._novel_composition(setting, 2, rng)
        if setting is Setting.NOVEL_COMP_3:
            return self._novel_composition(setting, 3, rng)
        novel: list[Wishes] = [(pair,) for pair in self.novel]
        possible = novel if setting is Setting.NOVEL_SIMPLE else self.trained(setting)
        if not possible:
            raise self._nothing(setting)
        return possible[int(rng.integers(len(possible)))]

    def _novel_composition(self, setting: Setting, size: int, rng: np.random.Generator) -> Wishes:
        trained = {frozenset(wishes) for wishes in self.compositions}
        for _ in range(TRIES if len(self.pairs) >= size else 0):
            chosen = rng.choice(len(self.pairs), size, replace=False).tolist()
            wishes = tuple(self.pairs[i] for i in chosen)
            if different_things(wishes) and frozenset(wishes) not in trained and self.home.ways(wishes) <= MOST_WAYS:
                return wishes
        raise self._nothing(setting)

    def _nothing(self, setting: Setting) -> InputError:
        return InputError(
            f"the {self.home.name} home has too few of the things and places of the experiment for a task of the "
            f"setting {setting}; take another scene"
        )


def goals_in(home: Home, seen: Home) -> Goals:
    """What can be asked of ``home``; training tasks are those of the ``seen`` one.

    A pair or a composition of training tasks is one that both homes have. A novel pair's thing and place are each in
    some pair of the training tasks.
    """
    pairs = all_pairs()
    known = [pair for pair in pairs.training if seen.local(pair)]
    things, places = {pair.thing for pair in known}, {pair.place for pair in known}
    trained = {pair: own for pair in known if (own := home.local(pair))}
    compositions = []
    for parts in pairs.compositions():
        if not trained.keys() >= set(parts):
            continue
        there = [local for part in parts if (local := seen.local(part))]
        here = tuple(trained[part] for part in parts)
        if max(seen.ways(there), home.ways(here)) <= MOST_WAYS:
            compositions.append(here)
    novel = [pair for pair in pairs.novel if pair.thing in things and pair.place in places]
    return Goals(
        home,
        tuple(trained.values()),
        tuple(compositions),
        tuple(own for pair in novel if (own := home.local(pair))),
    )
