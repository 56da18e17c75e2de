"""Recomputes the worked examples of the pages, and compares them with the pages' text.

    python -m enrollment.examples [--write]     first writes the examples into the pages
    python -m enrollment.examples --pin         prints the attestation key's public half as PEM
"""

import json
import pathlib
import re
import sys

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from . import messages
from .bytes import b64, public_key, raw, sha256, sign_der

ROOT = pathlib.Path(__file__).resolve().parents[3]
CATALOG = ROOT / "Sources/LatchkeyEnrollmentServer/LatchkeyEnrollmentServer.docc"
BLOCK = re.compile(r"<!-- ([a-z ]+) -->\n```\n(.*?)\n```\n", re.S)
WIDTH = 112
AUTHORITY, CREATED = "id.example.com:8443", 1_796_083_200
DEVICE, CHALLENGE = "00112233445566778899aabbccddeeff", "ffeeddccbbaa99887766554433221100"
NONCE, OTHER_NONCE = "bm9uY2Ugb2YgYSByZXF1ZXN0", "bm9uY2Ugb2YgYW4gYW5zd2Vy"
TOKEN = "dGhlIHRva2VuIG9mIHRoZSBleGFtcGxlcyBvZiBwYWdl"


def key(name: str) -> ec.EllipticCurvePrivateKey:
    return ec.derive_private_key(int.from_bytes(sha256(f"{name} key".encode())), ec.SECP256R1())


def digest(body: bytes) -> str:
    return f"sha-256=:{b64(sha256(body))}:"


def parameters(components: list[str], nonce: str | None, keyid: str, tag: str) -> str:
    with_nonce = f';nonce="{nonce}"' if nonce else ""
    return (
        f'({" ".join(components)});created={CREATED};expires={CREATED + 300}{with_nonce};keyid="{keyid}"'
        f';alg="ecdsa-p256-sha256";tag="{tag}"'
    )


def signed(lines: list[tuple[str, str]], nonce: str | None, keyid: str, tag: str, by) -> dict:
    """The base of a signature by hand (RFC 9421 2.5), and the two fields."""
    value = parameters([name for name, _ in lines], nonce, keyid, tag)
    base = "".join(f"{name}: {text}\n" for name, text in lines) + f'"@signature-params": {value}'
    signature = raw(sign_der(by, base.encode()))
    return {"base": base, "signature-input": f"latchkey={value}", "signature": f"latchkey=:{b64(signature)}:"}


def request(method: str, path: str, body: bytes, fields: list[tuple[str, str]]) -> dict:
    lines = [('"@method"', method), ('"@target-uri"', f"https://{AUTHORITY}{path}")]
    lines += [('"content-digest"', digest(body)), ('"content-type"', "application/json")]
    lines += [(f'"{name}"', value) for name, value in fields]
    found = signed(lines, NONCE, DEVICE, "latchkey-request", key("identity"))
    return {"body": body.decode(), "content-digest": digest(body)} | found


def answer(to: dict, method: str, path: str, status: int, body: bytes | None, fields: list, nonce: str | None) -> dict:
    lines = [('"@status"', str(status))]
    if body is not None:
        lines += [('"content-digest"', digest(body)), ('"content-type"', "application/json")]
    lines += [(f'"{name}"', value) for name, value in fields]
    lines += [('"@method";req', method), ('"@target-uri";req', f"https://{AUTHORITY}{path}")]
    lines += [(f'"{name}";req', to[name]) for name in ("content-digest", "signature") if name in to]
    keyid = sha256(public_key(key("answer")))[:8].hex()
    found = signed(lines, nonce, keyid, "latchkey-response", key("answer"))
    return ({"body": body.decode(), "content-digest": digest(body)} if body is not None else {}) | found


def keys() -> dict:
    found = {}
    for name in ("identity", "approval", "answer", "attestation"):
        private = key(name)
        found[f"{name} private"] = private.private_numbers().private_value.to_bytes(32).hex()
        found[f"{name} public"] = public_key(private).hex()
    return found | {"keyid": sha256(public_key(key("answer")))[:8].hex()}


def registration() -> dict:
    identity = key("identity")
    csr = messages.signing_request(identity)
    challenge = messages.registration_challenge(TOKEN, csr)
    statement = messages.software_statement(public_key(identity), challenge, CREATED, messages.PRIVATE_KEY_USAGE, "aku")
    return {
        "token": TOKEN, "signing request": csr.hex(), "challenge": challenge.hex(), "statement": statement.hex(),
        "sig": sign_der(identity, statement).hex(), "object": messages.software_attestation(identity, challenge, CREATED).hex(),
    }


def approval_key() -> dict:
    value, flags = sha256(b"value"), messages.PRESENCE | messages.PRIVATE_KEY_USAGE
    login = messages.challenge_message("login", value)
    return {
        "value": value.hex(), "object": messages.software_attestation(key("approval"), value, CREATED, flags).hex(),
        "login message": login.hex(), "login signature": sign_der(key("approval"), login).hex(),
    }


def device_approval(requested: list[str] = []) -> dict:
    content = messages.decision_digest(True, CHALLENGE, sha256(public_key(key("identity"))), "phone", requested)
    message = messages.challenge_message("enrollment", sha256(b"value"), content)
    return {"content": content.hex(), "message": message.hex(), "signature": sign_der(key("approval"), message).hex()}


def tpm() -> dict:
    area = messages.tpm_area(public_key(key("approval")), messages.authorization_policy())
    certification = messages.tpm_certification(area, sha256(b"value"))
    signature = messages.tpm_signature(key("attestation"), certification)
    return {
        "pubArea": area.hex(), "certInfo": certification.hex(), "sig": signature.hex(),
        "object": messages.tpm_attestation(area, certification, signature).hex(),
    }


def approval(content: bytes) -> dict:
    message = messages.challenge_message("service-ledger", sha256(b"value"), content)
    signature = sign_der(key("approval"), message)
    return {
        "content": content.hex(), "message": message.hex(), "signature": signature.hex(),
        "field": messages.approval(CHALLENGE, signature),
    }


def core() -> dict:
    body = b'{"example":true}'
    idempotency = ("idempotency-key", "example-request-1")
    approved = approval(sha256(body))
    plain = request("POST", "/v1/example?page=1", body, [idempotency, ("latchkey-approval", approved["field"])])
    path, asked = "/v1/device", {}
    components = '"@status" "content-digest" "content-type" "@method";req "@target-uri";req'
    status = b'{"device":"%s"}' % DEVICE.encode()
    return {
        "keys": keys(), "registration": registration(), "approval key": approval_key(),
        "device approval": device_approval(),
        "named device approval": device_approval(["dns:a.devices.example", "ip:192.0.2.9"]), "tpm": tpm(), "approval": approved,
        "request": plain,
        "answer": answer(
            plain, "POST", "/v1/example?page=1", 201, b'{"done":true}', [("idempotency-replayed", "true")], None
        ),
        "asked": {
            "accept-signature": f'latchkey=({components});created;expires;nonce="{OTHER_NONCE}";alg="ecdsa-p256-sha256"'
            ';tag="latchkey-response"'
        } | answer(asked, "GET", path, 200, status, [], OTHER_NONCE),
        "no content": answer({}, "POST", "/v1/device/revocation", 204, None, [], OTHER_NONCE),
    }


def transfers() -> dict:
    found = {}
    plain = {"from": "123123456456", "to": "654654123123", "amount": "2323.23", "currency": "EUR", "notes": "日"}
    for name, transfer in (("transfer", plain), ("dated transfer", plain | {"date": CREATED})):
        content = messages.transfer_digest(transfer)
        text = json.dumps(transfer, ensure_ascii=False, separators=(",", ":"))
        canonical = messages.canonical_transfer(transfer)
        approved = approval(content)
        found[name] = {"body": text, "canonical": canonical.hex(), "digest": content.hex(), "message": approved["message"]}
    return found


def shown(values: dict) -> str:
    """A block of the page: names, and their values below, two blanks before each line, four where a long one goes on."""
    lines = []
    for name, value in values.items():
        lines.append(name)
        for line in value.split("\n"):
            margin = "  "
            while line:
                end = min(len(line), WIDTH)
                while end < len(line) and " " in (line[end - 1], line[end]):
                    end -= 1
                lines.append(margin + line[:end])
                line, margin = line[end:], "    "
    return "```\n" + "\n".join(lines) + "\n```"


def read(path: pathlib.Path) -> dict:
    """The groups of a page's examples."""
    groups = {}
    for group, block in BLOCK.findall(path.read_text()):
        values, name = {}, ""
        for line in block.splitlines():
            if line.startswith("    "):
                values[name] += line[4:]
            elif line.startswith("  "):
                values[name] = f"{values[name]}\n{line[2:]}" if name in values else line[2:]
            else:
                name = line
        groups[group] = values
    return groups


def check() -> int:
    """Compares every value; returns their number."""
    count = 0
    for name, computed in PAGES.items():
        found, wanted = read(CATALOG / name), computed()
        assert found.keys() == wanted.keys(), f"{name} has the examples {sorted(found)}, not {sorted(wanted)}"
        for group, values in wanted.items():
            for member in values.keys() | found[group].keys():
                assert found[group].get(member) == values.get(member), f"{name}: {group}, {member} is {values.get(member)}"
            count += len(values)
    return count


def write() -> None:
    for name, computed in PAGES.items():
        path, groups = CATALOG / name, computed()
        text = re.sub(
            r"<!-- ([a-z ]+) -->\n(?:```\n.*?\n```\n)?",
            lambda match: f"<!-- {match[1]} -->\n{shown(groups[match[1]])}\n", path.read_text(), flags=re.S,
        )
        path.write_text(text)


def pin() -> str:
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return key("attestation").public_key().public_bytes(serialization.Encoding.PEM, form).decode()


PAGES = {"EnrollmentProtocol.md": core, "AccountsAndTransfers.md": transfers}

if __name__ == "__main__":
    if sys.argv[1:] == ["--pin"]:
        print(pin(), end="")
        sys.exit()
    if sys.argv[1:] == ["--write"]:
        write()
    print(check(), "values")
