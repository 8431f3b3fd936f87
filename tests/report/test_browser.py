"""The report in a real browser, with every name trying to be markup."""

from __future__ import annotations

import re
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest

QUIET = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
    "--disable-component-update", "--no-first-run", "--enable-logging=stderr", "--v=0",
]  # fmt: skip


WIDTHS = (500, 1200)
# How wide each page is, beside its window, and how many tables are wider than their place.
MEASURED = """<script>addEventListener("load", () => {
  for (const frame of document.querySelectorAll("iframe[src='/fits']")) {
    const page = frame.contentDocument, root = page.documentElement;
    const tables = [...page.querySelectorAll(".scroll")];
    const over = tables.filter(one => one.scrollWidth > one.clientWidth).length;
    const found = document.createElement("i");
    found.textContent = `${root.clientWidth} ${root.scrollWidth} ${over}`;
    document.body.append(found);
  }
})</script>"""


def _open(chromium, folder, **documents):
    """Serve documents, open the first, and return its elements, console and what was asked for."""
    asked = []

    class Server(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            document = documents.get(self.path.removeprefix("/"))
            self.send_response(200 if document else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write((document or "").encode())

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        done = subprocess.run(
            [
                chromium, *QUIET, f"--user-data-dir={folder}", "--virtual-time-budget=2000",
                "--dump-dom", f"http://127.0.0.1:{server.server_port}/{next(iter(documents))}",
            ],
            capture_output=True, text=True, timeout=300, check=True,
        )  # fmt: skip
    finally:
        server.shutdown()
        server.server_close()
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    # Browsers ask for an icon of their own accord.
    asked = [path for path in asked if path != "/favicon.ico"]
    return SimpleNamespace(dom=done.stdout, console=console, asked=asked)


@pytest.fixture(scope="module")
def opened(chromium, hostile_report, tmp_path_factory):
    return _open(chromium, tmp_path_factory.mktemp("profile"), report=hostile_report)


def test_it_opens_without_a_word_on_the_console_and_fetches_nothing(opened):
    assert opened.console == []
    assert opened.asked == ["/report"]


def test_its_sections_and_pictures_are_there(opened):
    sections = re.findall(r'<section id="([a-z]+)">', opened.dom)
    assert sections == [
        "summary", "performance", "classes", "columns", "comparison", "kernel", "geometry",
        "certificate", "data", "repeat",
    ]  # fmt: skip
    pictures = re.findall(r'<svg[^>]* id="picture-([a-z-]+)"', opened.dom)
    assert pictures == [
        "scores", "roc", "precision-recall", "calibration", "columns", "candidates",
        "kernel-weights", "gram", "spectrum", "embedding", "convergence",
    ]  # fmt: skip


def test_the_browser_sees_names_as_text(opened):
    assert re.search(r"<(script|img|b|iframe)\b", opened.dom) is None
    assert opened.dom.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 14


def test_these_tests_would_notice(chromium, hostile_report, tmp_path):
    """The same page with markup let in: the policy stops it, and says so on the console."""
    let_in = "<script>alert(1)</script><img src='/elsewhere.png'></main>"
    frames = "".join(f"<iframe src='/fits' width={n} height=99></iframe>" for n in WIDTHS)
    without_policy = hostile_report.replace("Content-Security-Policy", "nothing")
    seen = _open(
        chromium,
        tmp_path,
        both=f"<iframe src='/stopped'></iframe><iframe src='/fetched'></iframe>{frames}{MEASURED}",
        fits=hostile_report,
        stopped=hostile_report.replace("</main>", let_in),
        fetched=without_policy.replace("</main>", "<img src='/fetched.png'></main>"),
    )
    assert any("script" in line for line in seen.console)
    assert any("elsewhere.png" in line for line in seen.console)
    assert set(seen.asked) == {"/both", "/stopped", "/fetched", "/fetched.png", "/fits"}
    # The page is as wide as the window, and no wider; its tables scroll.
    widths = [[int(n) for n in each.split()] for each in re.findall(r"<i>([\d ]+)</i>", seen.dom)]
    assert [page == window for window, page, _ in widths] == [True] * len(WIDTHS)
    assert widths[0][2] > 0
