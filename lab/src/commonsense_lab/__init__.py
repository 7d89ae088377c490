"""The laboratory of cplan: the experiments of the two papers, and the methods, models and tools that only they use.

Everything in it registers with ``commonsense_planning`` through entry points, so that it is found by its name wherever
the laboratory is installed. Its rooms bear the names of the core's rooms that they add to.
"""

__version__ = "0.3.0"
