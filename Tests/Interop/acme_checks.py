"""The check of ACME: certbot's library against `latchkey-server serve`, with a TPM's statement made here from WebAuthn 8.3 alone."""

import asyncio
import base64
import hashlib
import json
import pathlib
import struct

import cbor2
import josepy
from acme import challenges, client, messages
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

import acme_tpm
import latchkey_cli as cli
from checks import check
from est_checks import Tools
from harness import Scene, require

P256 = ec.SECP256R1()
DEVICE = messages.IdentifierType("permanent-identifier")


@challenges.Challenge.register
class DeviceAttest(challenges.KeyAuthorizationChallenge):
    """device-attest-01, which the library does not know."""

    typ = "device-attest-01"

    def validation(self, account_key, **_):
        return self.key_authorization(account_key)


class Statement(josepy.JSONDeSerializable):
    """The answer to the challenge, and other payloads as they are."""

    def __init__(self, **members: str) -> None:
        self.members = members

    def to_partial_json(self) -> dict:
        return self.members

    @classmethod
    def from_json(cls, jobj: dict) -> "Statement":
        return cls(**jobj)


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class PaperTPM:
    """A TPM's attestation key, and its word about other keys (TPM 2.0 Part 2; WebAuthn 8.3)."""

    def __init__(self) -> None:
        self.key = ec.generate_private_key(P256)

    def pin(self) -> bytes:
        return self.key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)

    def attest(self, key: ec.EllipticCurvePublicKey, authorization: bytes, attributes: int = 0x00040072) -> bytes:
        def sized(data: bytes) -> bytes:
            return struct.pack(">H", len(data)) + data

        numbers = key.public_numbers()
        x, y = (number.to_bytes(32, "big") for number in (numbers.x, numbers.y))
        area = struct.pack(">HHI", 0x0023, 0x000B, attributes) + sized(b"")
        area += struct.pack(">HHHH", 0x0010, 0x0010, 0x0003, 0x0010) + sized(x) + sized(y)
        name = struct.pack(">H", 0x000B) + hashlib.sha256(area).digest()
        info = struct.pack(">IH", 0xFF544347, 0x8017) + sized(struct.pack(">H", 0x000B) + bytes(32))
        info += sized(hashlib.sha256(authorization).digest()) + struct.pack(">QIIBQ", 1, 1, 1, 1, 1)
        info += sized(name) + sized(struct.pack(">H", 0x000B) + bytes(32))
        r, s = decode_dss_signature(self.key.sign(info, ec.ECDSA(hashes.SHA256())))
        signature = struct.pack(">HH", 0x0018, 0x000B) + sized(r.to_bytes(32, "big")) + sized(s.to_bytes(32, "big"))
        statement = {"ver": "2.0", "alg": -7, "x5c": [], "sig": signature, "certInfo": info, "pubArea": area}
        return cbor2.dumps({"fmt": "tpm", "attStmt": statement}, canonical=True)


class Device:
    """An account of the library, and a key to attest."""

    def __init__(self, directory: str, ca: str, tpm: PaperTPM) -> None:
        self.tpm, self.key = tpm, ec.generate_private_key(P256)
        account = josepy.JWKEC(key=ec.generate_private_key(P256))
        self.net = client.ClientNetwork(account, alg=josepy.ES256, verify_ssl=ca)
        self.acme = client.ClientV2(client.ClientV2.get_directory(directory, self.net), self.net)
        self.account = self.acme.new_account(messages.NewRegistration())

    def order(self, token: str) -> tuple[str, messages.Order, messages.ChallengeBody]:
        """The order's URL, its body and its challenge."""
        wanted = messages.NewOrder(identifiers=[messages.Identifier(typ=DEVICE, value=token)])
        response = self.acme._post(self.acme.directory["newOrder"], wanted)
        body = messages.Order.from_json(response.json())
        authorization = messages.Authorization.from_json(self.acme._post_as_get(body.authorizations[0]).json())
        require(authorization.identifier.value == token, f"the authorization is for {authorization.identifier}")
        (challenge,) = authorization.challenges
        require(isinstance(challenge.chall, DeviceAttest), f"the challenge is {challenge}")
        return response.headers["Location"], body, challenge

    def attest(self, challenge: messages.ChallengeBody, of=None, authorization: str | None = None, **words):
        text = authorization or challenge.chall.validation(self.net.key)
        statement = self.tpm.attest((of or self.key).public_key(), text.encode(), **words)
        return self.acme.answer_challenge(challenge, Statement(attObj=b64(statement)))

    def finalize(self, order: messages.Order, key=None) -> dict:
        request = x509.CertificateSigningRequestBuilder().subject_name(x509.Name([])).sign(
            key or self.key, hashes.SHA256())
        return self.acme._post(order.finalize, Statement(csr=b64(request.public_bytes(serialization.Encoding.DER)))).json()


class ChipDevice(Device):
    """A device whose key is in a TPM."""

    def __init__(self, directory: str, ca: str, key: acme_tpm.ChipKey) -> None:
        super().__init__(directory, ca, None)
        self.key = key

    def attest(self, challenge: messages.ChallengeBody, of=None, authorization: str | None = None, **_):
        text = authorization or challenge.chall.validation(self.net.key)
        return self.acme.answer_challenge(challenge, Statement(attObj=b64((of or self.key).attest(text.encode()))))

    def finalize(self, order: messages.Order, key=None) -> dict:
        return self.acme._post(order.finalize, Statement(csr=b64((key or self.key).request()))).json()


def refused(what: str, kind: str, body) -> None:
    try:
        body()
    except messages.Error as error:
        require(error.typ == f"urn:ietf:params:acme:error:{kind}", f"{what}: {error}")
        return
    require(False, f"{what} is not refused")


def enroll(tools: Tools, operate, tpm: PaperTPM, chip: acme_tpm.Chip | None) -> None:
    user, ca = tools.login.split(":")[0], tools.ca
    made = operate("profile", "add", "hard", "--attestation", "tpm")
    made += operate("profile", "add", "watched", "--approval", "operator")
    require(made.count("Defined") == 2, made)

    def token(profile: str = "hard") -> str:
        operate("token", "create", "--user", user, "--output", str(tools.folder / "token"), "--profile", profile)
        text = (tools.folder / "token").read_text().strip()
        (tools.folder / "token").unlink()
        return text

    def verified(device: Device, url: str, name: str) -> str:
        """The certificate of an order, which OpenSSL verifies."""
        order = device.acme._post_as_get(url).json()
        require(order["status"] == "valid", f"{order}")
        pem = device.acme._post_as_get(order["certificate"]).text
        (tools.folder / f"{name}.pem").write_text(pem)
        require(tools.openssl("verify", "-CAfile", ca, f"{name}.pem").strip() == f"{name}.pem: OK", pem)
        leaf = x509.load_pem_x509_certificates(pem.encode())[0]
        require(leaf.public_key() == device.key.public_key(), "the certificate is of another key")
        return pem

    def device(label: str | None = "hard") -> Device:
        return Device(f"{tools.url}/acme/{label + '/' if label else ''}directory", ca, tpm)

    pump, text = device(), token()
    url, order, challenge = pump.order(text)
    refused("a request before the attestation", "orderNotReady", lambda: pump.finalize(order))
    pump.attest(challenge)
    refused("a request of another key", "badCSR", lambda: pump.finalize(order, ec.generate_private_key(P256)))
    require(pump.finalize(order)["status"] == "valid", "the order is not valid")
    pem = verified(pump, url, "pump")
    # Its answer was lost: the same account, token and key get the same certificate.
    again, order, challenge = pump.order(text)
    pump.attest(challenge)
    pump.finalize(order)
    require(verified(pump, again, "again") == pem, "a repetition got another certificate")
    refused("a used token of another account", "unauthorized", lambda: device().order(text))
    refused("a token that is none", "unauthorized", lambda: device().order("C02XXXXXXXXX"))
    refused("a token at another label", "unauthorized", lambda: device("watched").order(token()))
    stranger = device()
    refused("another account's order", "malformed", lambda: stranger.acme._post_as_get(url))

    other, text = device(None), token()
    wrong = [
        ("another TPM", dict(tpm=PaperTPM())), ("another challenge", dict(authorization="x")),
        ("a key that leaves the TPM", dict(attributes=0x00040042)),
    ]
    for what, words in wrong:
        _, order, challenge = other.order(text)
        other.tpm = words.pop("tpm", tpm)
        refused(what, "badAttestationStatement", lambda: other.attest(challenge, **words))
        refused(f"after {what}", "orderNotReady", lambda: other.finalize(order))
    other.tpm = tpm
    url, order, challenge = other.order(text)
    other.attest(challenge)
    other.finalize(order)
    certificate = x509.load_pem_x509_certificates(verified(other, url, "other").encode())[0]

    waiting = device("watched")
    url, order, challenge = waiting.order(token("watched"))
    waiting.attest(challenge)
    require(waiting.finalize(order)["status"] == "processing", "the order does not wait")
    pending = [json.loads(line) for line in operate("device", "pending", "--json").splitlines() if "{" in line]
    operate("device", "approve", pending[0]["device"])
    verified(waiting, url, "waiting")

    if chip:
        chipped = ChipDevice(f"{tools.url}/acme/hard/directory", ca, chip.key())
        text, another, loose = token(), chip.key(), chip.key(acme_tpm.MADE_HERE)
        for what, words in [
            ("a challenge that the TPM did not sign", dict(authorization="x")),
            ("a key that may leave its TPM", dict(of=loose)), ("the attestation key itself", dict(of=chip.attestation_key())),
        ]:
            _, order, challenge = chipped.order(text)
            refused(what, "badAttestationStatement", lambda: chipped.attest(challenge, **words))
        url, order, challenge = chipped.order(text)
        chipped.attest(challenge)
        refused("a request of another key of the TPM", "badCSR", lambda: chipped.finalize(order, another))
        require(chipped.finalize(order)["status"] == "valid", "the order of a TPM's key is not valid")
        refused("a second request", "orderNotReady", lambda: chipped.finalize(order))
        verified(chipped, url, "chipped")

    listed = operate("device", "list", "--json")
    require(listed.count('"tpm"') == (4 if chip else 3), f"the evidence is not recorded: {listed}")
    refused("a stranger's revocation", "unauthorized", lambda: stranger.acme.revoke(certificate, 1))
    other.acme.revoke(certificate, 1)
    refused("a second revocation", "alreadyRevoked", lambda: other.acme.revoke(certificate, 1))

    def status(path: str, *words: str) -> str:
        return tools.run("curl", "-sS", "--cacert", ca, f"{tools.url}{path}", "-o", "none", "-w", "%{http_code}", *words)

    require(status("/acme/new-nonce") == "204", "a nonce by GET")
    require(status("/acme/directory", "-H", "Host: relay.example") == "421", "the directory for another host")
    directory = other.acme._post_as_get(f"{tools.url}/acme/directory").json()
    require("newOrder" in directory, f"the directory by POST-as-GET: {directory}")


@check(quick=(None,), all=(None,))
async def acme(scene: Scene) -> None:
    """It enrolls devices that attest their key by ACME, to certbot's library and OpenSSL."""
    program = scene.latchkey.with_name("latchkey-server")
    require(program.exists(), f"there is no {program}: build it with `swift build --product latchkey-server`")
    tpm, pin = PaperTPM(), scene.folder / "pin.pem"
    pin.write_bytes(tpm.pin())
    chip, roots = None, []
    if missing := acme_tpm.missing():
        print(f"acme: the part with a TPM is skipped, {missing[0]} is missing")
    else:
        chip = await acme_tpm.start(scene)
        (scene.folder / "root.pem").write_bytes(chip.root)
        roots = ["--attestation-roots", str(scene.folder / "root.pem")]
    server = await scene.start(
        "server", str(program), *cli.est_server(str(scene.folder / "server")), "--attestation-pin", str(pin), *roots)
    await server.line('"demo"')
    tools = Tools(scene.folder, server.event("listening"), server.event("demo"))
    state = ["--state", str(scene.folder / "server")]
    await asyncio.to_thread(enroll, tools, lambda *words: tools.run(str(program), *words, *state), tpm, chip)
    faults = [line for line in server.errors if " error " in line or " critical " in line]
    require(not faults, f"the server logged {faults[:3]}")
