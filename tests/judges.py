"""The names of the validators, as their registry has them."""

from commonsense_planning.validation.registry import PLAN_VALIDATORS

JUDGES = [*PLAN_VALIDATORS]
ASKED = [name for name, validator in PLAN_VALIDATORS.items() if not validator.spare]
"""Those that are asked about every plan."""
