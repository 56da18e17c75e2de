"""The checks of EST and OCSP: curl and OpenSSL, by hand as RFC 7030 and RFC 6960 say, against `latchkey-server serve`."""

import asyncio
import base64
import json
import pathlib
import subprocess

import latchkey_cli as cli
from checks import check
from harness import Scene, require

PKCS10 = ["-H", "content-type: application/pkcs10"]


class Tools:
    """curl and openssl in a folder, with the server's authority as the only one that is believed."""

    def __init__(self, folder: pathlib.Path, listening: dict, demo: dict) -> None:
        self.folder, self.url, self.public = folder, listening["url"], listening["public"]
        self.ca = listening["ca"]
        self.login = f"{demo['user']}:{pathlib.Path(demo['passwordFile']).read_text().strip()}"

    def run(self, *command: str, text: str | bytes = b"") -> str:
        data = text.encode() if isinstance(text, str) else text
        done = subprocess.run(command, cwd=self.folder, input=data, capture_output=True, timeout=60, check=False)
        return (done.stdout + done.stderr).decode(errors="replace")

    def openssl(self, *words: str, text: str | bytes = b"") -> str:
        return self.run("openssl", *words, text=text)

    def est(self, operation: str, *words: str) -> tuple[int, bytes, str]:
        """Status, body and content type of a request."""
        answer = self.run(
            "curl", "-sS", "--cacert", self.ca, "-o", "answer", "-w", "%{http_code} %{content_type}", *words,
            f"{self.url}/.well-known/est/{operation}",
        )
        status, _, kind = answer.partition(" ")
        require(status.isdigit(), f"curl: {answer}")
        return int(status), (self.folder / "answer").read_bytes(), kind

    def key(self, name: str) -> None:
        self.openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", f"{name}.key")

    def request(self, name: str, key: str, *words: str) -> list[str]:
        """The words of curl that send a signing request in base64 with line breaks."""
        self.openssl("req", "-new", "-key", f"{key}.key", *words, "-outform", "DER", "-out", f"{name}.csr")
        (self.folder / f"{name}.b64").write_bytes(base64.encodebytes((self.folder / f"{name}.csr").read_bytes()))
        return [*PKCS10, "--data-binary", f"@{name}.b64"]

    def certificate(self, body: bytes, name: str) -> str:
        """The one certificate of a response, as OpenSSL reads it."""
        read = self.openssl("pkcs7", "-inform", "DER", "-print_certs", "-out", f"{name}.pem", text=base64.b64decode(body))
        pem = (self.folder / f"{name}.pem").read_text()
        require(pem.count("BEGIN CERTIFICATE") == 1, f"not one certificate: {read} {pem}")
        verified = self.openssl("verify", "-CAfile", self.ca, f"{name}.pem")
        require(verified.strip() == f"{name}.pem: OK", verified)
        return pem

    def field(self, name: str, *words: str) -> str:
        return self.openssl("x509", "-in", f"{name}.pem", "-noout", *words).strip()


def enroll(tools: Tools) -> None:
    status, body, _ = tools.est("cacerts")
    authorities = tools.openssl("pkcs7", "-inform", "DER", "-print_certs", text=base64.b64decode(body))
    require(status == 200 and authorities.count("BEGIN CERTIFICATE") == 1, f"{status}: {authorities}")
    status, body, kind = tools.est("csrattrs")
    attributes = tools.openssl("asn1parse", "-inform", "DER", text=base64.b64decode(body))
    require(status == 200 and kind == "application/csrattrs", f"{status} {kind}")
    require(":ecdsa-with-SHA256" in attributes and ":prime256v1" in attributes, attributes)

    tools.key("pump")
    first = tools.request("first", "pump", "-subj", "/CN=Pump 7")
    refused = [
        ("no login", 401, first), ("a wrong password", 401, ["-u", tools.login + "x", *first]),
        ("no PKCS #10", 422, ["-u", tools.login, *PKCS10, "--data-binary", "AAAA"]),
        ("no base64", 422, ["-u", tools.login, *PKCS10, "--data-binary", "?"]),
        ("another type", 415, ["-u", tools.login, "-H", "content-type: text/plain", "--data-binary", "@first.b64"]),
    ]
    for what, expected, words in refused:
        require(tools.est("simpleenroll", *words)[0] == expected, f"{what} is not refused with {expected}")
    status, body, kind = tools.est("simpleenroll", "-u", tools.login, *first)
    require(status == 200, f"{status} {body!r}")
    require(kind.replace(" ", "") == "application/pkcs7-mime;smime-type=certs-only", kind)
    pem = tools.certificate(body, "pump")
    tools.certificate(tools.est("simpleenroll", "-u", tools.login, *first)[1], "again")
    require((tools.folder / "again.pem").read_text() == pem, "a repeated request got another certificate")

    shown = ["--cert", "pump.pem", "--key", "pump.key"]
    subject = tools.field("pump", "-subject", "-nameopt", "compat").removeprefix("subject=").strip()
    name = tools.field("pump", "-ext", "subjectAltName").splitlines()[-1].strip()
    same = tools.request("same", "pump", "-subj", subject, "-addext", f"subjectAltName={name}")
    require(tools.est("simplereenroll", *same)[0] == 401, "a renewal without a certificate is not refused")
    others = [
        tools.request("unlike", "pump", "-subj", "/CN=other", "-addext", f"subjectAltName={name}"),
        tools.request("unnamed", "pump", "-subj", subject),
        tools.request("more", "pump", "-subj", subject, "-addext", f"subjectAltName={name},DNS:example.org"),
    ]
    for words in others:
        require(tools.est("simplereenroll", *shown, *words)[0] == 422, f"{words} is not refused")
    status, body, _ = tools.est("simplereenroll", *shown, *same)
    require(status == 200, f"{status} {body!r}")
    require(tools.certificate(body, "renewed") != pem, "a renewal gave the same certificate")
    tools.key("next")
    changed = tools.request("changed", "next", "-subj", subject, "-addext", f"subjectAltName={name}")
    status, body, _ = tools.est("simplereenroll", *shown, *changed)
    require(status == 200, f"{status} {body!r}")
    tools.certificate(body, "next")
    require(tools.est("simplereenroll", *shown, *changed)[0] == 403, "the old key is not refused after a change")


def label(tools: Tools, operate) -> None:
    """Profiles by their labels, tokens as passwords, and devices that wait."""
    made = [
        operate("profile", "add", "sensor", "--alternative-name", "dns:sensors.example.org", "--certificate-lifetime", "2h"),
        operate("profile", "add", "watched", "--approval", "operator", "--way", "password", "--way", "token"),
    ]
    require(all("Defined" in text for text in made), f"{made}")
    user = tools.login.split(":")[0]

    def token(*words: str) -> str:
        operate("token", "create", "--user", user, "--output", str(tools.folder / "token"), *words)
        text = (tools.folder / "token").read_text().strip()
        (tools.folder / "token").unlink()
        return text

    for operation in ("cacerts", "csrattrs", "simpleenroll", "simplereenroll"):
        words = ["-d", ""] if "enroll" in operation else []
        shown = ["--cert", "next.pem", "--key", "next.key"] if operation == "simplereenroll" else []
        status, body, kind = tools.est(f"nothing/{operation}", *words, *shown)
        require(status == 404 and b"label" in body, f"{operation} of an unknown label: {status} {body!r}")
    status, body, _ = tools.est("sensor/csrattrs")
    attributes = tools.openssl("asn1parse", "-inform", "DER", text=base64.b64decode(body))
    require(status == 200 and ":Extension Request" in attributes, attributes)
    require(b"sensors.example.org" in base64.b64decode(body), attributes)
    require(tools.est("sensor/cacerts")[1] == tools.est("cacerts")[1], "the authorities differ by label")

    tools.key("sensor")
    first = tools.request("sensor", "sensor", "-subj", "/CN=Sensor 1")
    require(tools.est("sensor/simpleenroll", "-u", tools.login, *first)[0] == 403, "a password reaches a profile of tokens")
    text = token("--profile", "sensor")
    for who, where, expected in ((f"{user}:{text}x", "sensor", 401), (f"other:{text}", "sensor", 401), (f"{user}:{text}", "default", 403)):
        require(tools.est(f"{where}/simpleenroll", "-u", who, *first)[0] == expected, f"{who} at {where} is not refused with {expected}")
    status, body, _ = tools.est("sensor/simpleenroll", "-u", f"{user}:{text}", *first)
    require(status == 200, f"{status} {body!r}")
    pem = tools.certificate(body, "sensor")
    require("sensors.example.org" in tools.field("sensor", "-ext", "subjectAltName"), "the profile's name is missing")
    require("will expire" in tools.field("sensor", "-checkend", "7300"), "the lifetime is not the profile's")
    tools.certificate(tools.est("sensor/simpleenroll", "-u", f"{user}:{text}", *first)[1], "again")
    require((tools.folder / "again.pem").read_text() == pem, "a repeated request got another certificate")
    tools.key("second")
    second = tools.request("second", "second", "-subj", "/CN=Sensor 2")
    require(tools.est("sensor/simpleenroll", "-u", f"{user}:{text}", *second)[0] == 401, "a token is used twice")

    for who, decision, expected in ((token("--profile", "watched"), "approve", 200), (tools.login.split(":")[1], "reject", 403)):
        tools.key(decision)
        waits = tools.request(decision, decision, "-subj", f"/CN={decision}")
        for _ in range(2):
            status, body, kind = tools.est("watched/simpleenroll", "-u", f"{user}:{who}", "-D", "fields", *waits)
            fields = (tools.folder / "fields").read_text().lower()
            require(status == 202 and "retry-after: 60" in fields and kind.startswith("text/plain"), f"{status} {fields}")
        pending = [json.loads(line) for line in operate("device", "pending", "--json").splitlines() if "{" in line]
        device = next(line["device"] for line in pending if line.get("name") == decision)
        operate("device", decision, device)
        status, body, _ = tools.est("watched/simpleenroll", "-u", f"{user}:{who}", *waits)
        require(status == expected, f"{decision}: {status} {body!r}")


def status(tools: Tools) -> None:
    """Of the certificates of `enroll`: `next` counts, `pump` and `renewed` were superseded."""

    def ocsp(*words: str, issuer: str = tools.ca) -> str:
        return tools.openssl(
            "ocsp", "-issuer", issuer, "-CAfile", issuer, "-url", f"{tools.public}/v1/ocsp", *words)

    good = ocsp("-cert", "next.pem", "-nonce")
    require("Response verify OK" in good and "next.pem: good" in good and "WARNING" not in good, good)
    both = ocsp("-sha256", "-cert", "next.pem", "-cert", "pump.pem", "-serial", "0x77", "-no_nonce")
    for line in ["Response verify OK", "next.pem: good", "pump.pem: revoked", "Reason: superseded", "0x77: unknown"]:
        require(line in both, f"{line} is missing in {both}")
    tools.key("other")
    tools.openssl("req", "-x509", "-new", "-key", "other.key", "-subj", "/CN=other", "-out", "other.pem")
    wrong = ocsp("-serial", "1", issuer="other.pem")
    require("unauthorized (6)" in wrong, wrong)

    tools.openssl("ocsp", "-issuer", tools.ca, "-cert", "next.pem", "-no_nonce", "-reqout", "request.der")
    path = base64.b64encode((tools.folder / "request.der").read_bytes()).decode()
    fetched = tools.run("curl", "-sS", "-D", "fields", "-o", "response.der", f"{tools.public}/v1/ocsp/{path}")
    read = tools.openssl(
        "ocsp", "-issuer", tools.ca, "-CAfile", tools.ca, "-cert", "next.pem", "-respin", "response.der", "-no_nonce")
    require("next.pem: good" in read, fetched + read)
    fields = (tools.folder / "fields").read_text().lower()
    require("max-age=" in fields and "etag:" in fields and "last-modified:" in fields, fields)
    none = tools.run("curl", "-sS", f"{tools.public}/v1/login", "-o", "answer", "-w", "%{http_code}")
    require(none == "404", f"the public listener serves more than it should: {none}")

    text = tools.field("next", "-text")
    urls = [word.removeprefix("URI:") for word in text.split() if word.startswith("URI:http")]
    require(len(urls) == 3, f"the certificate names {urls}")
    issuer = next(url for url in urls if "/v1/ca/" in url)
    tools.run("curl", "-sS", "-o", "issuer.der", issuer)
    tools.openssl("x509", "-inform", "DER", "-in", "issuer.der", "-out", "issuer.pem")
    tools.run("curl", "-sS", "-o", "list.der", next(url for url in urls if "/v1/crl/" in url))
    tools.openssl("crl", "-inform", "DER", "-in", "list.der", "-out", "list.pem")
    verify = ["verify", "-CAfile", "issuer.pem", "-CRLfile", "list.pem", "-crl_check"]
    require(tools.openssl(*verify, "next.pem").strip() == "next.pem: OK", "the list revokes what counts")
    require("certificate revoked" in tools.openssl(*verify, "pump.pem"), "the list lacks what was revoked")


@check(quick=(None,), all=(None,))
async def est(scene: Scene) -> None:
    """It enrolls and re-enrolls by EST, by labels and tokens too, and says by OCSP and revocation lists what counts, to curl and OpenSSL."""
    program = scene.latchkey.with_name("latchkey-server")
    require(program.exists(), f"there is no {program}: build it with `swift build --product latchkey-server`")
    server = await scene.start("server", str(program), *cli.est_server(str(scene.folder / "server")))
    await server.line('"demo"')
    tools = Tools(scene.folder, server.event("listening"), server.event("demo"))
    await asyncio.to_thread(enroll, tools)
    state = ["--state", str(scene.folder / "server")]
    await asyncio.to_thread(label, tools, lambda *words: tools.run(str(program), *words, *state))
    await asyncio.to_thread(status, tools)
    faults = [line for line in server.errors if " error " in line or " critical " in line]
    require(not faults, f"the server logged {faults[:3]}")
