"""Encodings: base64, deterministic CBOR, keys, signatures."""

import base64
import hashlib

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature


def sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def sha512(data: bytes) -> bytes:
    return hashlib.sha512(data).digest()


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def unb64(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


def b64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def cbor(value) -> bytes:
    """The core deterministic encoding (RFC 8949 4.2.1) of integers, bytes, texts, lists and dictionaries."""
    if isinstance(value, bool):
        return b"\xf5" if value else b"\xf4"
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(map(cbor, value))
    entries = sorted((cbor(key), cbor(member)) for key, member in value.items())
    return head(5, len(entries)) + b"".join(key + member for key, member in entries)


def head(major: int, argument: int) -> bytes:
    if argument < 24:
        return bytes([major << 5 | argument])
    for more, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if argument < 1 << 8 * size:
            return bytes([major << 5 | more]) + argument.to_bytes(size)
    raise ValueError("no integer of CBOR has more than 64 bits")


def public_key(key) -> bytes:
    """The uncompressed point of a private or public key."""
    public = key.public_key() if hasattr(key, "public_key") else key
    return public.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


def of_point(point: bytes) -> ec.EllipticCurvePublicKey:
    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)


def sign_der(key: ec.EllipticCurvePrivateKey, message: bytes) -> bytes:
    """ECDSA with SHA-256 as X9.62 DER; deterministic (RFC 6979), so that the page's examples can be computed again."""
    return key.sign(message, ec.ECDSA(hashes.SHA256(), deterministic_signing=True))


def raw(der: bytes) -> bytes:
    """r || s, 32 bytes each."""
    return b"".join(number.to_bytes(32) for number in decode_dss_signature(der))
