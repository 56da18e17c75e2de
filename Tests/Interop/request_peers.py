"""`latchkey request` against peers that nobody here wrote: nginx asks for the client certificate, http-message-signatures verifies the
signature with the certificate's key, and openssl s_server speaks TLS.

    python request_peers.py --latchkey PROGRAM --folder FOLDER --service URL --ca FILE --user NAME --password-file FILE [--megabytes 1024]

Prints a line for each check, and ends with 1 at the first that fails.
"""

import argparse
import base64
import hashlib
import http.server
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import threading
import time
import urllib.parse

from cryptography import x509
from http_message_signatures import HTTPMessageVerifier, HTTPSignatureKeyResolver, algorithms

COVERED = ("@method", "@target-uri")


class Keys(HTTPSignatureKeyResolver):
    """The key is that of the certificate that nginx saw."""

    def __init__(self, certificate: x509.Certificate) -> None:
        self.certificate = certificate

    def resolve_public_key(self, key_id: str):
        name = self.certificate.subject.get_attributes_for_oid(x509.NameOID.COMMON_NAME)[0].value
        if key_id != name:
            raise ValueError(f"keyid {key_id} is not the certificate's {name}")
        return self.certificate.public_key()


class Message:
    """A request as http-message-signatures reads it."""

    def __init__(self, method: str, url: str, headers) -> None:
        self.method, self.url, self.headers = method, url, headers


class Service(http.server.BaseHTTPRequestHandler):
    """The service behind nginx: verifies, and answers with what it found."""

    protocol_version = "HTTP/1.1"
    port = 0

    def log_message(self, *_) -> None:
        pass

    def serve(self) -> None:
        digest, left = hashlib.sha256(), int(self.headers.get("content-length", 0))
        size = left
        while left:
            piece = self.rfile.read(min(left, 1 << 16))
            digest.update(piece)
            left -= len(piece)
        answer = "unsigned"
        if self.headers.get("signature"):
            certificate = x509.load_pem_x509_certificate(urllib.parse.unquote(self.headers["x-certificate"]).encode())
            message = Message(self.command, f"https://localhost:{self.port}{self.path}", self.headers)
            verifier = HTTPMessageVerifier(
                signature_algorithm=algorithms.ECDSA_P256_SHA256, key_resolver=Keys(certificate))
            [result] = verifier.verify(message)
            covered = {name.strip('"') for name in result.covered_components}
            assert covered.issuperset(COVERED), covered
            if size:
                expected = f"sha-256=:{base64.b64encode(digest.digest()).decode()}:"
                assert self.headers["content-digest"] == expected and "content-digest" in covered
            assert "idempotency-key" not in self.headers or "idempotency-key" in covered
            answer = "verified"
        if self.path.startswith("/move"):
            self.send_response(302)
            self.send_header("location", "https://localhost:1/elsewhere")
            self.send_header("content-length", "0")
            return self.end_headers()
        if self.path.startswith("/large/"):
            count = int(self.path.split("/")[2])
            self.send_response(200)
            self.send_header("content-length", str(count))
            self.end_headers()
            while count:
                count -= self.wfile.write(b"x" * min(count, 1 << 16))
            return None
        body = f"{answer} {self.command} {size} {self.headers.get('authorization', '')}\n".encode()
        self.send_response(418 if self.path.startswith("/teapot") else 200)
        self.send_header("content-type", "text/plain")
        self.send_header("content-length", str(0 if self.command == "HEAD" else len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        return None

    def __getattr__(self, name: str):
        if name.startswith("do_"):
            return self.serve
        raise AttributeError(name)


NGINX = """
daemon off; master_process off; user root; pid {folder}/nginx.pid; error_log {folder}/nginx.log; worker_processes 1;
events {{ worker_connections 64; }}
http {{
  access_log off; client_max_body_size 0; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/a; uwsgi_temp_path {folder}/b; scgi_temp_path {folder}/c;
  server {{
    listen 127.0.0.1:{port} ssl http2; server_name localhost;
    ssl_certificate {folder}/web.pem; ssl_certificate_key {folder}/web-key.pem;
    ssl_client_certificate {ca}; ssl_verify_client on; ssl_verify_depth 3;
    location / {{
      proxy_pass http://127.0.0.1:{back}; proxy_http_version 1.1; proxy_request_buffering off; proxy_buffering off;
      proxy_set_header Host $http_host; proxy_set_header X-Certificate $ssl_client_escaped_cert;
    }}
  }}
}}
"""


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for(port: int) -> None:
    for _ in range(200):
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise SystemExit(f"nothing listens on {port}")


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("latchkey", "folder", "service", "ca", "user", "password-file"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--megabytes", type=int, default=8)
    given = parser.parse_args()
    folder = pathlib.Path(given.folder)
    environment = os.environ | {
        "LATCHKEY_KEYCHAIN": str(folder / "request.db"), "LATCHKEY_ENCLAVE": "software"}

    def latchkey(*arguments: str, status: int = 0, input: bytes | None = None, peak: list | None = None) -> tuple[str, str]:
        run = subprocess.Popen(
            [given.latchkey, *arguments], env=environment, stdin=subprocess.PIPE if input is not None else subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if peak is not None:
            def watch() -> None:
                while run.poll() is None:
                    try:
                        lines = pathlib.Path(f"/proc/{run.pid}/status").read_text().splitlines()
                        peak.append(int(next(line.split()[1] for line in lines if line.startswith("VmHWM"))))
                    except (OSError, StopIteration):
                        return
                    time.sleep(0.02)
            threading.Thread(target=watch, daemon=True).start()
        out, err = run.communicate(input)
        assert run.returncode == status, (arguments, run.returncode, out[-400:], err[-400:])
        return out.decode(), err.decode()

    def passed(name: str) -> None:
        print(f"passed {name}", flush=True)

    latchkey("enroll", given.service, "--user", given.user, "--password", f"@{given.password_file}", "--ca", given.ca)
    for name in ("web", "other"):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", folder / f"{name}-key.pem",
             "-out", folder / f"{name}.pem"], check=True, capture_output=True)
    back = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=back.serve_forever, daemon=True).start()
    port = free_port()
    Service.port = port
    (folder / "nginx.conf").write_text(
        NGINX.format(folder=folder, port=port, back=back.server_address[1], ca=given.ca))
    nginx = subprocess.Popen(
        [shutil.which("nginx") or "/usr/sbin/nginx", "-e", folder / "nginx.log", "-c", folder / "nginx.conf", "-p", folder])
    peer = None
    try:
        wait_for(port)
        url, web = f"https://localhost:{port}", str(folder / "web.pem")

        assert latchkey("request", f"{url}/a?b=%20c", "--cacert", web)[0] == "verified GET 0 \n"
        passed("nginx takes the certificate, and http-message-signatures verifies")
        (folder / "order.json").write_text('{"item": 1}\n')
        out, _ = latchkey(
            "request", "PUT", f"{url}/orders", "-d", f"@{folder}/order.json", "-H", "Content-Type: application/json",
            "--idempotency-key", "order-1", "--cacert", web)
        assert out == "verified PUT 12 \n", out
        out, _ = latchkey("request", f"{url}/piped", "-d", "@-", "--cacert", web, input=b"y" * 200_000)
        assert out == "verified POST 200000 \n", out
        passed("contents of files and pipes are covered")
        assert latchkey("request", f"{url}/a", "--no-sign", "--cacert", web)[0] == "unsigned GET 0 \n"
        out, _ = latchkey("request", f"{url}/a", "--no-client-certificate", "--cacert", web)
        assert "400" in out, out
        latchkey("request", f"{url}/a", "--no-client-certificate", "--cacert", web, "-f", status=22)
        passed("without the certificate nginx refuses")
        latchkey("request", f"{url}/a", status=77)
        latchkey("request", f"{url}/a", "--cacert", str(folder / "other.pem"), status=77)
        passed("a service that nobody vouches for gets nothing")
        out, _ = latchkey("request", f"{url}/move", "-i", "--cacert", web)
        assert " 302" in out.splitlines()[0] and "elsewhere" in out, out
        passed("a redirection is shown and not followed")
        assert latchkey("request", f"{url}/teapot", "-f", "--cacert", web, status=22)[0] == ""
        assert latchkey("request", f"{url}/teapot", "-sf", "--cacert", web, status=22) == ("", "")
        assert latchkey("request", f"{url}/a", "-w", "%{http_code}\\n", "--cacert", web)[0] == "verified GET 0 \n200\n"
        out, _ = latchkey("request", "-I", f"{url}/a", "--cacert", web)
        assert " 200" in out.splitlines()[0] and "verified" not in out, out
        passed("-f, -s, -w and -I are curl's")
        (folder / "token").write_text("Authorization: Bearer hidden-token\n")
        out, err = latchkey("request", f"{url}/a?key=hidden-query", "-v", "-H", f"@{folder}/token", "--cacert", web)
        assert "hidden-token" in out and "hidden" not in err and "> GET /a?" in err and "< HTTP/" in err, (out, err)
        passed("-v leaves secrets out")
        latchkey("request", "https://localhost:1/", "--cacert", web, status=69)
        silent = socket.create_server(("127.0.0.1", 0))
        latchkey("request", f"https://localhost:{silent.getsockname()[1]}/", "-m", "1", "--cacert", web, status=75)
        passed("no service and no answer have statuses of their own")

        count = given.megabytes << 20
        peak: list[int] = []
        with open(folder / "large", "wb") as file:
            file.truncate(count)
        begun = time.monotonic()
        out, _ = latchkey("request", f"{url}/up", "-d", f"@{folder}/large", "--cacert", web, peak=peak)
        assert out == f"verified POST {count} \n", out
        up, up_peak = time.monotonic() - begun, max(peak, default=0)
        peak.clear()
        begun = time.monotonic()
        latchkey("request", f"{url}/large/{count}", "-o", str(folder / "down"), "--cacert", web, peak=peak)
        assert (folder / "down").stat().st_size == count and not list(folder.glob("down.*"))
        print(f"{given.megabytes} MB: up {up:.1f} s, {up_peak >> 10} MB held; "
              f"down {time.monotonic() - begun:.1f} s, {max(peak, default=0) >> 10} MB held")
        assert max([up_peak, *peak]) < 300 << 10, "the memory is not bounded"
        passed("large contents go both ways in bounded memory")

        tls = free_port()
        peer = subprocess.Popen(
            ["openssl", "s_server", "-accept", str(tls), "-cert", folder / "web.pem", "-key", folder / "web-key.pem", "-Verify", "2",
             "-verify_return_error", "-CAfile", given.ca, "-www", "-quiet"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(tls)
        out, _ = latchkey("request", f"https://localhost:{tls}/", "--cacert", web)
        assert "Client certificate" in out, out
        passed("openssl s_server sees the certificate")
    finally:
        for process in (nginx, peer):
            if process is not None:
                process.send_signal(signal.SIGTERM)
                process.wait()


if __name__ == "__main__":
    main()
