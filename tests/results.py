"""The schema of results, against which tests hold every output that tells one."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from commonsense_planning.methods.result import ResultView, result_schema


def check_result(found: Mapping[str, Any], view: ResultView = ResultView.JSON) -> None:
    """Fails unless the object has the keys of a view, with values of their types."""
    _validator(view).validate(found)


@cache
def _validator(view: ResultView) -> Draft202012Validator:
    return Draft202012Validator(result_schema(view))
