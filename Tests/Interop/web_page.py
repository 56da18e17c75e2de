"""Serves Web/provision and its tests on the loopback interface, runs them in headless Chromium, and prints what they report.

    web_page.py CHROMIUM

`POST /device` has lines of secure_peer.py's device, and the first one may be `new` with JSON options; the answer has its lines.
"""
import functools
import http.server
import json
import pathlib
import subprocess
import sys
import tempfile
import threading

from secure_protocol.device import Device
from secure_protocol.framing import Info
from secure_protocol.handshake import prs

HERE = pathlib.Path(__file__).resolve().parent
ROOTS = {"provision": HERE.parents[1] / "Web/provision", "test": HERE / "web_tests",
         "fixtures": HERE.parent / "LatchkeyProvisioningProtocolTests/Fixtures"}
TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".json": "application/json"}
# Seconds. The tests need a few.
LIMIT = 90


class Devices:
    """The devices of the tests, by number."""

    def __init__(self):
        self.devices, self.lines, self.lock = {}, [], threading.Lock()

    def handle(self, text):
        with self.lock:
            self.lines = []
            for line in text.splitlines():
                self._line(line)
            return "\n".join(self.lines)

    def _line(self, line):
        number, word, rest = (line + "  ").split(" ", 2)
        rest = rest.strip()
        if word == "new":
            options = json.loads(rest)
            info = Info.make(bytes.fromhex(options["id"]), options["suites"], max_msg=options.get("greatest", 2048))
            code = prs(options.get("digits"), bytes.fromhex(options["secret"]) if "secret" in options else None)
            self.devices[number] = Device(info, code, lambda _, said: self.lines.append(said), limit=options.get("limit", 182))
            self.lines.append("info " + info.bytes.hex())
        elif word == "w":
            self.devices[number].write(0, bytes.fromhex(rest))
        elif word == "disconnect":
            self.devices[number].disconnected(0)
        elif word == "time":
            self.devices[number].pass_time(float(rest))
        elif word == "pairing":
            self.devices[number].is_pairing = rest == "1"


class Handler(http.server.BaseHTTPRequestHandler):
    def __init__(self, devices, finished, *arguments):
        self.devices, self.finished = devices, finished
        super().__init__(*arguments)

    def do_GET(self):
        folder, _, name = self.path.split("?")[0].lstrip("/").partition("/")
        path = ROOTS.get(folder, HERE) / name
        if folder not in ROOTS or "/" in name or path.suffix not in TYPES or not path.is_file():
            return self._answer(404, b"", "text/plain")
        self._answer(200, path.read_bytes(), TYPES[path.suffix])

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        if self.path == "/device":
            self._answer(200, self.devices.handle(body).encode(), "text/plain")
        elif self.path == "/result":
            self._answer(200, b"", "text/plain")
            self.finished(json.loads(body))
        else:
            self._answer(404, b"", "text/plain")

    def _answer(self, status, body, kind):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def main():
    results, done = [], threading.Event()

    def finished(result):
        results.extend(result)
        done.set()

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, Devices(), finished))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/test/tests.html"
    with tempfile.TemporaryDirectory() as profile, open(f"{profile}/log", "w") as log:
        # The sandbox needs namespaces that a container may lack; the page is ours alone.
        browser = subprocess.Popen(
            [sys.argv[1], "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--enable-logging=stderr", f"--user-data-dir={profile}/profile", "--remote-debugging-port=0", address],
            stdout=log, stderr=log)
        try:
            done.wait(LIMIT)
        finally:
            browser.terminate()
            try:
                browser.wait(10)
            except subprocess.TimeoutExpired:
                browser.kill()
                browser.wait()
        said = pathlib.Path(f"{profile}/log").read_text(errors="replace").splitlines()[-20:]
    for result in results:
        print(f"{'ok     ' if result['passed'] else 'failed '} web: {result['title']}{result['words']}")
    failures = sum(not result["passed"] for result in results)
    if not results:
        print("failed  web: the tests did not report", *said, sep="\n")
    print(f"web: {len(results)} tests, {failures} failed")
    return 1 if failures or not results else 0


if __name__ == "__main__":
    sys.exit(main())
