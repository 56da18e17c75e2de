"""One-time enrollment tokens of the operator, and the approval of a new device by an old one."""

from . import messages
from .bytes import b64, public_key, sha256, sign_der, unb64
from .client import Answer, Device, nonce, require
from .enrolling import new_key
from .steps import Steps


def enroll(steps: Steps, token: str, name: str) -> None:
    """A device by a token that prescribes its name."""
    key, idempotency = new_key(), nonce()
    request = messages.signing_request(key)
    steps.refuse("a token for a device of another name", steps.register(token, request, name="other"), 403, "not_permitted")
    answer = steps.accept("a registration by a token", steps.register(token, request, idempotency, name=name), 201)
    again = steps.accept("the same once more", steps.register(token, request, idempotency, name=name), 201)
    require(again.body == answer.body, "the answer is another")
    steps.refuse("a used token", steps.register(token, request, name=name), 401, "not_authenticated")
    unknown = "lke_" + "A" * 43
    steps.refuse("a token that there is not", steps.register(unknown, request, name=name), 401, "not_authenticated")
    device = Device(steps.server, steps.ca, steps.folder, key, answer.json)
    steps.accept("the device, over mutual TLS", device.call("GET", "/v1/device"))


def approve(steps: Steps, approver: Device, token: str) -> None:
    """A device that waits until `approver`, which has an approval key, lets it in."""
    key, idempotency = new_key(), nonce()
    request = messages.signing_request(key, dns="a.devices.example")
    pending = steps.accept("a registration that waits", steps.register(token, request, idempotency), 202).json
    digest = sha256(public_key(key))
    require(unb64(pending["keyDigest"]) == digest, "the digest is another key's")
    listed = steps.accept("what waits", approver.call("GET", "/v1/devices/pending")).json["devices"]
    require(listed == [pending], f"{listed}")
    names = pending["requestedNames"]
    require(names == ["dns:a.devices.example"], f"{names}")

    def decide(
        signer, approved: bool, claimed: bool | None = None, body: dict | None = None, names: list[str] = names
    ) -> tuple[Answer, dict]:
        content = messages.decision_digest(approved, pending["device"], digest, pending["name"], names)
        asked = approver.server.call("POST", "/v1/challenges", {"purpose": "enrollment", "content": b64(content)})
        message = messages.challenge_message("enrollment", unb64(asked.json["value"]), content)
        body = {
            "device": pending["device"], "isApproved": approved if claimed is None else claimed,
            "challengeID": asked.json["id"], "signature": b64(sign_der(signer, message)),
        } | (body or {})
        return approver.call("POST", "/v1/devices/approval", body), body

    steps.refuse("an approval by the identity key", decide(approver.key, True)[0], 403, "not_permitted")
    steps.refuse("an approval without the names", decide(approver.approval_key, True, names=[])[0], 403, "not_permitted")
    others = ["dns:b.devices.example"]
    steps.refuse("an approval of other names", decide(approver.approval_key, True, names=others)[0], 403, "not_permitted")
    steps.refuse("a rejection turned", decide(approver.approval_key, False, claimed=True)[0], 403, "not_permitted")
    steps.refuse("of no device", decide(approver.approval_key, True, body={"device": "0" * 32})[0], 404, "not_found")
    steps.accept("it still waits", steps.register(token, request, idempotency), 202)
    answer, body = decide(approver.approval_key, True)
    steps.accept("an approval", answer, 204)
    steps.refuse("the same once more", approver.call("POST", "/v1/devices/approval", body), 404, "not_found")
    enrolled = steps.accept("the registration, approved", steps.register(token, request, idempotency), 201).json
    require(enrolled["device"] == pending["device"], "the device is another one")
    device = Device(steps.server, steps.ca, steps.folder, key, enrolled)
    steps.accept("the approved device, over mutual TLS", device.call("GET", "/v1/device"))
