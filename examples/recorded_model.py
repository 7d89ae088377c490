"""What a language model is worth on a task of one's own, and what it costs: one task, several sources of belief.

The answers of a small model were recorded (examples/supermarket/local.jsonl), so no model is needed and each run gives
the same. Leave ``replay`` out to ask a model, by the name that its server lists: ``cplan.ModelConfig("openai:NAME")``.
"""

from __future__ import annotations

from pathlib import Path

import commonsense_planning as cplan

SUPERMARKET = Path(__file__).parent / "supermarket"

task = cplan.read_task(SUPERMARKET / "domain.pddl", SUPERMARKET / "problem.pddl")
recorded = cplan.ModelConfig("openai:SmolLM2-135M-Instruct.Q4_1.gguf", replay=SUPERMARKET / "local.jsonl")

print("method                   model                                   steps  questions  tokens")
for words, config, settings in (
    ("llm-mcts", recorded, {}),
    ("llm-mcts", cplan.ModelConfig("embedded"), {}),
    ("llm-mcts, uniform prior", cplan.ModelConfig("embedded"), {"prior": "uniform"}),
    ("look-nearest", cplan.ModelConfig("embedded"), {}),
    ("llm-mcts, observable", cplan.ModelConfig("embedded"), {"observable": True}),
):
    method = cplan.METHODS[words.partition(",")[0]]
    with cplan.ModelSession(config, cplan.BudgetConfig(max_calls=1000)) as models:
        solution = cplan.solve(cplan.Request(task, method, method.Options.of(settings), models))
        steps = "–" if solution.plan is None else len(solution.plan)
        usage = models.usage
    tokens = usage.prompt_tokens + usage.completion_tokens
    print(f"{words:23}  {config.name:38}  {steps:>5}  {usage.questions:9}  {tokens:6}")
