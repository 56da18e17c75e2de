"""Logins, registration, renewal, revocation."""

import datetime
import ssl
import time

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import pkcs12

from . import messages
from .bytes import b64, public_key, unb64
from .client import Device, Server, nonce, require
from .steps import Steps


def new_key():
    return ec.generate_private_key(ec.SECP256R1())


def enroll(steps: Steps) -> Device:
    """A device whose key is attested in software."""
    server = steps.server
    answer = steps.accept("the authority is published", server.call("GET", "/v1/ca"))
    published, trusted = (x509.load_pem_x509_certificates(text) for text in (answer.body, open(steps.ca, "rb").read()))
    require(published[-1] == trusted[-1], "/v1/ca ends in another root than the one that is trusted")
    steps.refuse("a wrong password", steps.login("wrong"), 401, "not_authenticated")
    steps.refuse("a device's route without a certificate", server.call("GET", "/v1/device"), 401, "certificate_required")
    steps.refuse("no JSON", server.call("POST", "/v1/login", b"user", content_type="application/json"), 400, "malformed_request")
    twice = b'{"user":"demo","user":"demo","password":"x"}'
    steps.refuse("a member twice", server.call("POST", "/v1/login", twice), 400, "malformed_request")
    steps.refuse(
        "another type", server.call("POST", "/v1/login", {"user": "x", "password": "y"}, content_type="text/plain"), 415,
        "unsupported_media_type",
    )
    steps.refuse("a path that there is not", server.call("GET", "/v1/nothing"), 404, "not_found")
    answer = steps.refuse("a method that there is not", server.call("GET", "/v1/login"), 405, "method_not_allowed")
    require("POST" in answer.headers["allow"], "it does not list the methods")
    session = steps.accept("a login by password", steps.login()).json
    require(session["user"] == steps.user and "device" not in session, f"the session is {session}")
    return registered(steps, session["token"])


def registered(steps: Steps, token: str) -> Device:
    key, idempotency = new_key(), nonce()
    request = messages.signing_request(key)
    statement = messages.software_attestation(key, messages.registration_challenge(token, request), int(time.time()))
    more = {"attestation": b64(statement)}
    post = "POST", "/v1/devices", {"name": "Python", "signingRequest": b64(request)}
    steps.refuse("a registration without a token", steps.server.call(*post, idempotency_key=nonce()), 401, "not_authenticated")
    steps.refuse(
        "a registration without an Idempotency-Key", steps.server.call(*post, authorization=f"Bearer {token}"), 400,
        "malformed_request",
    )
    steps.refuse("a name that does not show", steps.register(token, request, name="a\u200bb"), 422, "invalid_name")
    altered = request[:-1] + bytes([request[-1] ^ 1])
    steps.refuse("a signing request that was altered", steps.register(token, altered), 422, "invalid_signing_request")
    steps.refuse("a signing request cut short", steps.register(token, request[:-1]), 422, "invalid_signing_request")
    large = ec.generate_private_key(ec.SECP384R1())
    other = messages.signing_request(large)
    steps.refuse("a key on another curve", steps.register(token, other), 422, "invalid_signing_request")
    answer = steps.accept("a registration with evidence", steps.register(token, request, idempotency, **more), 201)
    require("idempotency-replayed" not in answer.headers, "the first answer is a repeated one")
    again = steps.accept("the same once more", steps.register(token, request, idempotency, **more), 201)
    require(again.body == answer.body and again.headers["idempotency-replayed"] == "true", "the answer is another")
    steps.refuse("another under its key", steps.register(token, request, idempotency), 422, "idempotency_mismatch")
    steps.refuse("a second device of the session", steps.register(token, request), 403, "not_permitted")
    device = Device(steps.server, steps.ca, steps.folder, key, answer.json)
    status = steps.accept("the device, over mutual TLS", device.call("GET", "/v1/device")).json
    require((status["device"], status["name"], status["hasApprovalKey"]) == (device.identifier, "Python", False), f"{status}")
    require(status["notAfter"] == answer.json["notAfter"], "the certificate has another end")
    head = device.server.call("HEAD", "/v1/device")
    require(head.status_code == 200 and head.body == b"", f"HEAD is {head.status_code} {head.body!r}")
    foreign_certificate(steps, key)
    return device


def foreign_certificate(steps: Steps, key) -> None:
    """A certificate that the device issued to itself ends the handshake."""
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "self")])
    start = datetime.datetime.now(datetime.timezone.utc)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(7).not_valid_before(start).not_valid_after(start + datetime.timedelta(hours=1))
    own = builder.sign(key, hashes.SHA256())
    paths = steps.folder / "own.pem", steps.folder / "own.key"
    paths[0].write_bytes(own.public_bytes(serialization.Encoding.PEM))
    paths[1].write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    server = Server(steps.url, steps.ca, (str(paths[0]), str(paths[1])))
    steps.raises("a foreign certificate, in the handshake", (ssl.SSLError, OSError), lambda: server.call("GET", "/v1/device"))


def renew(steps: Steps, device: Device) -> None:
    """With the same key, then with a new one, whose answer is lost."""
    first = device.certificate
    path, request = "/v1/device/renewal", messages.signing_request(device.key)
    answer = steps.accept("a renewal with the same key", device.call("POST", path, {"signingRequest": b64(request)}))
    device.use(device.key, answer.json)
    require(device.certificate.serial_number != first.serial_number, "the certificate is the same")
    found = steps.accept("the certificates", device.call("GET", "/v1/device/certificates")).json["certificates"]
    shown = [one["serial"] for one in found if one["isShown"]]
    require([int(one, 16) for one in shown] == [device.certificate.serial_number], f"shown is {shown}")
    mine = f"{first.serial_number:032x}"
    steps.refuse(
        "a serial number of nobody's", device.call("POST", "/v1/device/certificates/revocation", {"serial": "0badc0de"}), 404,
        "not_found",
    )
    revocation = "POST", "/v1/device/certificates/revocation", {"serial": mine}
    steps.accept("the first certificate is revoked", device.call(*revocation), 204)
    steps.accept("and again", device.call(*revocation), 204)
    old_key, new = device.key, new_key()
    request = messages.signing_request(new)
    steps.accept("a renewal with a new key, whose answer is lost", device.call("POST", path, {"signingRequest": b64(request)}))
    steps.refuse("the old certificate", device.call("GET", "/v1/device"), 403, "revoked")
    thief = b64(messages.signing_request(new_key()))
    steps.refuse("a key of a thief over it", device.call("POST", path, {"signingRequest": thief}), 403, "revoked")
    answer = steps.accept("the old certificate's last use", device.call("POST", path, {"signingRequest": b64(request)}))
    device.use(new, answer.json)
    steps.accept("the new certificate", device.call("GET", "/v1/device"))
    transfer = {"from": "123123456456", "to": "654654123123", "amount": "0.01", "currency": "EUR", "notes": ""}
    post = "POST", "/v1/transfers", transfer
    old = device.signing(key=old_key)
    steps.refuse(
        "the old key's signature", device.signed(*post, signing=old, idempotency_key=nonce()), 401, "not_authenticated"
    )
    steps.accept("the new key's signature", device.signed(*post, idempotency_key=nonce()), 201)


def without_evidence(steps: Steps) -> Device:
    """An attestation that cannot be verified is recorded as none, where none is demanded."""
    key, token = new_key(), steps.token()
    request = messages.signing_request(key)
    answer = steps.register(token, request, attestation=b64(messages.software_attestation(key, b"another", 0)))
    steps.accept("a registration with the evidence of another challenge", answer, 201)
    return Device(steps.server, steps.ca, steps.folder, key, answer.json)


def server_made(steps: Steps) -> None:
    """A key that the server makes."""
    fields = {"authorization": f"Bearer {steps.token()}"}
    path = "/v1/devices/pkcs12"
    short = steps.server.call("POST", path, {"name": "made", "passphrase": "short"}, **fields)
    steps.refuse("a short passphrase", short, 400, "malformed_request")
    body = {"name": "made", "passphrase": "correct horse"}
    answer = steps.accept("a PKCS #12 file", steps.server.call("POST", path, body, **fields), 201).json
    key, certificate, _ = pkcs12.load_key_and_certificates(unb64(answer["pkcs12"]), b"correct horse")
    require(public_key(key) == public_key(certificate.public_key()), "key and certificate do not match")
    device = Device(steps.server, steps.ca, steps.folder, key, answer)
    steps.accept("its device", device.call("GET", "/v1/device"))
    steps.accept("its end", device.call("POST", "/v1/device/revocation"), 204)


def revoke(steps: Steps, device: Device) -> None:
    steps.accept("the device's end", device.call("POST", "/v1/device/revocation"), 204)
    steps.refuse("the device, signed by the server", device.call("GET", "/v1/device"), 403, "revoked")
    request = b64(messages.signing_request(device.key))
    renewal = device.call("POST", "/v1/device/renewal", {"signingRequest": request})
    steps.refuse("its renewal", renewal, 403, "revoked")
    # A revocation of the current second may be missing yet.
    deadline = time.monotonic() + 10
    while True:
        answer = steps.server.call("GET", "/v1/crl")
        listed = x509.load_der_x509_crl(answer.body)
        if listed.get_revoked_certificate_by_serial_number(device.certificate.serial_number):
            break
        require(time.monotonic() < deadline, "the revocation list does not have the certificate")
        time.sleep(0.2)
    root = x509.load_pem_x509_certificates(open(steps.ca, "rb").read())[0]
    require(listed.is_signature_valid(root.public_key()), "the list is not the authority's")
    steps.done("the revocation list has it, signed by the authority")
