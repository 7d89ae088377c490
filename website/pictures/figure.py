"""What the drawn figures of the pages share: a canvas in the colours that the reader's system prefers, boxes, text."""

from __future__ import annotations

from html import escape

from website.pictures.terminal import PICTURES

WIDTH, LEFT = 500, 16
STYLE = """\
text { font: 14px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #24292f }
text.title { font-weight: bold } text.soft { fill: #57606a } text.small { font-size: 12px } text.strong { fill: #fff }
.middle { text-anchor: middle } .end { text-anchor: end }
.paper { fill: #f6f8fa } .box { fill: #fff; stroke: #57606a } .line { fill: none; stroke: #57606a; stroke-width: 1.5 }
.tip { fill: #57606a } .blue { fill: #0550ae } .orange { fill: #e69f00 }
.true { fill: none; stroke: #c4320a; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } text.soft { fill: #9aa4ae } .paper { fill: #161b22 } .box { fill: #21262d; stroke: #9aa4ae }
.line { stroke: #9aa4ae } .tip { fill: #9aa4ae }
.blue { fill: #2f7fb0 } .orange { fill: #a87400 } .true { stroke: #ffa657 }
}"""
TIP = '<marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">'
DEFS = f'<defs>{TIP}<path class="tip" d="M0 0L10 5L0 10z"/></marker></defs>'


def write(name: str, height: int, parts: list[str]) -> None:
    """Write a figure of these parts to docs/pictures."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" viewBox="0 0 {WIDTH} {height}">'
    paper = f'<rect class="paper" width="{WIDTH}" height="{height}" rx="8"/>'
    lines = [head, f"<style>\n{STYLE}\n</style>", DEFS, paper, *parts, "</svg>\n"]
    (PICTURES / f"{name}.svg").write_text("\n".join(lines), encoding="utf-8")


def text(x: float, y: float, words: str, kind: str = "") -> str:
    """A line of text from a point on; with "middle" or "end" in ``kind``, around it or up to it."""
    return f'<text x="{x:g}" y="{y:g}"' + (f' class="{kind}"' if kind else "") + f">{escape(words)}</text>"


def box(x: float, y: float, width: float, height: float, kind: str = "box", opacity: float = 1) -> str:
    """A rectangle."""
    faint = f' fill-opacity="{opacity:.2f}"' if opacity < 1 else ""
    return f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="3"{faint}/>'


def arrow(path: str) -> str:
    """A line along an SVG path, with a tip at its end."""
    return f'<path class="line" marker-end="url(#tip)" d="{path}"/>'


def line(path: str) -> str:
    """A line along an SVG path."""
    return f'<path class="line" d="{path}"/>'
