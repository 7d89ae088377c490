"""Whatever a user's template says, filling it in ends with a text or a located error."""

import gc
from collections.abc import Iterator
from pathlib import Path

import jinja2
import pytest

from commonsense_planning.errors import BudgetError, InputError
from commonsense_planning.llm import templates
from commonsense_planning.llm.templates import Templates
from commonsense_planning.support import limits

DOUBLING = "{% set ns = namespace(x='ab') %}{% for i in range(99) %}{% set ns.x = EXPRESSION %}{% endfor %}"
LOOPS = "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}"
ENDLESS = [
    "{{ 'a' * 9999999999 }}",
    "{{ [1] * 9999999999 }}",
    "{{ 9999999999 * 'a' }}",
    "{{ 9 ** 999999999 }}",
    "{% for i in range(10**9) %}x{% endfor %}",
    LOOPS,
    "{% for i in range(99999) %}" + "text " * 999 + "{% endfor %}",
    "{% set x %}" + "{% for i in range(99999) %}" * 2 + "text " * 999 + "{% endfor %}" * 2 + "{% endset %}",
    "{% macro m(n) %}{{ m(n - 1) }}{{ m(n - 1) }}{% endmacro %}{{ m(1) }}",
    "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(99) }}",
    "{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}",
    "{% include 'a.jinja' %}",
    "{% if n is not defined %}{% set n = 99 %}{% endif %}{% set n = n - 1 %}{% if n %}"
    + "{% include 'a.jinja' %}" * 2 + "{% endif %}",
    DOUBLING.replace("EXPRESSION", "ns.x ~ ns.x"),
    DOUBLING.replace("EXPRESSION", "ns.x + ns.x"),
    DOUBLING.replace("EXPRESSION", "[ns.x, ns.x]") + "{{ ns.x }}",
    DOUBLING.replace("EXPRESSION", "ns.x.replace('a', ns.x)"),
    DOUBLING.replace("EXPRESSION", "ns.x | replace('a', ns.x)"),
    DOUBLING.replace("EXPRESSION", "[ns.x, ns.x] | join(ns.x)"),
    "{% set l = ['a'] %}{% for i in range(99) %}{% set _ = l.extend(l) %}{% endfor %}",
    "{% set l = ['a'] %}{% for i in range(99) %}{% set _ = l.append([l[-1], l[-1]]) %}{% endfor %}{{ l }}",
    "{% set l = range(9999) | list %}{% for i in range(99999) %}{% if 'a' in l %}{% endif %}{% endfor %}",
    "{{ 'a' | center(9999999999) }}",
    "{{ 'a'.ljust(9999999999) }}",
    "{{ 'a\\n' | indent(9999999999, true) }}",
    "{{ '%9999999999d' % 1 }}",
    "{{ '%9999999999d' | format(1) }}",
    "{{ '{:9999999999}'.format(1) }}",
    "{{ [1] | batch(9999999999, 1) | list }}",
    "{{ [1] | slice(9999999999) | list }}",
    "{{ range(99999) | map('center', 9999) | join }}",
    "{{ range(99999) | join('a' * 9999) }}",
    "{{ (5).to_bytes(9999999999, 'big') }}",
    "{{ lipsum(n=9999999999) }}",
]  # fmt: skip
WRONG = [
    ("", "a.jinja:1:1: the template cannot be filled in: it makes nothing"),
    (" \n", "a.jinja:1:1: the template cannot be filled in: it makes nothing"),
    ("{% for i in [] %}x{% endfor %}", "a.jinja:1:1: the template cannot be filled in: it makes nothing"),
    ("{{ 'a' * 20000000 }}", "a.jinja:1:1: the template cannot be filled in: * makes too much"),
    ("\n{{ '%11111111d' | format(1) }}", "a.jinja:1:1: the template cannot be filled in: it makes too much"),
    ("\n{{ 1/0 }}", "a.jinja:2:1: the template cannot be filled in: division by zero"),
    ("{% include 'a.jinja' %}", "a.jinja:1:1: the template cannot be filled in: nested too deeply"),
    (b"x\n {{ 1 }}\xff", "a.jinja:2:9: not a template: byte 0xff is not UTF-8"),
    ("\n\n{% include '../b' %}", "a.jinja:3:1: the template cannot be filled in"),
    ("{% if x %}", "a.jinja:1:1: Unexpected end of template"),
    ("x\n{{ x.y }}", "a.jinja:2:1: the template cannot be filled in: 'x' is undefined"),
    ("{{ ('9' * 5000) ~ 9 ** 9999 }}", "a.jinja:1:1: the template cannot be filled in: Exceeds the limit"),
]  # fmt: skip


def fill(folder: Path, template: str | bytes) -> str:
    (folder / "a.jinja").write_bytes(template if isinstance(template, bytes) else template.encode())
    return Templates([folder], {}, str).fill("a.jinja", {"things": [f"thing {i}" for i in range(3000)]})


@pytest.fixture
def no_collector() -> Iterator[None]:
    """No garbage collection: an alarm in Hypothesis's callback, which times it, is lost."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize("template", ENDLESS, ids=[template[:60] for template in ENDLESS])
def test_a_template_without_end_is_refused(template: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "SECONDS", 0.2)
    monkeypatch.setattr(limits, "SLACK", 0.0)
    with pytest.raises(InputError, match=rf"^{tmp_path}/a.jinja:1:1: "), limits.within_memory(4000):
        fill(tmp_path, template)


def test_a_limit_around_it_is_somebody_elses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SLACK", 0.0)
    with pytest.raises(BudgetError, match="the time is up"), limits.within_seconds(0.1):
        fill(tmp_path, LOOPS)


def test_an_alarm_between_two_lines_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def rewrite(*_: object) -> None:  # as Jinja does where a traceback has no line
        raise TypeError("'<=' not supported between instances of 'int' and 'NoneType'")

    monkeypatch.setattr(jinja2.Environment, "handle_exception", rewrite)
    test_a_limit_around_it_is_somebody_elses(tmp_path, monkeypatch)
    monkeypatch.setattr(templates, "SECONDS", 0.1)
    with pytest.raises(InputError, match=r"a.jinja:1:1: the template takes more than 0.1 s$"):
        fill(tmp_path, LOOPS)


@pytest.mark.parametrize(("template", "message"), WRONG, ids=[message for _, message in WRONG])
def test_what_is_wrong_is_located(template: str | bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        fill(tmp_path, template)
    assert str(raised.value).startswith(f"{tmp_path}/{message}")


@pytest.mark.parametrize(("template", "text"), [
    ("{% for x in things %}{{ loop.index }}/{{ loop.length }} {{ x }}, {% endfor %}", None),
    ("{{ things | map('upper') | unique | list | length }}", "3000"),
    ("{% for i, j in zip([1, 2], 'ab') %}{{ i }}{{ j }}{{ '' if loop.last else '-' }}{% endfor %}", "1a-2b"),
    ("{% macro m(x) %}<{{ x }}>{% endmacro %}{{ m(1) }}{% set y %}{{ m(2) }}{% endset %}{{ y }}", "<1><2>"),
    ("{{ ('ab ' * 3).split() | join('-') }} {{ 2 ** 10 }} {{ 1000000 * 1000000 }}", "ab-ab-ab 1024 1000000000000"),
    ("{{ things | join(', ') | truncate(11, true) }}", "thing 0,..."),
    ("{{ x | default('none') }} {{ [3, 1] | sort }} {{ {'a': 1}['a'] }} {{ [1, 2][:1] }}", "none [1, 3] 1 [1]"),
])  # fmt: skip
def test_what_prompts_need_is_there(template: str, text: str | None, tmp_path: Path) -> None:
    assert fill(tmp_path, template) == text or text is None


@pytest.mark.parametrize("template", ["{% include 'b.jinja' %}", None])
def test_a_link_out_of_the_folder_is_not_read(template: str | None, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hush")
    folder = tmp_path / "prompts"
    folder.mkdir()
    (folder / "b.jinja").symlink_to(tmp_path / "secret")
    (folder / "a.jinja").symlink_to("b.jinja")
    if template:
        (folder / "a.jinja").unlink()
        (folder / "a.jinja").write_text(template)
    with pytest.raises(InputError, match=r"prompts/[ab].jinja: a link that leads out of its folder, to .*/secret"):
        Templates([folder], {}, str).fill("a.jinja", {})
