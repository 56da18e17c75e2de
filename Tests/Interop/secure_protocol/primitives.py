"""Encodings, hashes and curves."""
import hashlib
import hmac
import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

P = 2**255 - 19
A = 486662


class Refused(Exception):
    """What the other side sent does not hold; `code` is the error that a device answers."""

    def __init__(self, code, why):
        super().__init__(why)
        self.code = code


def lv(*fields):
    """Each field behind its length in LEB128."""
    out = b""
    for field in fields:
        rest = len(field)
        while rest > 127:
            out += bytes([rest & 127 | 128])
            rest >>= 7
        out += bytes([rest]) + field
    return out


def sha512(data):
    return hashlib.sha512(data).digest()


def hkdf_extract(name, salt, material):
    return hmac.digest(salt, material, name)


def hkdf_expand(name, key, info, length):
    out, block, count = b"", b"", 1
    while len(out) < length:
        block = hmac.digest(key, block + info + bytes([count]), name)
        out += block
        count += 1
    return out[:length]


def elligator2(seed):
    """map_to_curve_elligator2 of RFC 9380 6.7.1 for curve25519; the u-coordinate alone."""
    r = (int.from_bytes(seed, "little") & (2**255 - 1)) % P
    v = -A * pow(1 + 2 * r * r, -1, P) % P
    e = pow(v**3 + A * v * v + v, (P - 1) // 2, P)
    return (v if e in (0, 1) else (-v - A) % P).to_bytes(32, "little")


def x25519(scalar, point):
    """RFC 7748. A product that is all zero is refused."""
    try:
        return X25519PrivateKey.from_private_bytes(scalar).exchange(X25519PublicKey.from_public_bytes(point))
    except ValueError:
        raise Refused(3, "a point of low order") from None


def x25519_public(scalar):
    return X25519PrivateKey.from_private_bytes(scalar).public_key().public_bytes_raw()


class Cipher:
    """One direction of ChaCha20-Poly1305 with a counter that is not sent."""

    def __init__(self, key):
        self.aead = ChaCha20Poly1305(key)
        self.counter = 0

    def _nonce(self):
        if self.counter >= 2**32:
            raise Refused(8, "the counter is used up")
        nonce = bytes(4) + self.counter.to_bytes(8, "little")
        self.counter += 1
        return nonce

    def seal(self, plain, aad):
        return self.aead.encrypt(self._nonce(), plain, aad)

    def open(self, sealed, aad):
        try:
            return self.aead.decrypt(self._nonce(), sealed, aad)
        except InvalidTag:
            raise Refused(3, "a record does not decrypt") from None


class Randomness:
    """Random bytes by name; a test fixes some of them, each for all its draws."""

    def __init__(self, fixed=None):
        self.fixed = dict(fixed or {})

    def draw(self, name, length):
        value = self.fixed.get(name, None)
        if value is None:
            return os.urandom(length)
        assert len(value) == length, f"{name} has {length} bytes"
        return value
