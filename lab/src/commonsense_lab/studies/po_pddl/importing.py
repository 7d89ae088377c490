"""A task in PO-PDDL (arXiv 2606.15654) → the same task in PDDL, with a sensors file that says what is hidden, how
probable it is at first, and when it is seen.

    (:observables …), (:observation …)                   in the domain: see ``observation``
    (:init-belief (p a) (not (q a)) (prob (r a) 0.3) …)   in the problem: see ``init_belief``"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from commonsense_lab.studies.po_pddl.dialect import mends, plain
from commonsense_lab.studies.po_pddl.init_belief import InitBelief
from commonsense_lab.studies.po_pddl.observation import ObservationRules
from commonsense_planning.errors import PddlWarning
from commonsense_planning.pddl.check import check_domain, check_signatures, check_task
from commonsense_planning.pddl.conditions import Checker
from commonsense_planning.pddl.derived import derived_names
from commonsense_planning.pddl.nodes import Group, Node, bracketed, layout
from commonsense_planning.pddl.reader import problem_of
from commonsense_planning.pddl.sections import OF_PO_PDDL, sections_of
from commonsense_planning.pddl.sensors import SensorsReader
from commonsense_planning.pddl.source import Source, with_mends

OF_DOMAIN, OF_PROBLEM = OF_PO_PDDL[:2], OF_PO_PDDL[2:]


@dataclass(frozen=True)
class ImportedTask:
    """The texts of the files; ``sensors`` is None if nothing is hidden. ``warnings``: what was tolerated, or differs
    from PO-PDDL."""

    domain: str
    problem: str
    sensors: str | None
    warnings: tuple[PddlWarning, ...]


def import_task(domain: Source, problem: Source) -> ImportedTask:
    """Translates a task. Raises PddlError, with its place in these files, for errors and files without PO-PDDL, and
    UnsupportedFeature for what has no counterpart."""
    said, believed = _sections(domain, OF_DOMAIN), _sections(problem, OF_PROBLEM)
    if not said and not believed:
        wanted = f"one of {' '.join(OF_PO_PDDL)}"
        raise domain.error(domain.root, "neither this domain nor its problem is in PO-PDDL", wanted)
    checked = check_domain(_plain(domain))
    task = check_task(checked, _plain(problem))
    observables = said.get(":observables", [Group(())])[0].items[1:]
    reports = check_signatures(domain, observables, task.vocabulary, "observable")
    derived = derived_names(domain, checked.derived)
    belief = InitBelief(Checker(problem, task.vocabulary, {*task.features}, derived), task.initial)
    belief.read(believed.get(":init-belief"))
    rules = ObservationRules(Checker(domain, task.vocabulary, derived=derived), reports, [*belief.hidden.values()])
    seen = rules.read(said.get(":observation", ()))
    chances = [group for action in checked.actions for group in _groups(action) if group.head == "probabilistic"]
    if chances:
        what = "an effect by chance, of which only ':observation' rules tell in PO-PDDL"
        domain.warn(chances[0], what, "an effect that is certain", "as seen when it comes")
    name, sections = checked.symbol, [belief.section, *belief.groups]
    header = bracketed("sensors", name), bracketed(":domain", name)
    first, then = (bracketed("define", *header, *part) for part in (sections, seen))
    read = problem_of(checked, task.source)
    hidden = SensorsReader(replace(problem, root=first, strict=True), read)
    shown = SensorsReader(replace(domain, root=then, strict=True), read)
    hidden.read()
    shown.hidden = hidden.hidden
    shown.read()
    text = f"; of the problem {task.symbol.text}\n{layout(bracketed('define', *header, *sections, *seen))}\n"
    warnings = tuple(dict.fromkeys((*domain.warnings, *problem.warnings)))
    return ImportedTask(_text(domain), _text(problem), text if belief.hidden else None, warnings)


def _sections(source: Source, known: Sequence[str]) -> dict[str, list[Group]]:
    """Returns the sections that only PO-PDDL has. Raises PddlError for one in the wrong file, or there twice."""
    own = _own(source)
    strange = next((group for group in own if group.head not in known), None)
    if strange is not None:
        raise source.error(strange.items[0], f"'{strange.head}' does not belong here", " ".join(known))
    return sections_of(source, own, known, repeated=(":observation",))


def _own(source: Source) -> list[Group]:
    return [item for item in source.root.items if isinstance(item, Group) and item.head in OF_PO_PDDL]


def _plain(source: Source) -> Source:
    """Returns the file without these sections and in the words of PPDDL."""
    own = _own(source)
    kept = (item for item in source.root.items if item not in own)
    return replace(source, root=plain(source, replace(source.root, items=tuple(kept))))


def _text(source: Source) -> str:
    """Returns the same as a text."""
    sections = [(*source.span(group), "") for group in _own(source)]
    return with_mends(source.text, [*sections, *mends(source, source.root)])


def _groups(node: Node) -> Iterator[Group]:
    """Yields the node, if it is a group, and all groups in it."""
    if isinstance(node, Group):
        yield node
        for item in node.items:
            yield from _groups(item)
