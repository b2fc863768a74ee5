"""Debian's Chromium without a window, driven over its debugging pipe: a page at a width, in light or dark."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

CHROMIUM = shutil.which("chromium")
MISSING = "skipped for want of chromium (Debian: apt-get install chromium)"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"]
FLAGS += ["--remote-debugging-pipe", "--disable-dev-shm-usage", "--disable-background-networking"]
PHONE = 700  # px: what is narrower is shown as a phone shows it
TALLEST = 8000  # px of a picture
EVENTS = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")


class Browser:
    """A context: it ends with the browser's process."""

    def __enter__(self):
        self.profile, self.said, self.last = tempfile.mkdtemp(prefix="ndt_report_chromium"), b"", 0
        self.events = []  # messages and exceptions of the page that is open
        (to_read, to_write), (from_read, from_write) = os.pipe(), os.pipe()

        def as_three_and_four():  # what --remote-debugging-pipe reads and writes
            kept = os.dup(to_read), os.dup(from_write)
            os.dup2(kept[0], 3), os.dup2(kept[1], 4)

        self.process = subprocess.Popen(
            [CHROMIUM, *FLAGS, f"--user-data-dir={self.profile}", "about:blank"],
            preexec_fn=as_three_and_four,
            close_fds=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read), os.close(from_write)
        self.to, self.answers = to_write, from_read
        target = self.ask("Target.createTarget", url="about:blank", session=None)["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True, session=None)["sessionId"]
        self.ask("Runtime.enable"), self.ask("Log.enable")
        return self

    def __exit__(self, *_):
        os.close(self.to), os.close(self.answers)
        self.process.terminate()
        self.process.wait(timeout=20)
        shutil.rmtree(self.profile, ignore_errors=True)

    def ask(self, method, session=True, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("method") in EVENTS:
                self.events.append(answer)
            if answer.get("id") == self.last:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]

    def _next(self):
        while b"\0" not in self.said:
            read = os.read(self.answers, 1 << 20)
            assert read, "chromium has ended"
            self.said += read
        first, _, self.said = self.said.partition(b"\0")
        return json.loads(first)

    def open(self, page: Path, width: int, height: int = 900, dark: bool = False, query: str = ""):
        self.events.clear()
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < PHONE}
        self.ask("Emulation.setDeviceMetricsOverride", **size)
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.ask("Emulation.setEmulatedMedia", features=scheme)
        self.ask("Page.navigate", url=page.resolve().as_uri() + query)
        loaded = "new Promise(done => document.readyState === 'complete' ? done() : addEventListener('load', done))"
        while self.value("location.href") == "about:blank":
            pass
        self.value(loaded)

    def value(self, expression: str):
        found = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def complaints(self) -> list:
        """Returns what a reader would see in the console, without advice on speed."""
        return [event["params"] for event in self.events if event["params"].get("entry", {}).get("source") != "rendering"]

    def pictures(self) -> list:
        """PNGs of all of the page, from top to bottom."""
        size, out = self.ask("Page.getLayoutMetrics")["cssContentSize"], []
        for top in range(0, int(size["height"]), TALLEST):
            clip = {"x": 0, "y": top, "width": size["width"], "height": min(size["height"] - top, TALLEST)}
            more = {"captureBeyondViewport": True, "clip": clip | {"scale": 1}}
            data = self.ask("Page.captureScreenshot", format="png", **more)["data"]
            out.append(base64.b64decode(data))
        return out
