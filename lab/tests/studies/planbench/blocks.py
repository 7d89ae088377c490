"""A small domain, problems of it, and prompts in PlanBench's form."""

DOMAIN = """(define (domain blocks) (:requirements :strips)
(:predicates (clear ?x) (ontable ?x) (handempty) (holding ?x) (on ?x ?y))
(:action pick-up :parameters (?ob) :precondition (and (clear ?ob) (ontable ?ob) (handempty))
 :effect (and (holding ?ob) (not (clear ?ob)) (not (ontable ?ob)) (not (handempty))))
(:action put-down :parameters (?ob) :precondition (holding ?ob)
 :effect (and (clear ?ob) (handempty) (ontable ?ob) (not (holding ?ob))))
(:action stack :parameters (?ob ?underob) :precondition (and (clear ?underob) (holding ?ob))
 :effect (and (handempty) (clear ?ob) (on ?ob ?underob) (not (clear ?underob)) (not (holding ?ob))))
(:action unstack :parameters (?ob ?underob) :precondition (and (on ?ob ?underob) (clear ?ob) (handempty))
 :effect (and (holding ?ob) (clear ?underob) (not (on ?ob ?underob)) (not (clear ?ob)) (not (handempty)))))
"""
STATEMENT = """[STATEMENT]
As initial conditions I have that, the red block is clear, the hand is empty, the red block is on top of the blue block
 and the blue block is on the table.
My goal is to have that the blue block is on top of the red block.
""".replace("block\n and", "block and")
RIGHT = """1. Unstack the red block from on top of the blue block.
2. Put down the red block on the table.
3. Pick up the blue block.
4. Stack the blue block on the red block."""
PLAN = """My plan is as follows:

[PLAN]
unstack the red block from on top of the blue block
put down the red block
pick up the blue block
stack the blue block on top of the red block
[PLAN END]
"""
CHANGED = f"""{PLAN}
During execution, an unexpected event has occurred.
After executing the action "unstack the red block from on top of the blue block" at step 1 in the plan, the following \
facts unexpectedly became true: the red block is clear, the hand is empty and the red block is on the table
The following facts became unexpectedly false: the hand is currently holding red block
After re-planning from the new state, the plan is as follows:
"""
EXECUTED = STATEMENT[: STATEMENT.index("My goal")] + PLAN.replace("[PLAN]", "[ACTION SEQUENCE]").replace(
    "[PLAN END]", "[ACTION SEQUENCE END]\n[RESULTING STATE]"
)


def problem(number: int) -> str:
    """A tower of ``number`` blocks that must be turned upside down."""
    names = [f"b{i}" for i in range(number)]
    pairs = list(zip(names, names[1:], strict=False))
    tower = " ".join(f"(on {upper} {lower})" for upper, lower in pairs)
    turned = " ".join(f"(on {lower} {upper})" for upper, lower in pairs)
    return (
        f"(define (problem tower-{number}) (:domain blocks) (:objects {' '.join(names)})\n"
        f" (:init (handempty) (clear {names[0]}) (ontable {names[-1]}) {tower})\n (:goal (and {turned})))\n"
    )
