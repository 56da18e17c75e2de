"""The checks of authorities: one replaces another under devices that work on, and one below a root whose key is elsewhere. curl and
OpenSSL ask `latchkey-server serve` as devices and relying parties do."""

import asyncio
import pathlib

import latchkey_cli as cli
from checks import check
from est_checks import PKCS10, Tools
from harness import CheckFailure, Process, Scene, require

PASSWORD = "correct horse battery"


class Place(Tools):
    """A folder with authorities and devices, and one server at a time on one store."""

    def __init__(self, scene: Scene) -> None:
        self.scene, self.folder, self.process = scene, scene.folder, None
        self.program = str(scene.latchkey.with_name("latchkey-server"))
        require(pathlib.Path(self.program).exists(), f"there is no {self.program}: `swift build --product latchkey-server`")
        self.login, self.ca, self.url, self.public = f"ann:{PASSWORD}", "", "", ""
        (self.folder / "password").write_text(PASSWORD)

    def key(self, name: str) -> None:
        self.openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", f"{name}.key")
        (self.folder / f"{name}.key").chmod(0o600)

    def authority(self, name: str) -> None:
        """A root of our own making, as operators make one."""
        self.key(name)
        made = self.run(self.program, "ca", "create", "--key", f"{name}.key", "--out", f"{name}.pem", "--name", name)
        require((self.folder / f"{name}.pem").exists(), made)

    def signed(self, name: str, by: str, extensions: str, days: int = 90) -> None:
        """A certificate for the key of that name, by OpenSSL."""
        (self.folder / f"{name}.cnf").write_text(extensions)
        self.openssl("req", "-new", "-key", f"{name}.key", "-subj", f"/CN={name}", "-out", f"{name}.csr.pem")
        made = self.openssl(
            "x509", "-req", "-in", f"{name}.csr.pem", "-CA", f"{by}.pem", "-CAkey", f"{by}.key", "-days", str(days),
            "-extfile", f"{name}.cnf", "-out", f"{name}.pem")
        require((self.folder / f"{name}.pem").exists(), made)

    def tls(self, name: str, by: str) -> list[str]:
        """The words for a TLS certificate that this authority issued."""
        self.key(name)
        self.signed(name, by, "subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth\n")
        return ["--tls-cert", self.path(f"{name}.pem"), "--tls-key", self.path(f"{name}.key")]

    def path(self, name: str) -> str:
        return str(self.folder / name)

    def operate(self, *words: str) -> str:
        return self.run(self.program, *words, "--state", self.path("state"))

    async def serve(self, *words: str) -> None:
        """Ends the server, if one runs, and starts another on the same store."""
        await self.end()
        self.process = await self.scene.start("server", self.program, *cli.est_server(self.path("state")), *words)
        await self.process.line('"listening"')
        listening = self.process.event("listening")
        self.url, self.public = listening["url"], listening["public"]

    async def end(self) -> None:
        if self.process:
            await self.process.stop()
            faults = [line for line in self.process.errors if " error " in line or " critical " in line]
            require(not faults, f"the server logged {faults[:3]}")

    async def refused(self, *words: str) -> str:
        """What a server says that does not start."""
        await self.end()
        process = await Process.start("refused", self.program, *cli.est_server(self.path("state")), *words)
        status = await process.end()
        require(status != 0, "the server starts")
        return "\n".join([f"status {status}", *process.errors])

    def enroll(self, name: str) -> None:
        self.key(name)
        status, body, _ = self.est("simpleenroll", "-u", self.login, *self.request(name, name, "-subj", f"/CN={name}"))
        require(status == 200, f"{status} {body!r}")
        self.save(body, name)

    def save(self, body: bytes, name: str) -> None:
        self.openssl("base64", "-d", "-A", "-in", "answer", "-out", f"{name}.p7")
        self.openssl("pkcs7", "-inform", "DER", "-in", f"{name}.p7", "-print_certs", "-out", f"{name}.pem")
        require("BEGIN CERTIFICATE" in (self.folder / f"{name}.pem").read_text(), f"no certificate: {body!r}")

    def renew(self, name: str, key: str, out: str) -> int:
        """Renews the certificate of that name for a key, and saves it under another name."""
        subject = self.field(name, "-subject", "-nameopt", "compat").removeprefix("subject=").strip()
        names = self.field(name, "-ext", "subjectAltName").splitlines()[-1].strip()
        request = self.request(f"{out}-request", key, "-subj", subject, "-addext", f"subjectAltName={names}")
        status, body, _ = self.est("simplereenroll", "--cert", f"{name}.pem", "--key", f"{name}.key", *request)
        if status == 200:
            self.save(body, out)
        return status

    def issuer(self, name: str) -> str:
        return self.field(name, "-issuer", "-nameopt", "compat").split("CN=")[-1].strip().lstrip("/")

    def ask(self, name: str, key: str | None = None, trust: str | None = None, *words: str) -> str:
        """The status of `GET /v1/device` with that certificate, or what curl says when no answer comes."""
        return self.run(
            "curl", "-sS", *words, "--cacert", trust or self.ca, "--cert", f"{name}.pem", "--key", f"{key or name}.key", "-o",
            "/dev/null", "-w", "%{http_code}", f"{self.url}/v1/device")

    def ocsp(self, issuer: str, *words: str, trust: str | None = None) -> str:
        return self.openssl(
            "ocsp", "-issuer", f"{issuer}.pem", "-CAfile", trust or f"{issuer}.pem", "-url", f"{self.public}/v1/ocsp", *words)

    def fetched(self, name: str, kind: str, out: str) -> str:
        """Fetches what a URL of that kind in the certificate names; the status."""
        urls = [word.removeprefix("URI:") for word in self.field(name, "-text").split() if word.startswith("URI:http")]
        url = next(url for url in urls if kind in url)
        return self.run("curl", "-sS", "-o", out, "-w", "%{http_code}", url)

    def revoked(self, list_file: str, issuer: str) -> str:
        """A revocation list as text, verified with its issuer."""
        read = self.openssl(
            "crl", "-inform", "DER", "-in", list_file, "-noout", "-text", "-CAfile", f"{issuer}.pem")
        require("verify OK" in read, read)
        return read


def serial(place: Place, name: str) -> str:
    return place.field(name, "-serial").removeprefix("serial=")


async def rotate(place: Place) -> None:
    place.authority("old")
    place.authority("new")
    old = ["--ca", place.path("old.pem"), "--ca-key", place.path("old.key")]
    new = ["--ca", place.path("new.pem"), "--ca-key", place.path("new.key")]
    previous = ["--previous-ca", place.path("old.pem"), "--previous-ca-key", place.path("old.key")]
    place.ca = "old.pem"
    added = place.operate("user", "add", "ann", "--password", f"@{place.path('password')}")
    require("ann" in added, added)

    # 1: the old authority alone.
    await place.serve(*old)
    for name in ("same", "changed", "late"):
        place.enroll(name)
        require(place.issuer(name) == "old" and place.ask(name) == "200", f"{name} is not served")
    require(place.renew("same", "same", "unused") == 200 and place.issuer("unused") == "old", "no renewal by the old one")

    # 2: the new one, and the old one beside it. Its TLS certificate is one that a client believes which trusts the old one alone.
    await place.serve(*new, *previous, *place.tls("server-old", "old"))
    for name in ("same", "changed", "late"):
        require(place.ask(name) == "200", f"{name} of the old authority is not served beside the new one")
    status, body, _ = place.est("cacerts")
    place.save(body, "roots")
    roots = (place.folder / "roots.pem").read_text()
    require(status == 200 and roots.count("BEGIN CERTIFICATE") == 2, f"{status}: {roots}")
    require("CN=new" in roots.replace(" ", "") and "CN=old" in roots.replace(" ", ""), roots)
    for name in ("same", "changed"):
        place.key(f"{name}-new")
    require(place.renew("same", "same", "same-renewed") == 200, "no renewal for the same key")
    require(place.renew("changed", "changed-new", "changed-renewed") == 200, "no renewal for another key")
    for name in ("same-renewed", "changed-renewed"):
        require(place.issuer(name) == "new", f"{name} is not the new authority's")
        verified = place.openssl("verify", "-CAfile", "new.pem", f"{name}.pem")
        require(verified.strip() == f"{name}.pem: OK", verified)
        alone = place.openssl("verify", "-CAfile", "old.pem", f"{name}.pem")
        require("unable to get local issuer certificate" in alone, alone)
        both = place.openssl("verify", "-CAfile", "roots.pem", f"{name}.pem")
        require(both.strip() == f"{name}.pem: OK", both)
    require(place.ask("same-renewed", "same") == "200", "the certificate of the new authority is not served")
    require(place.ask("same") == "200", "the old certificate of the same key is not served until its end")
    require(place.ask("changed-renewed", "changed-new") == "200", "the changed key is not served")
    require(place.ask("changed") == "403", "the key before the change is served")
    place.enroll("fresh")
    require(place.issuer("fresh") == "new", "a new device gets a certificate of the old authority")
    without = place.run("curl", "-sS", "--cacert", "new.pem", f"{place.url}/health/live")
    require("curl: (60)" in without, f"a client that trusts the new one alone believes the old one's server: {without}")

    # Each answers for its own.
    answer = place.ocsp("old", "-cert", "same.pem", "-cert", "changed.pem")
    for line in ("Response verify OK", "same.pem: good", "changed.pem: revoked", "Reason: superseded"):
        require(line in answer, f"{line} is missing in {answer}")
    answer = place.ocsp("new", "-cert", "same-renewed.pem", "-cert", "fresh.pem", "-serial", f"0x{serial(place, 'same')}")
    for line in ("Response verify OK", "same-renewed.pem: good", "fresh.pem: good", f"0x{serial(place, 'same')}: unknown"):
        require(line in answer, f"{line} is missing in {answer}")
    require(place.fetched("changed", "/v1/crl/", "old.crl") == "200", "the old authority has no list")
    require(place.fetched("fresh", "/v1/crl/", "new.crl") == "200", "the new authority has no list")
    require(serial(place, "changed") in place.revoked("old.crl", "old"), "the old list lacks what was superseded")
    require(serial(place, "changed") not in place.revoked("new.crl", "new"), "the new list has what the old one issued")
    require(place.operate("certificate", "revoke", serial(place, "fresh"), "--reason", "keyCompromise"), "no revocation")
    answer = place.ocsp("new", "-cert", "fresh.pem", "-nonce")
    require("fresh.pem: revoked" in answer and "Reason: keyCompromise" in answer, answer)

    # 3: the old one is gone.
    place.ca = "new.pem"
    await place.serve(*new, *place.tls("server-new", "new"))
    require(place.ask("same-renewed", "same") == "200", "a device of the new authority is not served")
    require(place.ask("changed-renewed", "changed-new") == "200", "a device of the new authority is not served")
    # In TLS 1.3 the client has sent its request before the server refuses, and may see a closed connection and no alert.
    stopped = place.ask("late", None, None, "--tls-max", "1.2")
    require("alert" in stopped and "unknown ca" in stopped.lower().replace("_", " "), f"the late device sees: {stopped}")
    untrusting = place.ask("same-renewed", "same", trust="old.pem")
    require("curl: (60)" in untrusting, f"a client that trusts the old one alone: {untrusting}")
    require(place.fetched("late", "/v1/crl/", "gone") == "404", "the list of an authority that is gone is served")
    require("key identifier" in (place.folder / "gone").read_text(), (place.folder / "gone").read_text())
    answer = place.ocsp("old", "-cert", "late.pem")
    require("unauthorized (6)" in answer, answer)
    require(place.ask("late").startswith("000"), "a device of the old authority is served")
    require(place.renew("late", "late", "never") == 0, "a device of the old authority renews")
    place.enroll("late")
    require(place.issuer("late") == "new" and place.ask("late") == "200", "the late device does not enroll anew")


@check(quick=(None,), all=(None,))
async def rotation(scene: Scene) -> None:
    """An authority is replaced by another: devices of the first work on and get certificates of the second, each answers for its own."""
    place = Place(scene)
    await rotate(place)
    await place.end()


AUTHORITY = "keyUsage=critical,keyCertSign,cRLSign\nbasicConstraints=critical,CA:TRUE"


def root(place: Place, name: str, length: int) -> None:
    """A root that OpenSSL makes, whose path may have so many authorities below it."""
    place.key(name)
    words = [word for line in AUTHORITY.split("\n") for word in ("-addext", line)]
    words[-1] += f",pathlen:{length}"
    made = place.openssl("req", "-x509", "-new", "-key", f"{name}.key", "-subj", f"/CN={name}", "-out", f"{name}.pem", *words)
    require((place.folder / f"{name}.pem").exists(), made)


def below(place: Place, name: str, by: str, *above: str, constraint: str = "") -> list[str]:
    """An authority that another one issued, and the words of a server that issues by it."""
    if not (place.folder / f"{name}.key").exists():
        place.key(name)
    place.signed(name, by, AUTHORITY + constraint + "\n")
    chain = "".join((place.folder / f"{part}.pem").read_text() for part in (name, by, *above))
    (place.folder / f"{name}-chain.pem").write_text(chain)
    return ["--ca", place.path(f"{name}-chain.pem"), "--ca-key", place.path(f"{name}.key")]


async def descend(place: Place) -> None:
    root(place, "root", 1)
    words = below(place, "lower", "root", constraint=",pathlen:0")
    # The root's key is not where the server is.
    (place.folder / "root.key").rename(place.folder / "elsewhere.key")
    place.ca = "root.pem"
    added = place.operate("user", "add", "ann", "--password", f"@{place.path('password')}")
    require("ann" in added, added)
    await place.serve(*words)
    port = place.url.rsplit(":", 1)[1]
    shown = place.openssl(
        "s_client", "-connect", f"127.0.0.1:{port}", "-servername", "localhost", "-CAfile", "root.pem", "-showcerts")
    require("Verify return code: 0 (ok)" in shown and shown.count("BEGIN CERTIFICATE") >= 2, shown)
    status, body, _ = place.est("cacerts")
    place.save(body, "above")
    require(status == 200 and (place.folder / "above.pem").read_text().count("BEGIN CERTIFICATE") == 2, f"{body!r}")
    place.enroll("device")
    require(place.issuer("device") == "lower", "the device is not the lower authority's")
    full = place.openssl("verify", "-CAfile", "root.pem", "-untrusted", "lower.pem", "device.pem")
    require(full.strip() == "device.pem: OK", full)
    alone = place.openssl("verify", "-CAfile", "root.pem", "device.pem")
    require("unable to get local issuer certificate" in alone, alone)
    # A leaf issues nothing, and below a path length of 0 no authority does.
    place.key("sub")
    place.signed("sub", "device", AUTHORITY + "\n")
    place.key("sub-sub")
    place.signed("sub-sub", "lower", AUTHORITY + "\n")
    place.key("leaf")
    place.signed("leaf", "sub-sub", "basicConstraints=CA:FALSE\n")
    bundle = "".join((place.folder / f"{name}.pem").read_text() for name in ("lower", "device", "sub-sub"))
    (place.folder / "untrusted.pem").write_text(bundle)
    verify = ["verify", "-CAfile", "root.pem", "-untrusted", "untrusted.pem"]
    refused = place.openssl(*verify, "sub.pem")
    require("sub.pem: OK" not in refused and "invalid CA certificate" in refused, refused)
    refused = place.openssl(*verify, "leaf.pem")
    require("path length constraint exceeded" in refused, refused)

    require(place.ask("device") == "200", "the device with its certificate alone is not served")
    require(place.fetched("device", "/v1/ca/", "issuer.der") == "200", "the issuer is not served")
    lower = place.openssl("x509", "-in", "lower.pem", "-outform", "PEM")
    require(place.openssl("x509", "-inform", "DER", "-in", "issuer.der") == lower, "the issuer is another certificate")
    require(place.renew("device", "device", "renewed") == 200 and place.ask("renewed", "device") == "200", "no renewal")
    place.operate("certificate", "revoke", serial(place, "device"), "--reason", "keyCompromise")
    answer = place.ocsp(
        "lower", "-cert", "device.pem", "-cert", "renewed.pem", "-verify_other", "lower.pem", trust="root.pem")
    for line in ("Response verify OK", "device.pem: revoked", "renewed.pem: good"):
        require(line in answer, f"{line} is missing in {answer}")
    require(place.fetched("device", "/v1/crl/", "list.crl") == "200", "there is no list")
    place.revoked("list.crl", "lower")
    place.openssl("crl", "-inform", "DER", "-in", "list.crl", "-out", "list.pem")
    verify = ["verify", "-CAfile", "root.pem", "-untrusted", "lower.pem", "-CRLfile", "list.pem", "-crl_check"]
    require("certificate revoked" in place.openssl(*verify, "device.pem"), "the list lacks what was revoked")
    require(place.openssl(*verify, "renewed.pem").strip() == "renewed.pem: OK", "the list has what was not")

    # Three in a row.
    root(place, "top", 2)
    below(place, "middle", "top")
    words = below(place, "third", "middle", "top")
    place.ca = "top.pem"
    await place.serve(*words, "--previous-ca", place.path("lower-chain.pem"), "--previous-ca-key", place.path("lower.key"))
    place.enroll("deep")
    (place.folder / "between.pem").write_text("".join((place.folder / f"{n}.pem").read_text() for n in ("third", "middle")))
    full = place.openssl("verify", "-CAfile", "top.pem", "-untrusted", "between.pem", "deep.pem")
    require(full.strip() == "deep.pem: OK", full)
    require(place.ask("deep") == "200" and place.ask("renewed", "device") == "200", "a device is not served")

    # What cannot lead to the root is refused before a device meets it.
    (place.folder / "alone.pem").write_text((place.folder / "lower.pem").read_text())
    chain = place.path("alone.pem")
    said = await place.refused("--ca", chain, "--ca-key", place.path("lower.key"))
    require("status 65" in said and "append that one's, up to the root" in said, said)
    root(place, "short", 0)
    words = below(place, "under", "short")
    said = await place.refused(*words)
    require("status 65" in said and "certificate 2 of the authority's chain is no authority's for what is below it" in said, said)
    (place.folder / "upside-down.pem").write_text("".join((place.folder / f"{n}.pem").read_text() for n in ("root", "lower")))
    said = await place.refused("--ca", place.path("upside-down.pem"), "--ca-key", place.path("lower.key"))
    require("status 65" in said and "another key" in said, said)
    (place.folder / "strange.pem").write_text("".join((place.folder / f"{n}.pem").read_text() for n in ("lower", "top")))
    said = await place.refused("--ca", place.path("strange.pem"), "--ca-key", place.path("lower.key"))
    require("status 65" in said and "order it nearest first" in said, said)


@check(quick=(None,), all=(None,))
async def intermediate(scene: Scene) -> None:
    """An authority issues below a root whose key is elsewhere; OpenSSL verifies all with the root alone, within its path length."""
    place = Place(scene)
    await descend(place)
    await place.end()


def named(place: Place, *names: str) -> list[str]:
    words = []
    for name in names:
        words += ["--named-ca", f"{name}={place.path(f'{name}.pem')}", "--named-ca-key", f"{name}={place.path(f'{name}.key')}"]
    return words


async def part(place: Place) -> None:
    for name in ("own", "sensors", "gateways"):
        place.authority(name)
    own = ["--ca", place.path("own.pem"), "--ca-key", place.path("own.key")]
    place.ca = "own.pem"
    added = place.operate("user", "add", "ann", "--password", f"@{place.path('password')}")
    require("ann" in added, added)
    for profile in ("sensor", "gateway"):
        made = place.operate("profile", "add", profile, "--way", "password", "--issuer", f"{profile}s")
        require("Defined" in made, made)
    listed = place.operate("profile", "list")
    require("issuer sensors" in listed and "issuer gateways" in listed, listed)

    # A server that has one of the two says so when it starts, and issues nothing in another's place.
    await place.serve(*own, *named(place, "sensors"))
    require(any("--named-ca gateways=FILE" in line for line in place.process.errors), f"{place.process.errors}")
    place.key("early")
    request = place.request("early", "early", "-subj", "/CN=early")
    status, body, _ = place.est("gateway/simpleenroll", "-u", place.login, *request)
    require(status == 503 and b"does not have the authority" in body, f"{status} {body!r}")

    await place.serve(*own, *named(place, "sensors", "gateways"))
    require(not place.process.errors, f"{place.process.errors}")
    for name, label in (("sensor", "sensor/"), ("gateway", "gateway/"), ("plain", "")):
        place.key(name)
        request = place.request(name, name, "-subj", f"/CN={name}")
        status, body, _ = place.est(f"{label}simpleenroll", "-u", place.login, *request)
        require(status == 200, f"{status} {body!r}")
        place.save(body, name)
        require(place.ask(name) == "200", f"{name} is not served")
        status, body, _ = place.est(f"{label}cacerts")
        place.save(body, f"{name}-roots")
        count = (place.folder / f"{name}-roots.pem").read_text().count("BEGIN CERTIFICATE")
        require(count == (2 if label else 1), f"{name} gets {count} authorities")
        verified = place.openssl("verify", "-CAfile", f"{name}-roots.pem", f"{name}.pem")
        require(verified.strip() == f"{name}.pem: OK", verified)
    issuers = {"sensor": "sensors", "gateway": "gateways", "plain": "own"}
    for name, issuer in issuers.items():
        # A service that believes one authority takes the devices of no other.
        for other in issuers.values():
            verified = place.openssl("verify", "-CAfile", f"{other}.pem", f"{name}.pem").strip()
            require((verified == f"{name}.pem: OK") == (other == issuer), f"{name} by {other}: {verified}")
        require(place.renew(name, name, f"{name}-renewed") == 200, f"{name} does not renew")
        require(place.issuer(f"{name}-renewed") == issuer, f"{name} was renewed by another authority")

    place.operate("certificate", "revoke", serial(place, "sensor"), "--reason", "keyCompromise")
    for name, issuer in issuers.items():
        require(place.fetched(name, "/v1/crl/", f"{name}.crl") == "200", f"{issuer} has no list")
        text = place.revoked(f"{name}.crl", issuer)
        require((serial(place, "sensor") in text) == (name == "sensor"), f"the list of {issuer}: {text}")
        answer = place.ocsp(issuer, "-cert", f"{name}.pem")
        state = "revoked" if name == "sensor" else "good"
        require("Response verify OK" in answer and f"{name}.pem: {state}" in answer, answer)
    answer = place.ocsp("gateways", "-serial", f"0x{serial(place, 'sensor')}")
    require(": unknown" in answer, answer)

    # A profile moves to another authority: its devices follow when they renew.
    place.operate("profile", "add", "gateway", "--way", "password", "--issuer", "sensors", "--replace")
    require(place.renew("gateway", "gateway", "moved") == 200 and place.issuer("moved") == "sensors", "no move")
    require(place.ask("gateway") == "200" and place.ask("moved", "gateway") == "200", "a device is lost")

    refusals = [
        (["--named-ca", f"sensors={place.path('sensors.pem')}"], "belong together"),
        (["--named-ca", "sensors", "--named-ca-key", "sensors"], "NAME=FILE"),
        (["--named-ca", f"Sensors={place.path('sensors.pem')}", "--named-ca-key", "Sensors=x"], "lower-case"),
        ([*named(place, "sensors"), *named(place, "sensors")], "twice"),
        (["--named-ca", f"a={place.path('own.pem')}", "--named-ca-key", f"a={place.path('own.key')}"], "another authority of this"),
        (["--named-ca", f"a={place.path('sensors.pem')}", "--named-ca-key", f"a={place.path('own.key')}"], "another key"),
        (["--named-ca", f"a={place.path('none.pem')}", "--named-ca-key", f"a={place.path('own.key')}"], "none.pem"),
    ]
    for words, expected in refusals:
        said = await place.refused(*own, *words)
        require(expected in said, f"{words}: {said}")
        said = await place.refused(*own, *words, "--check")
        require(expected in said, f"--check {words}: {said}")


@check(quick=(None,), all=(None,))
async def authorities(scene: Scene) -> None:
    """Profiles have authorities of their own: issued, renewed, listed and answered for by each alone."""
    place = Place(scene)
    await part(place)
    await place.end()
