"""The sample service: accounts, transfers, approvals of them."""

import time

from . import messages
from .bytes import unb64
from .client import Answer, Device, nonce, require
from .enrolling import new_key
from .steps import Steps

FROM, TO = "123123456456", "654654123123"


def transfer(amount: str, notes: str = "Müsli, 日", **more) -> dict:
    return {"from": FROM, "to": TO, "amount": amount, "currency": "EUR", "notes": notes} | more


def balance(device: Device) -> int:
    accounts = device.call("GET", "/v1/accounts").json["accounts"]
    return next(int(one["balance"].replace(".", "")) for one in accounts if one["number"] == FROM)


def post(device: Device, body: dict, key: str | None = None, **fields) -> Answer:
    return device.signed("POST", "/v1/transfers", body, idempotency_key=key or nonce(), **fields)


def move_money(steps: Steps, device: Device) -> None:
    bearer = {"authorization": f"Bearer {device.token}"}
    steps.accept("the accounts, with a token", device.call("GET", "/v1/accounts", **bearer))
    steps.refuse(
        "a token of no device", device.call("GET", "/v1/accounts", authorization=f"Bearer {steps.token()}"), 401,
        "not_authenticated",
    )
    before, key = balance(device), nonce()
    answer = steps.accept("a transfer, its answer verified", post(device, transfer("12.50"), key), 201)
    receipt = answer.json
    require("idempotency-replayed" not in answer.headers and receipt["amount"] == "12.50", f"{receipt}")
    again = steps.accept("the same once more", post(device, transfer("12.50"), key), 201)
    require((again.json, again.headers["idempotency-replayed"]) == (receipt, "true"), "the answer is another")
    same = steps.accept("the same bytes once more", device.verified(device.server.send(answer.request)), 201)
    require(same.json == receipt, "the same bytes have another answer")
    require(before - balance(device) == 1250, "it was not booked just once")
    quoted = steps.accept("a key in quotes is the same key", post(device, transfer("12.50"), f'"{key}"'), 201)
    require(quoted.json == receipt, "in quotes it is another key")
    steps.refuse("another transfer under its key", post(device, transfer("12.51"), key), 422, "idempotency_mismatch")
    today = int(time.time())
    dated = steps.accept("a transfer with a date", post(device, transfer("1.00", date=today)), 201)
    require(dated.json["date"] == today, "the receipt has another date")
    steps.refuse("a date that has passed", post(device, transfer("1.00", date=today - 3 * 86_400)), 422, "invalid_transfer")
    steps.refuse("a date too far ahead", post(device, transfer("1.00", date=today + 200 * 86_400)), 422, "invalid_transfer")
    steps.refuse("nothing", post(device, transfer("0.00")), 422, "invalid_transfer")
    steps.refuse("an amount that is a number", post(device, transfer(1.5)), 400, "malformed_request")
    steps.refuse("an account of nobody's", post(device, transfer("1.00") | {"from": "000000000000"}), 422, "unknown_account")
    approved(steps, device)


def approved(steps: Steps, device: Device) -> None:
    """Step-up: from the server's threshold on, by a challenge that comes with the refusal, or one that was asked for before."""
    key, body = nonce(), transfer("100.00")
    content = messages.transfer_digest(body)
    refusal = steps.refuse("a large transfer without approval", post(device, body, key), 403, "approval_required").json
    require(len(unb64(refusal["challenge"]["value"])) == 32, f"the challenge is {refusal['challenge']}")

    def attempt(what: str, challenge: dict, of: bytes = content, by=device.approval_key) -> dict:
        field = device.approval(challenge, of, by)
        answer = post(device, body, key, latchkey_approval=field)
        return steps.refuse(what, answer, 403, "approval_required").json["challenge"]

    challenge = attempt("an approval by another key", refusal["challenge"], by=new_key())
    challenge = attempt("one by the identity key", challenge, by=device.key)
    challenge = attempt("one of another transfer", challenge, messages.transfer_digest(transfer("100.01")))
    used = challenge
    answer = post(device, body, key, latchkey_approval=device.approval(challenge, content, device.approval_key))
    steps.accept("an approved transfer", answer, 201)
    key = nonce()
    attempt("its approval once more", used)
    attempt("a challenge of a login", device.challenge("login"))
    body = transfer("150.00", date=int(time.time()))
    content, key = messages.transfer_digest(body), nonce()
    attempt("a challenge of another content", device.challenge("service-ledger", bytes(32)))
    challenge = device.challenge("service-ledger", content)
    answer = post(device, body, key, latchkey_approval=device.approval(challenge, content, device.approval_key))
    steps.accept("one whose challenge was asked for before", answer, 201)
    answer = post(device, body, nonce(), latchkey_approval="not base64url!")
    steps.refuse("an approval that is no base64url", answer, 400, "malformed_request")
