"""A second implementation of the documented provisioning protocol, from its description: secp192k1, AES-192-CBC, frames.

Plain affine arithmetic, neither fast nor constant-time: a difference between it and ours is an error in one of them.
"""

import secrets

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

# SEC 2, version 2.0, section 2.2.1.
P = 2**192 - 0x1_0000_11C9
N = 0xFFFFFFFFFFFFFFFFFFFFFFFE26F2FC170F69466A74DEFD8D
G = (
    0xDB4FF10EC057E9AE26B07D0280B7F4341DA5D1B1EAE06C7D,
    0x9B2F2F6D9C5628A7844163D015BE86344082AA88D95E2F9D,
)
COORDINATE = 24
IV = bytes(range(16))

APP_KEY, DEVICE_KEY, APP_DATA, DEVICE_DATA = 0x10, 0x11, 0x20, 0x21


def add(a, b):
    """The sum of two points; None is the point at infinity."""
    if a is None or b is None:
        return a or b
    (x1, y1), (x2, y2) = a, b
    if x1 == x2 and (y1 + y2) % P == 0:
        return None
    slope = 3 * x1 * x1 * pow(2 * y1, -1, P) if a == b else (y2 - y1) * pow(x2 - x1, -1, P)
    x3 = (slope * slope - x1 - x2) % P
    return x3, (slope * (x1 - x3) - y1) % P


def multiply(scalar: int, point):
    result = None
    while scalar:
        if scalar & 1:
            result = add(result, point)
        point = add(point, point)
        scalar >>= 1
    return result


def on_curve(point) -> bool:
    x, y = point
    return x < P and y < P and (y * y - x * x * x - 3) % P == 0


class KeyPair:
    """A fresh key pair, or the one of a given scalar."""

    def __init__(self, scalar: int | None = None) -> None:
        self.scalar = scalar or 1 + secrets.randbelow(N - 1)
        x, y = multiply(self.scalar, G)
        self.public = x.to_bytes(COORDINATE, "big") + y.to_bytes(COORDINATE, "big")

    def shared(self, peer: bytes) -> bytes:
        point = (int.from_bytes(peer[:COORDINATE], "big"), int.from_bytes(peer[COORDINATE:], "big"))
        if len(peer) != 2 * COORDINATE or not on_curve(point):
            raise ValueError("the peer's key is not on the curve")
        shared = multiply(self.scalar, point)
        if shared is None or shared[0] == 0:
            raise ValueError("the shared secret is zero")
        return shared[0].to_bytes(COORDINATE, "big")


def frame(kind: int, body: bytes) -> bytes:
    return bytes([kind]) + len(body).to_bytes(2, "big") + body


class FrameStream:
    """Splits a byte stream into frames, independently of its segmentation into values."""

    def __init__(self) -> None:
        self.bytes = b""

    def feed(self, value: bytes) -> list[tuple[int, bytes]]:
        self.bytes += value
        frames = []
        while len(self.bytes) >= 3 and len(self.bytes) >= 3 + int.from_bytes(self.bytes[1:3], "big"):
            end = 3 + int.from_bytes(self.bytes[1:3], "big")
            frames.append((self.bytes[0], self.bytes[3:end]))
            self.bytes = self.bytes[end:]
        return frames


def encrypt(key: bytes, text: bytes) -> bytes:
    """Zero fill to the next multiple of 16, a whole block of it if the text is one already."""
    padded = text + bytes(16 - len(text) % 16)
    encryptor = Cipher(algorithms.AES(key), modes.CBC(IV)).encryptor()
    return encryptor.update(padded) + encryptor.finalize()


def decrypt(key: bytes, ciphertext: bytes) -> bytes:
    """The text without its trailing NULs."""
    decryptor = Cipher(algorithms.AES(key), modes.CBC(IV)).decryptor()
    return (decryptor.update(ciphertext) + decryptor.finalize()).rstrip(b"\0")
