"""The approval key: its registration, and logins by it."""

import time

from . import examples, messages
from .bytes import b64, public_key, sign_der, unb64
from .client import Answer, Device, require
from .enrolling import new_key
from .steps import Steps

# The server is started with the public half as --attestation-pin.
ATTESTATION_KEY = examples.key("attestation")
GUARDED = messages.PRESENCE | messages.PRIVATE_KEY_USAGE


def put(device: Device, challenge: dict, key, statement: bytes) -> Answer:
    body = {"publicKey": b64(public_key(key)), "challengeID": challenge["id"], "attestation": b64(statement)}
    return device.call("PUT", "/v1/device/approval-key", body)


def attested(key, challenge: bytes, flags: int = GUARDED) -> bytes:
    return messages.software_attestation(key, challenge, int(time.time()), flags, "akpu")


def register(steps: Steps, device: Device) -> None:
    device.approval_key = key = new_key()

    def attempt(what: str, statement, of=key, purpose: str = "attestation") -> None:
        challenge = device.challenge(purpose)
        value = unb64(challenge["value"])
        steps.refuse(what, put(device, challenge, of, statement(value)), 422, "invalid_attestation")

    attempt("an approval key that asks nobody", lambda value: attested(key, value, messages.PRIVATE_KEY_USAGE))
    attempt("an answer to another challenge", lambda value: attested(key, bytes(32)))
    attempt("the statement of another key", lambda value: attested(new_key(), value))
    attempt("a challenge of a login", lambda value: attested(key, value), purpose="login")
    attempt("the identity key", lambda value: attested(device.key, value), of=device.key)
    attempt("flags that there are not", lambda value: attested(key, value, GUARDED | 1 << 20))
    attempt("bytes behind the CBOR", lambda value: attested(key, value) + b"\0")
    # The map's head as an integer of one more byte.
    attempt("CBOR that is not in its shortest form", lambda value: b"\xb8\x02" + attested(key, value)[1:])

    challenge = device.challenge("attestation")
    statement = attested(key, unb64(challenge["value"]))
    status = steps.accept("an approval key", put(device, challenge, key, statement)).json
    require((status["hasApprovalKey"], status["approvalKeyEvidence"]) == (True, "latchkey-software"), f"{status}")
    steps.refuse("its challenge once more", put(device, challenge, key, statement), 422, "invalid_attestation")
    challenge = device.challenge("attestation")
    steps.accept("the same key once more", put(device, challenge, key, attested(key, unb64(challenge["value"]))))
    challenge, second = device.challenge("attestation"), new_key()
    answer = put(device, challenge, second, attested(second, unb64(challenge["value"])))
    steps.refuse("another approval key", answer, 403, "not_permitted")
    log_in(steps, device)


def in_tpm(steps: Steps, device: Device) -> None:
    """An approval key whose TPM is one on paper: the server pins its attestation key."""
    key = new_key()
    area = messages.tpm_area(public_key(key), messages.authorization_policy())

    def statement(value: bytes, by=ATTESTATION_KEY, area: bytes = area) -> bytes:
        certification = messages.tpm_certification(area, value)
        return messages.tpm_attestation(area, certification, messages.tpm_signature(by, certification))

    challenge = device.challenge("attestation")
    answer = put(device, challenge, key, statement(bytes(32)))
    steps.refuse("a TPM's answer to another challenge", answer, 422, "invalid_attestation")
    challenge = device.challenge("attestation")
    value = unb64(challenge["value"])
    other = messages.tpm_area(public_key(new_key()), messages.authorization_policy())
    answer = put(device, challenge, key, statement(value, area=other))
    steps.refuse("a TPM's statement of another key", answer, 422, "invalid_attestation")
    challenge = device.challenge("attestation")
    status = steps.accept("an approval key in a TPM", put(device, challenge, key, statement(unb64(challenge["value"])))).json
    require(status["approvalKeyEvidence"] == "tpm", f"the evidence is {status['approvalKeyEvidence']}")


def log_in(steps: Steps, device: Device) -> None:
    def challenge(named: str = device.identifier) -> dict:
        answer = steps.server.call("POST", "/v1/challenges", {"purpose": "login", "device": named})
        require(answer.status_code == 200, f"a challenge is {answer.status_code} {answer.body!r}")
        return answer.json

    def answered(asked: dict, purpose: str = "login", key=device.approval_key, named: str = device.identifier) -> Answer:
        signature = sign_der(key, messages.challenge_message(purpose, unb64(asked["value"])))
        body = {"challengeID": asked["id"], "device": named, "signature": b64(signature)}
        return steps.server.call("POST", "/v1/login/key", body)

    asked = challenge()
    session = steps.accept("a login by key", answered(asked)).json
    require(session["device"] == device.identifier, f"the session is {session}")
    device.token = session["token"]
    steps.refuse("its challenge once more", answered(asked), 401, "not_authenticated")
    steps.refuse("a login by the identity key", answered(challenge(), key=device.key), 401, "not_authenticated")
    steps.refuse("the message of another purpose", answered(challenge(), purpose="attestation"), 401, "not_authenticated")
    steps.refuse("a challenge of another purpose", answered(device.challenge("attestation")), 401, "not_authenticated")
    nobody = "0" * 32
    steps.refuse("a device that there is not", answered(challenge(nobody), named=nobody), 401, "not_authenticated")
    asked = steps.server.call("POST", "/v1/challenges", {"purpose": "attestation"})
    steps.refuse("an attestation's challenge without a certificate", asked, 401, "certificate_required")
    asked = device.server.call("POST", "/v1/challenges", {"purpose": "attestation", "device": nobody})
    steps.refuse("a challenge of another device", asked, 403, "not_permitted")
    asked = device.server.call("POST", "/v1/challenges", {"purpose": "service-ledger"})
    steps.refuse("an approval of nothing", asked, 400, "malformed_request")
    session = steps.accept("a login by certificate", device.server.call("POST", "/v1/login/certificate")).json
    require(session["device"] == device.identifier, f"the session is {session}")
