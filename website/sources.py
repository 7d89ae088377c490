"""Source files, folders and notebooks as pages."""

from __future__ import annotations

import json
from pathlib import Path

LANGUAGES = {
    ".py": "python", ".sh": "sh", ".toml": "toml", ".pddl": "lisp", ".cfg": "ini", ".json": "json", ".jinja": "jinja",
    ".txt": "text",
}  # fmt: skip


def source_page(repository: Path, name: str) -> str:
    """Returns a page that shows a file, or all files of a folder; ``name`` is its path from the repository's root."""
    path = repository / name
    if path.suffix == ".ipynb":
        return _notebook(path)
    files = sorted(file for file in path.rglob("*") if file.suffix in LANGUAGES) if path.is_dir() else [path]
    parts = [f"# `{name}`"]
    for file in files:
        if path.is_dir():
            parts.append(f"## `{file.relative_to(path).as_posix()}`")
        parts.append(_block(LANGUAGES.get(file.suffix, "text"), file.read_text(encoding="utf-8")))
    return "\n\n".join(parts) + "\n"


def _block(language: str, text: str) -> str:
    fence = "`" * 4
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def _notebook(path: Path) -> str:
    """Returns the cells of a notebook and what they put out."""
    parts: list[str] = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"])
        parts.append(text if cell["cell_type"] == "markdown" else _block("python", text))
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            if "image/png" in data:
                picture = "".join(data["image/png"].split())
                parts.append(f"![what the cell above draws](data:image/png;base64,{picture})")
            else:
                parts.append(_block("text", "".join(output.get("text") or data.get("text/plain", ""))))
    return "\n\n".join(parts) + "\n"
