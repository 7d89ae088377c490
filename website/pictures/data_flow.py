"""The figure of docs/architecture.md: how data flows from PDDL files to a validated plan.

python -m website.pictures.data_flow   # write docs/pictures/data-flow.svg
"""

from __future__ import annotations

from website.pictures.figure import arrow, box, text, write

BOXES = {  # title, room: x, y, width
    ("domain.pddl, problem.pddl", ""): (16, 16, 300),
    ("sensors.pddl", ""): (336, 16, 148),
    ("Problem, Sensors", "pddl/"): (16, 88, 468),
    ("Ground task, compiled task", "grounding/, kernels/"): (16, 160, 468),
    ("Environment", "the true world"): (16, 248, 112),
    ("Belief", "pomdp/"): (220, 248, 76),
    ("Language model", "wording/, llm/"): (348, 248, 136),
    ("Search", "search/, planners/"): (220, 344, 264),
    ("Validators", "validation/"): (220, 432, 264),
    ("plan file, trace", ""): (16, 432, 132),
}
HEIGHT, TALL = 492, 44
ARROWS = [
    "M166 60V86", "M410 60V86", "M250 132V158", "M72 204V246", "M258 204V246", "M128 270H218", "M348 270H298",
    "M258 292V342", "M416 292V342", "M220 366H72V294", "M352 388V430", "M220 454H150",
]  # fmt: skip
LABELS = [
    (172, 264, "observation", "middle"), (324, 264, "prior", "middle"), (266, 322, "sampled states", ""),
    (424, 322, "policy", ""), (146, 358, "action", "middle"), (360, 414, "plan", ""),
]  # fmt: skip


def main() -> None:
    """Write the figure."""
    parts = [*map(arrow, ARROWS)]
    parts += [text(x, y, words, f"small soft {kind}".strip()) for x, y, words, kind in LABELS]
    for (title, room), (x, y, width) in BOXES.items():
        parts += [box(x, y, width, TALL), text(x + width / 2, y + (20 if room else 27), title, "middle")]
        parts += [text(x + width / 2, y + 36, room, "small soft middle")] if room else []
    write("data-flow", HEIGHT, parts)


if __name__ == "__main__":
    main()
