"""``python -m lab.tests.goldens``: as ``python -m tests.goldens``, with the laboratory's."""

from lab.tests.goldens.runs import GOLDENS
from lab.tests.goldens.test_goldens import CORE, EXPECTED
from tests.goldens.__main__ import comparison

if __name__ == "__main__":
    comparison(GOLDENS, EXPECTED, CORE)()
