"""A real Chromium without a window, for the tests of the page: Debian's packages chromium and chromium-driver."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from tests.data import REPOSITORY

CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
SCREENSHOTS = Path(os.environ.get("CPLAN_SCREENSHOTS") or REPOSITORY / "out" / "screenshots")
PATIENCE = 60  # seconds until a page that is not ready never will be: a busy machine takes some
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


class Browser:
    """Chromium with a page that is looked at."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, page: Path, stop: int = 0) -> None:
        """Open a page at a stop; what was logged before is forgotten. Gives up where it never says that it is
        ready."""
        self.errors(), self.requests()
        self.driver.get("about:blank")
        self.driver.get(f"{page.as_uri()}#{stop}")
        ready = "return document.documentElement.dataset.ready"
        WebDriverWait(self.driver, PATIENCE).until(lambda _: self.run(ready), str(self.errors()))

    def run(self, script: str, *arguments: object) -> Any:
        """What a script gives that runs in the page."""
        return self.driver.execute_script(script, *arguments)

    def press(self, *keys: str) -> None:
        """Press keys, one after the other, wherever the focus is."""
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)

    def text(self, selector: str) -> str:
        """What one reads in an element."""
        return str(self.driver.find_element(By.CSS_SELECTOR, selector).text)

    def texts(self, selector: str) -> list[str]:
        """What is in the elements of a kind."""
        script = "return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)"
        return [str(text) for text in self.run(script, selector)]

    def click(self, selector: str) -> None:
        self.driver.find_element(By.CSS_SELECTOR, selector).click()

    def errors(self) -> list[dict[str, Any]]:
        """What the console has shown since it was asked last."""
        return list(self.driver.get_log("browser"))

    def requests(self) -> list[str]:
        """The addresses that were asked for since then."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        sent = [m["params"] for m in messages if m["method"] == "Network.requestWillBeSent"]
        return [request["request"]["url"] for request in sent]

    def look(self, width: int, height: int = 900, *, dark: bool = False, media: str = "screen") -> None:
        """Show the page in a window of that size."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": [scheme]})

    def screenshot(self, name: str) -> Path:
        """Keep what is in the window."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        path = SCREENSHOTS / f"{name}.png"
        assert self.driver.save_screenshot(str(path))
        return path


@contextmanager
def chromium() -> Iterator[Browser]:
    """Chromium with an empty profile, ended when it is left."""
    options = Options()
    options.binary_location = str(CHROMIUM)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    with TemporaryDirectory() as profile:
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        driver = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
        try:
            yield Browser(driver)
        finally:
            driver.quit()
