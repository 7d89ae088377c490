"""What makes a site of the repository's own pages: MkDocs calls these functions while it builds.

A page has its place in the repository as its address, so that links between pages hold in both. Links to source files
and folders lead to pages that are made here and show them. The reference is generated: a page for each command, and one
of all names in Python.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).parent))  # MkDocs loads only this file, which is in no package
from command_line import command_pages  # noqa: E402
from python_face import python_page  # noqa: E402
from result_keys import keys_page  # noqa: E402
from sources import source_page  # noqa: E402

REPOSITORY = Path(__file__).parents[1]
DOCS = REPOSITORY / "docs", REPOSITORY / "lab" / "docs"
LINK = re.compile(r"(?<=\]\()(?!\w+:)[^()\s#]+(?=[#)])")  # where a link leads, without its anchor
COMMANDS = "docs/commands"
NAMES = "docs/python-names.md"
KEYS = "docs/result-keys.md"
ADDRESSES = {"README.md": "index.html"}  # the site opens with what cplan is


def on_config(config: MkDocsConfig) -> None:
    """Puts the reference into the navigation, first below "Look up"."""
    (look_up,) = (entry["Look up"] for entry in config.nav or [] if "Look up" in entry)
    look_up.insert(0, {"The keys of a result": KEYS})
    look_up.insert(0, {"Python: all names": NAMES})
    look_up.insert(0, {"Command line": [f"{COMMANDS}/{name}.md" for name in command_pages()]})


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Adds the repository's pages and pictures, what they link to, and the reference."""
    docs = [file for folder in DOCS for file in folder.rglob("*.*")]
    examples = [path for folder in ("examples", "lab/examples") for path in (REPOSITORY / folder).glob("*.md")]
    listed = [*REPOSITORY.glob("*.md"), *docs, *examples]
    for path in sorted(listed):
        # What lies in a folder below docs/ belongs to a page that links to it.
        inclusion = InclusionLevel.NOT_IN_NAV if path.parent.parent in DOCS else InclusionLevel.UNDEFINED
        name = path.relative_to(REPOSITORY).as_posix()
        file = File.generated(config, name, abs_src_path=str(path), inclusion=inclusion)
        file.dest_uri = ADDRESSES.get(name, file.dest_uri)
        files.append(file)
    for file in files.documentation_pages():
        for source in sources_in(file.content_string, file.src_uri):
            if files.get_file_from_path(f"{source}.md") is None:
                page = source_page(REPOSITORY, source)
                files.append(File.generated(config, f"{source}.md", content=page, inclusion=InclusionLevel.NOT_IN_NAV))
    for name, text in command_pages().items():
        files.append(File.generated(config, f"{COMMANDS}/{name}.md", content=text))
    files.append(File.generated(config, NAMES, content=python_page()))
    files.append(File.generated(config, KEYS, content=keys_page()))


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Lets links to sources lead to the pages that show them."""
    sources = sources_in(markdown, page.file.src_uri)
    folder = dirname(page.file.src_uri)
    return LINK.sub(lambda link: f"{link[0]}.md" if normpath(join(folder, link[0])) in sources else link[0], markdown)


def on_page_content(html: str, **_: Any) -> str:
    """Let addresses in code break after a slash, so that tables of them fit."""
    return re.sub(r"(?<=<code>)[^<]*://[^<]*", lambda code: code[0].replace("/", "/<wbr>"), html)


def sources_in(markdown: str, page: str) -> set[str]:
    """Returns the files and folders of the repository that a page links to, and that are neither pages nor pictures."""
    targets = {normpath(join(dirname(page), link)) for link in LINK.findall(markdown)}
    found = {target for target in targets if (REPOSITORY / target).exists()}
    return {target for target in found if Path(target).suffix not in {".md", ".svg", ".png"}}


def on_post_build(config: MkDocsConfig) -> None:
    """Writes the search's index and its worker as scripts, too: a page opened as a file may read nothing else."""
    site = Path(config.site_dir)
    (worker,) = site.glob("assets/javascripts/workers/search.*.min.js")
    index = site / "search" / "search_index.json"
    index.with_suffix(".js").write_text(f"var __index = {index.read_text(encoding='utf-8')}", encoding="utf-8")
    program = json.dumps(worker.read_text(encoding="utf-8"))
    (site / "search" / "worker.js").write_text(f"var __worker = {program}", encoding="utf-8")
