"""The pictures of the page of ``cplan view`` in README.md, for wide and for narrow windows, light and dark.

python -m website.pictures.page   # write docs/pictures/page*.png; needs Chromium, as make test-browser does
"""

from __future__ import annotations

import base64
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

from tests.view.browser import Browser, chromium
from website.pictures.terminal import PICTURES, TASK

STEP = 7
"""The walk to the fridge, where the chicken probably is."""
CHOICES = 4
"""How many choices of the search are shown."""
SIZES = {"page": (1180, "#controls", "#search"), "page-narrow": (420, "#map", "#belief")}
"""File → width of the window, and the first and the last part of the page that the picture shows."""
MARGIN = 12
FIND = """
document.querySelector("#steps").hidden = true;
const [choices, ...parts] = arguments;
for (const row of [...document.querySelectorAll("#search tbody tr")].slice(choices)) row.hidden = true;
const [first, last] = parts.map(part => document.querySelector(part).getBoundingClientRect());
return [first.top, last.bottom];
"""


def main() -> None:
    """Write the four pictures."""
    with TemporaryDirectory() as folder, chromium() as browser:
        page = made(Path(folder))
        for name, (width, first, last) in SIZES.items():
            for ending, dark in (("", False), ("-dark", True)):
                browser.look(width, 5000, dark=dark)  # nothing scrolls
                browser.open(page, STEP)
                save(browser, PICTURES / f"{name}{ending}.png", width, *browser.run(FIND, CHOICES, first, last))


def made(folder: Path) -> Path:
    """The page of the run, in that folder."""
    program = str(Path(sys.executable).with_name("cplan"))
    trace, page = folder / "trace.jsonl", folder / "page.html"
    for command in (["solve", TASK, "--trace", str(trace), "--trace-search"], ["view", str(trace), "-o", str(page)]):
        subprocess.run([program, *command], stdout=subprocess.DEVNULL, check=True)
    return page


def save(browser: Browser, path: Path, width: int, top: float, bottom: float) -> None:
    """What the page shows between two heights, at one and a half times its size, in 256 colours."""
    clip = {"x": 0, "y": top - MARGIN, "width": width, "height": bottom - top + 2 * MARGIN, "scale": 1.5}
    shot = browser.driver.execute_cdp_cmd("Page.captureScreenshot", {"clip": clip})
    picture = Image.open(BytesIO(base64.b64decode(shot["data"]))).convert("RGB")
    picture.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    main()
