"""The domain of blocks and its towers as PlanBench spells them, and prompts in its form."""

from tests import towers

SPELLED = {
    **{" (heavier ?a ?b)": "", " (heavier b0 b1)": "", "hand-empty": "handempty", "on-table": "ontable"},
    **{"?a": "?x", "?b": "?y"},
}


def spelled(text: str) -> str:
    for name, other in SPELLED.items():
        text = text.replace(name, other)
    return text


DOMAIN = spelled(towers.DOMAIN)

STATEMENT = """[STATEMENT]
As initial conditions I have that, the red block is clear, the hand is empty, the red block is on top of the blue block
 and the blue block is on the table.
My goal is to have that the blue block is on top of the red block.
""".replace("block\n and", "block and")
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
    return spelled(towers.problem(f"tower-{number}", number))
