"""What does an agent believe, and how does a look change it? Each hidden fact has a probability, before and after."""

from __future__ import annotations

from pathlib import Path

import commonsense_planning as cplan

SUPERMARKET = Path(__file__).parent / "supermarket"


def likeliest(agent: cplan.Agent) -> None:
    """Print what is believed with a tenth or more."""
    for fact, chance in sorted(agent.belief.items(), key=lambda pair: -pair[1]):
        if chance >= 0.1:
            print(f"  {chance:4.0%}  {fact}")


with cplan.Agent(
    SUPERMARKET / "domain.pddl",
    SUPERMARKET / "problem.pddl",
    model=cplan.ModelConfig("openai:SmolLM2-135M-Instruct.Q4_1.gguf", replay=SUPERMARKET / "local.jsonl"),
) as agent:
    print("at first, the next step is", agent.act(cplan.ObservationReport()))
    likeliest(agent)
    print(
        "there is bread here, and nothing else; the next step is",
        agent.act(cplan.ObservationReport(["(in-aisle bread bakery)"])),
    )
    likeliest(agent)
