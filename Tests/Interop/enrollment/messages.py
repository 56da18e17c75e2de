"""What keys sign, besides HTTP messages: challenges, attestations, signing requests; and a transfer's digest."""

import json

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from .bytes import b64, b64url, cbor, public_key, raw, sha256, sign_der

# Flags of a key's guard: the user's presence, the private key may be used.
PRESENCE, PRIVATE_KEY_USAGE = 1 << 0, 1 << 30
TPM_ECDSA, TPM_SHA256, TPM_NULL, TPM_ECC, TPM_P256 = 0x0018, 0x000B, 0x0010, 0x0023, 0x0003
FIXED_TPM, FIXED_PARENT, SENSITIVE_DATA_ORIGIN, SIGN = 1 << 1, 1 << 4, 1 << 5, 1 << 18


def challenge_message(purpose: str, value: bytes, content: bytes = bytes(32)) -> bytes:
    return f"latchkey-challenge-v1\n{purpose}\n".encode() + value + content


def decision_digest(is_approved: bool, device: str, key_digest: bytes, name: str, requested: list[str] = []) -> bytes:
    version, decision = "v2" if requested else "v1", "approve" if is_approved else "reject"
    head = f"latchkey-device-approval-{version}\n{decision}\n{device}\n".encode() + key_digest
    if not requested:
        return sha256(head + name.encode())
    texts = [text.encode() for text in (*requested, name)]
    return sha256(head + b"".join(b"%d:%b" % (len(text), text) for text in texts))


def approval(challenge_id: str, signature: bytes) -> str:
    """The value of the field Latchkey-Approval."""
    return b64url(json.dumps({"challengeID": challenge_id, "signature": b64(signature)}, separators=(",", ":")).encode())


def registration_challenge(token: str, request: bytes) -> bytes:
    return sha256(b"latchkey-identity-attestation-v1\n" + sha256(token.encode()) + sha256(request))


def signing_request(key: ec.EllipticCurvePrivateKey, name: str = "device", dns: str | None = None) -> bytes:
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    builder = x509.CertificateSigningRequestBuilder().subject_name(subject)
    if dns:
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(dns)]), critical=False)
    request = builder.sign(key, hashes.SHA256(), ecdsa_deterministic=True)
    return request.public_bytes(serialization.Encoding.DER)


def software_statement(point: bytes, challenge: bytes, created: int, flags: int, protection: str) -> bytes:
    return cbor({
        "backend": "software", "publicKey": point, "protection": protection, "flags": flags, "challenge": sha256(challenge),
        "created": created,
    })


def software_attestation(key, challenge: bytes, created: int, flags: int = PRIVATE_KEY_USAGE, protection: str = "aku") -> bytes:
    statement = software_statement(public_key(key), challenge, created, flags, protection)
    return cbor({
        "fmt": "latchkey-software", "attStmt": {"alg": -7, "sig": sign_der(key, statement), "statement": statement},
    })


def tpm_area(point: bytes, policy: bytes) -> bytes:
    """TPMT_PUBLIC of a signing key on P-256."""
    attributes = FIXED_TPM | FIXED_PARENT | SENSITIVE_DATA_ORIGIN | SIGN
    return (
        words(TPM_ECC, TPM_SHA256) + attributes.to_bytes(4) + sized(policy) + words(TPM_NULL, TPM_NULL, TPM_P256, TPM_NULL)
        + sized(point[1:33]) + sized(point[33:])
    )


def tpm_certification(area: bytes, challenge: bytes) -> bytes:
    """TPMS_ATTEST of a certification; clock, counters, firmware and qualified names are made up."""
    name = words(TPM_SHA256) + sha256(area)
    return (
        bytes.fromhex("ff5443478017") + sized(words(TPM_SHA256) + sha256(b"signer")) + sized(sha256(challenge))
        + (1000).to_bytes(8) + (1).to_bytes(4) + (0).to_bytes(4) + b"\1" + (1).to_bytes(8) + sized(name)
        + sized(words(TPM_SHA256) + sha256(b"key"))
    )


def tpm_signature(key, certification: bytes) -> bytes:
    """TPMT_SIGNATURE by an attestation key on P-256."""
    numbers = raw(sign_der(key, certification))
    return words(TPM_ECDSA, TPM_SHA256) + sized(numbers[:32]) + sized(numbers[32:])


def tpm_attestation(area: bytes, certification: bytes, signature: bytes) -> bytes:
    """The attestation object of a statement by a pinned attestation key."""
    return cbor({
        "fmt": "tpm",
        "attStmt": {"ver": "2.0", "alg": -7, "x5c": [], "sig": signature, "certInfo": certification, "pubArea": area},
    })


def authorization_policy() -> bytes:
    """The digest of TPM2_PolicyAuthValue."""
    return sha256(bytes(32) + bytes.fromhex("0000016b"))


def words(*values: int) -> bytes:
    return b"".join(value.to_bytes(2) for value in values)


def sized(data: bytes) -> bytes:
    """TPM2B."""
    return len(data).to_bytes(2) + data


def canonical_transfer(transfer: dict) -> bytes:
    fields = [transfer[name] for name in ("from", "to", "amount", "currency", "notes")]
    version = 1
    if transfer.get("date") is not None:
        version, fields = 2, [*fields, str(transfer["date"])]
    coded = [field.encode() for field in fields]
    return f"latchkey-transfer-v{version}\n".encode() + b"".join(f"{len(field)}:".encode() + field for field in coded)


def transfer_digest(transfer: dict) -> bytes:
    return sha256(canonical_transfer(transfer))
