"""What is refused of signatures: of requests by the server, of answers by this client."""

import copy
import time

from .bytes import b64, public_key, sha256, sha512
from .client import Device, InvalidSignature, Refused, Request, Signing, accept_signature, nonce, require, verify
from .enrolling import new_key
from .steps import Steps
from .transferring import balance, transfer

POST = "POST", "/v1/transfers"


def refusals(steps: Steps, device: Device) -> None:
    before = balance(device)

    def made(signing: Signing | None = None, **fields) -> Request:
        request = device.server.request(*POST, transfer("0.50"), **{"idempotency_key": nonce()} | fields)
        return (signing or device.signing()).sign(request)

    def attempt(what: str, request: Request, status: int = 401, code: str = "not_authenticated", lines=()) -> dict:
        answer = device.server.send(request, list(lines))
        steps.refuse(what, answer, status, code)
        if "signature" in request.headers and not lines:
            device.verified(answer)
        return answer.json

    unsigned = device.server.request(*POST, transfer("0.50"), idempotency_key=nonce())
    attempt("an unsigned transfer", unsigned, 400, "malformed_request")
    request = made()
    request.body = request.body.replace(b"0.50", b"9.50")
    attempt("a body that was altered", request)
    request.headers["content-digest"] = f"sha-256=:{b64(sha256(request.body))}:"
    attempt("with a digest that goes with it", request)
    request = made()
    request.headers["idempotency-key"] = nonce()
    attempt("another Idempotency-Key", request)
    request = made()
    request.url += "?to=elsewhere"
    attempt("another target", request)
    request = made()
    request.headers["content-type"] = "application/json; charset=utf-8"
    attempt("another content type", request)
    attempt("another key", made(device.signing(key=new_key())))
    attempt("the approval key", made(device.signing(key=device.approval_key)))
    attempt("another device's name", made(device.signing(keyid="0" * 32)))
    attempt("a signature in DER", made(device.signing(is_der=True)))
    for name in ("@method", "@target-uri", "content-digest", "content-type", "idempotency-key"):
        attempt(f"{name} not covered", made(device.signing(without=(name,))), 400, "malformed_request")
    approval = {"latchkey_approval": "e30"}
    without = device.signing(without=("latchkey-approval",))
    attempt("an approval not covered", made(without, **approval), 400, "malformed_request")
    past, future = int(time.time()) - 400, int(time.time()) + 400
    problem = attempt("a signature of the past", made(device.signing(created=past)), 401, "clock_skew")
    require(abs(problem["serverTime"] - time.time()) < 30, "serverTime is not the time")
    attempt("one of the future", made(device.signing(created=future)), 401, "clock_skew")
    attempt("one that expired", made(device.signing(created=past + 200, lifetime=100)), 401, "clock_skew")
    attempt("one that lives too long", made(device.signing(lifetime=301)), 400, "malformed_request")
    attempt("no nonce", made(device.signing(nonce="")), 400, "malformed_request")
    attempt("a short nonce", made(device.signing(nonce="short")), 400, "malformed_request")
    attempt("another tag", made(device.signing(tag="latchkey-response")), 400, "malformed_request")
    request = made()
    request.headers["signature-input"] = request.headers["signature-input"].replace("ecdsa-p256-sha256", "ed25519")
    attempt("another algorithm", request, 400, "malformed_request")
    request = made()
    request.headers["signature-input"] = request.headers["signature-input"].replace('" "', '"  "')
    attempt("another spelling of the input", request, 400, "malformed_request")
    attempt("a covered field in two lines", made(), 400, "malformed_request", [("idempotency-key", nonce())])
    used = nonce()
    answer = device.verified(device.server.send(made(device.signing(nonce=used))))
    steps.accept("a nonce", answer, 201)
    attempt("the nonce once more", made(device.signing(nonce=used)), 409, "replayed")
    covered = "@authority", "@scheme", "@request-target", "@path", "@query", "user-agent"
    more = device.verified(device.server.send(made(device.signing(more=covered), user_agent="Python")))
    steps.accept("a signature that covers more", more, 201)
    both = device.server.request(*POST, transfer("0.50"), idempotency_key=nonce())
    both.headers["content-digest"] = f"sha-256=:{b64(sha256(both.body))}:, sha-512=:{b64(sha512(both.body))}:"
    answer = device.verified(device.server.send(device.signing().sign(both, digest=False)))
    steps.accept("two digests", answer, 201)
    half = device.server.request(*POST, transfer("0.50"), idempotency_key=nonce())
    half.headers["content-digest"] = f"sha-256=:{b64(sha256(half.body))}:, sha-512=:{b64(bytes(64))}:"
    attempt("two digests, one of them wrong", device.signing().sign(half, digest=False))
    beside = made()
    other = device.server.request(*POST, transfer("0.50"), accept="application/json")
    Signing(new_key(), "another", tag="another-application", only=("accept",), label="other").sign(other, digest=False)
    for field in ("signature-input", "signature"):
        beside.headers[field] = f"{other.headers[field]}, {beside.headers[field]}"
    beside.headers["accept"] = other.headers["accept"]
    steps.accept("another application's signature beside it", device.verified(device.server.send(beside)), 201)
    twice = made()
    twice.headers["signature-input"] += ", " + twice.headers["signature-input"].replace("client=", "again=")
    twice.headers["signature"] += ", " + twice.headers["signature"].replace("client=", "again=")
    attempt("two signatures of the tag", twice, 400, "malformed_request")
    named = made(device.signing(more=("host",)), host=steps.url.removeprefix("https://"))
    attempt("the field Host covered", named, 400, "malformed_request")
    large = device.signing().sign(device.server.request(*POST, transfer("0.50", "x" * 70_000), idempotency_key=nonce()))
    attempt("a body that is too large", large, 413, "too_large")
    require(before - balance(device) == 200, "something that was refused was booked")
    asked_for(steps, device)


def asked_for(steps: Steps, device: Device) -> None:
    """Answers that are signed, and those that are not."""

    def fields(answer) -> bool:
        return "signature" in answer.headers or "signature-input" in answer.headers

    require(not fields(device.server.call("GET", "/v1/device")), "an answer that nobody asked for is signed")
    short = 'latchkey=("@status");nonce="short";tag="latchkey-response"'
    require(not fields(device.server.call("GET", "/v1/device", accept_signature=short)), "a short nonce has a signed answer")
    other = f'latchkey=("@status");nonce="{nonce()}";tag="another"'
    require(not fields(device.server.call("GET", "/v1/device", accept_signature=other)), "another tag has a signed answer")
    login = device.server.request("POST", "/v1/login/certificate", accept_signature=accept_signature(nonce()))
    require(not fields(device.server.send(login)), "the answer to a login is signed")
    anonymous = steps.server.request("GET", "/v1/device", accept_signature=accept_signature(nonce()))
    require(not fields(steps.server.send(anonymous)), "an answer without a certificate is signed")
    steps.done("answers that are not signed")
    answer = device.call("PUT", "/v1/login", {})
    steps.refuse("a method, signed", answer, 405, "method_not_allowed")
    steps.refuse("a path, signed", device.call("GET", "/v1/nothing"), 404, "not_found")


def forged_answers(steps: Steps, device: Device) -> None:
    """This client takes no answer but the one to its request."""
    post = [device.server.request(*POST, transfer("0.25"), idempotency_key=nonce()) for _ in range(2)]
    first, second = (device.verified(device.server.send(device.signing().sign(request))) for request in post)
    asked, other = nonce(), nonce()

    def get(value: str):
        field = f'latchkey=("@status");nonce="{value}";tag="latchkey-response"'
        return device.server.call("GET", "/v1/device", accept_signature=field)

    status = get(asked)
    verify(status, device.server_keyid, device.server_key, asked)

    def attempt(what: str, answer, change=lambda answer: None, nonce: str | None = None, key: bytes = device.server_key) -> None:
        forged = copy.deepcopy(answer)
        change(forged)
        steps.raises(what, (InvalidSignature, Refused), lambda: verify(forged, device.server_keyid, key, nonce))

    def body(answer) -> None:
        answer.body = answer.body.replace(b"0.25", b"9.25")

    def digested(answer) -> None:
        body(answer)
        answer.headers["content-digest"] = f"sha-256=:{b64(sha256(answer.body))}:"

    def status_code(answer) -> None:
        answer.status_code = 200

    def replayed(answer) -> None:
        answer.headers["idempotency-replayed"] = "true"

    def bare(answer) -> None:
        for name in ("signature", "signature-input"):
            del answer.headers[name]

    def swapped(answer) -> None:
        answer.request = second.request

    attempt("an answer's body that was altered", first, body)
    attempt("with its digest", first, digested)
    attempt("another status", first, status_code)
    attempt("a field that was added", first, replayed)
    attempt("an answer without a signature", first, bare)
    attempt("the answer to another request", first, swapped)
    attempt("an answer that was asked for earlier", status, nonce=other)
    attempt("an answer of another key", first, key=public_key(device.key))
