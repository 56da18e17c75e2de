"""HTTP over mutual TLS, requests signed and answers verified by http-message-signatures."""

import collections
import dataclasses
import datetime
import http.client
import json
import os
import pathlib
import ssl
import time
import urllib.parse

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from http_message_signatures import HTTPMessageSigner, HTTPMessageVerifier, InvalidSignature, MappingKeyResolver
from http_message_signatures.algorithms import ECDSA_P256_SHA256

from . import messages
from .bytes import b64, b64url, of_point, public_key, raw, sha256, sign_der, unb64

REQUEST, ANSWER = "latchkey-request", "latchkey-response"
WINDOW = 300  # seconds


class Refused(Exception):
    """An answer that is not what the page allows."""


def require(condition: bool, what: str) -> None:
    if not condition:
        raise Refused(what)


class Fields(collections.UserDict):
    """The fields of a message, names in lower case; a name's value may be several lines."""

    def __setitem__(self, name: str, value) -> None:
        super().__setitem__(name.lower(), value)

    def __getitem__(self, name: str):
        return super().__getitem__(name.lower())

    def __contains__(self, name) -> bool:
        return super().__contains__(name.lower())

    def __delitem__(self, name: str) -> None:
        super().__delitem__(name.lower())


@dataclasses.dataclass
class Request:
    method: str
    url: str
    headers: Fields
    body: bytes = b""


@dataclasses.dataclass
class Answer:
    status_code: int
    headers: Fields
    body: bytes
    request: Request

    @property
    def json(self) -> dict:
        return json.loads(self.body)

    @property
    def code(self) -> str | None:
        """The problem's code; None for no problem."""
        if self.headers.get("content-type") != "application/problem+json":
            return None
        problem = self.json
        require(problem["type"] == f"urn:latchkey:problem:{problem['code']}", f"the type is {problem['type']}")
        require(problem["status"] == self.status_code, f"the status is {problem['status']}, not {self.status_code}")
        return problem["code"]


def nonce() -> str:
    return b64url(os.urandom(16))


class Server:
    """Requests to one server, over a certificate or without."""

    def __init__(self, url: str, ca: str, identity: tuple[str, str] | None = None) -> None:
        self.url = url
        parts = urllib.parse.urlsplit(url)
        self.place = (parts.hostname, parts.port)
        self.tls = ssl.create_default_context(cafile=ca)
        if identity:
            self.tls.load_cert_chain(*identity)

    def request(self, method: str, path: str, body=None, **fields: str) -> Request:
        """A request with a JSON body; fields' names with underscores for dashes."""
        headers = Fields({name.replace("_", "-"): value for name, value in fields.items()})
        if body is None:
            return Request(method, self.url + path, headers)
        headers.setdefault("content-type", "application/json")
        return Request(method, self.url + path, headers, body if isinstance(body, bytes) else json.dumps(body).encode())

    def send(self, request: Request, lines: list[tuple[str, str]] = []) -> Answer:
        """Sends it, with further lines of fields."""
        connection = http.client.HTTPSConnection(*self.place, context=self.tls, timeout=30)
        try:
            target = request.url.removeprefix(self.url)
            connection.putrequest(request.method, target, skip_host="host" in request.headers, skip_accept_encoding=True)
            for name, value in [*request.headers.items(), *lines]:
                connection.putheader(name, value)
            if request.body or request.method != "GET":
                connection.putheader("content-length", str(len(request.body)))
            connection.endheaders(request.body)
            answer = connection.getresponse()
            content = answer.read()
            fields = Fields()
            for name, value in answer.getheaders():
                fields[name] = f"{fields[name]}, {value}" if name in fields else value
            return Answer(answer.status, fields, content, request)
        finally:
            connection.close()

    def call(self, method: str, path: str, body=None, **fields: str) -> Answer:
        return self.send(self.request(method, path, body, **fields))


@dataclasses.dataclass
class Signing:
    """How a request is signed; the defaults are right, others are for refusals."""

    key: ec.EllipticCurvePrivateKey
    keyid: str
    nonce: str | None = None
    created: int | None = None
    lifetime: int = WINDOW
    tag: str = REQUEST
    without: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    only: tuple[str, ...] | None = None
    label: str = "client"
    is_der: bool = False

    def sign(self, request: Request, digest: bool = True) -> Request:
        """Adds the digest, unless there is none to add, and the signature."""
        covered = ["@method", "@target-uri"]
        if request.body and digest:
            request.headers["content-digest"] = f"sha-256=:{b64(sha256(request.body))}:"
        covered += [
            name for name in ("content-digest", "content-type", "idempotency-key", "latchkey-approval") if name in request.headers
        ]
        covered = [name for name in covered if name not in self.without] + list(self.more)
        covered = covered if self.only is None else list(self.only)
        created = self.created or int(time.time())
        signer = HTTPMessageSigner(signature_algorithm=ECDSA_P256_SHA256)
        prepared = signer.prepare(
            request, key_id=self.keyid, created=datetime.datetime.fromtimestamp(created),
            expires=datetime.datetime.fromtimestamp(created + self.lifetime), label=self.label, tag=self.tag,
            nonce=nonce() if self.nonce is None else self.nonce or None, covered_component_ids=covered,
            use_existing_digest="content-digest" in request.headers,
        )
        der = sign_der(self.key, prepared.signature_base)
        signer.apply(request, prepared, der if self.is_der else raw(der))
        return request


def accept_signature(value: str) -> str:
    components = '"@status" "content-digest" "content-type" "@method";req "@target-uri";req'
    return f'latchkey=({components});created;expires;nonce="{value}";alg="ecdsa-p256-sha256";tag="{ANSWER}"'


def verify(answer: Answer, keyid: str, key: bytes, asked: str | None = None) -> Answer:
    """Verifies that this is the server's answer to its request; raises Refused or InvalidSignature otherwise."""
    request = answer.request
    required = ['"@status"']
    if answer.status_code != 204:
        required.append('"content-digest"')
    elif answer.body:
        raise Refused("a 204 has no content")
    required += [f'"{name}"' for name in ("content-type", "idempotency-replayed", "retry-after") if name in answer.headers]
    required += ['"@method";req', '"@target-uri";req']
    required += [f'"{name}";req' for name in ("content-digest", "signature") if name in request.headers]
    verifier = HTTPMessageVerifier(
        signature_algorithm=ECDSA_P256_SHA256,
        key_resolver=MappingKeyResolver(public_keys={keyid: of_point(key)}, private_keys={}),
    )
    verifier.max_clock_skew = datetime.timedelta(seconds=WINDOW)
    results = verifier.verify(
        answer, max_age=datetime.timedelta(seconds=0), expect_tag=ANSWER, require_components=required,
        body=answer.body if answer.status_code != 204 else None,
    )
    require(len(results) == 1, "there is not one signature of the server")
    parameters = results[0].parameters
    require(parameters.get("alg") == "ecdsa-p256-sha256", "the algorithm is not named")
    require(parameters.get("expires", 0) - parameters["created"] in range(1, WINDOW + 1), "the signature lives too long")
    require(asked is None or results[0].nonce == asked, "the answer is to another request")
    return answer


class Device:
    """An enrolled device: its keys, its certificate and what it verifies answers by."""

    def __init__(self, server: Server, ca: str, folder: pathlib.Path, key, enrolled: dict) -> None:
        self.ca, self.folder, self.anonymous = ca, folder, server
        self.identifier = enrolled["device"]
        self.server_key, self.server_keyid = unb64(enrolled["serverKey"]), enrolled["serverKeyID"]
        require(self.server_keyid == sha256(self.server_key)[:8].hex(), "serverKeyID is not that of serverKey")
        self.use(key, enrolled)

    def use(self, key, enrolled: dict) -> None:
        """Shows this certificate from now on."""
        self.key = key
        self.certificate, *issuers = [x509.load_der_x509_certificate(unb64(der)) for der in enrolled["certificates"]]
        require(self.identifier == enrolled["device"], "the device has another name")
        self.check_certificate(enrolled["notAfter"], enrolled["user"])
        serial = f"{self.certificate.serial_number:x}"
        names = self.folder / f"{serial}.pem", self.folder / f"{serial}.key"
        # The root is the server's to know.
        chain = [self.certificate, *(issuer for issuer in issuers if issuer.issuer != issuer.subject)]
        names[0].write_bytes(b"".join(one.public_bytes(serialization.Encoding.PEM) for one in chain))
        names[1].write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        self.server = Server(self.anonymous.url, self.ca, (str(names[0]), str(names[1])))

    def check_certificate(self, end: int, user: str) -> None:
        require(public_key(self.certificate.public_key()) == public_key(self.key), "the certificate is for another key")
        names = {attribute.oid: attribute.value for attribute in self.certificate.subject}
        wanted = {x509.NameOID.COMMON_NAME: self.identifier, x509.NameOID.ORGANIZATION_NAME: user}
        require(names == wanted, f"the subject is {names}")
        extension = self.certificate.extensions.get_extension_for_class
        uris = extension(x509.SubjectAlternativeName).value.get_values_for_type(x509.UniformResourceIdentifier)
        require(uris == [f"urn:latchkey:device:{self.identifier}"], f"the alternative names are {uris}")
        usage = extension(x509.ExtendedKeyUsage).value
        require(list(usage) == [x509.ExtendedKeyUsageOID.CLIENT_AUTH], f"the extended key usage is {usage}")
        require(int(self.certificate.not_valid_after_utc.timestamp()) == end, "notAfter is not the certificate's")

    def call(self, method: str, path: str, body=None, **fields: str) -> Answer:
        """A request without a signature that asks for a signed answer, verified."""
        asked = nonce()
        request = self.server.request(method, path, body, **fields, accept_signature=accept_signature(asked))
        return verify(self.server.send(request), self.server_keyid, self.server_key, asked)

    def signing(self, **differences) -> Signing:
        return Signing(**{"key": self.key, "keyid": self.identifier} | differences)

    def signed(self, method: str, path: str, body, signing: Signing | None = None, **fields: str) -> Answer:
        """A signed request, its answer verified."""
        request = (signing or self.signing()).sign(self.server.request(method, path, body, **fields))
        return self.verified(self.server.send(request))

    def verified(self, answer: Answer) -> Answer:
        return verify(answer, self.server_keyid, self.server_key)

    def challenge(self, purpose: str, content: bytes | None = None) -> dict:
        body = {"purpose": purpose} | ({"content": b64(content)} if content is not None else {})
        answer = self.server.call("POST", "/v1/challenges", body)
        require(answer.status_code == 200, f"a challenge is {answer.status_code} {answer.body!r}")
        return answer.json

    def approval(self, challenge: dict, content: bytes, key) -> str:
        message = messages.challenge_message("service-ledger", unb64(challenge["value"]), content)
        return messages.approval(challenge["id"], sign_der(key, message))
