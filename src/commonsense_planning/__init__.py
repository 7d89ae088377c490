"""cplan: planning in PDDL, guided by a language model's common sense."""

__version__ = "0.1.0"
