#!/usr/bin/env python3
"""Computes protocomm.json, the vectors of Espressif's Security 1 and 2, with Python's integers and `cryptography` alone.

    python3 protocomm_vectors.py > protocomm.json

The inputs are those of the fixtures sec1_pop, sec1_no_pop_carry, sec2_example, sec2_short_b and sec2_short_s of
github.com/minhtri1401/esp-prov, which were made with Espressif's esp_prov; all outputs were compared with theirs and are equal. The salt
is the one of ESP-IDF's test_srp.c.
"""
import hashlib
import json
import random

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM


def pi(bits: int) -> int:
    def arctan(x: int, unity: int) -> int:
        total = term = unity // x
        n, sign = 3, -1
        while term:
            term //= x * x
            total += sign * (term // n)
            sign, n = -sign, n + 2
        return total

    unity = 1 << (bits + 64)
    return (4 * (4 * arctan(5, unity) - arctan(239, unity))) >> 64


# RFC 3526 section 5.
N = 2**3072 - 2**3008 - 1 + 2**64 * (pi(2942) + 1690314)
G = 5


def sha(*parts: bytes) -> bytes:
    return hashlib.sha512(b"".join(parts)).digest()


def number(data: bytes) -> int:
    return int.from_bytes(data, "big")


def minimal(value: int) -> bytes:
    return value.to_bytes((value.bit_length() + 7) // 8, "big")


def padded(value: int) -> bytes:
    return value.to_bytes(384, "big")


def variable(value: int) -> bytes:
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def field(tag: int, data: bytes) -> bytes:
    return variable(tag << 3 | 2) + variable(len(data)) + data


def session(version: int, kind: int, content: bytes) -> str:
    inner = (b"" if kind == 0 else bytes([8, kind])) + field(20 + kind, content)
    return (bytes([0x10, version]) + field(10 + version, inner)).hex()


PLAINS = [
    "01", "68656c6c6f", "000102030405060708090a0b0c0d0e0f", "6465666768696a6b6c6d6e6f7071727374",
    "7b2273736964223a224d794e6574776f726b222c2270617373706872617365223a2278227d000102", "656e64",
]


def security1(name: str, code: str, client: str, device: str, counter: str) -> dict:
    app, dev = (X25519PrivateKey.from_private_bytes(bytes.fromhex(key)) for key in (client, device))
    app_key, dev_key = app.public_key().public_bytes_raw(), dev.public_key().public_bytes_raw()
    key = app.exchange(dev.public_key())
    if code:
        key = bytes(a ^ b for a, b in zip(key, hashlib.sha256(code.encode()).digest()))
    stream = Cipher(algorithms.AES(key), modes.CTR(bytes.fromhex(counter))).encryptor()
    client_verify, device_verify = stream.update(dev_key), stream.update(app_key)
    return {
        "name": name, "code": code, "client_private_key": client, "device_private_key": device, "device_random": counter,
        "session_key": key.hex(),
        "command0": session(1, 0, field(1, app_key)),
        "response0": session(1, 1, field(2, dev_key) + field(3, bytes.fromhex(counter))),
        "command1": session(1, 2, field(2, client_verify)), "response1": session(1, 3, field(3, device_verify)),
        "messages": [{"plain": plain, "cipher": stream.update(bytes.fromhex(plain)).hex()} for plain in PLAINS],
    }


def security2(name: str, a: str, b: str, nonce: str) -> dict:
    username, code, salt = b"wifiprov", b"abcd1234", bytes.fromhex("036ee0c7bcb9eda84c9eac97d93decf4")
    x = number(sha(salt, sha(username, b":", code)))
    v = pow(G, x, N)
    k = number(sha(minimal(N), padded(G)))
    small_a, small_b = int(a, 16), int(b, 16)
    big_a, big_b = pow(G, small_a, N), (k * v + pow(G, small_b, N)) % N
    u = number(sha(padded(big_a), padded(big_b)))
    premaster = pow(big_b - k * pow(G, x, N), small_a + u * x, N)
    assert premaster == pow(big_a * pow(v, u, N), small_b, N)
    key = sha(minimal(premaster))
    group = bytes(p ^ q for p, q in zip(sha(minimal(N)), sha(padded(G))))
    proof = sha(group, sha(username), salt, minimal(big_a), minimal(big_b), key)
    device_proof = sha(minimal(big_a), proof, key)
    cipher, first = AESGCM(key[:32]), bytes.fromhex(nonce)

    def messages(counts: bool) -> list:
        return [
            {"plain": plain, "cipher": cipher.encrypt(
                first[:8] + (number(first[8:]) + (index if counts else 0)).to_bytes(4, "big"), bytes.fromhex(plain), None).hex()}
            for index, plain in enumerate(PLAINS)
        ]

    return {
        "name": name, "username": username.decode(), "code": code.decode(), "salt": salt.hex(), "verifier": padded(v).hex(),
        "a": a, "b": b, "nonce": nonce, "client_key": minimal(big_a).hex(), "device_key": minimal(big_b).hex(), "u": u.to_bytes(64, "big").hex(),
        "session_key": key.hex(), "client_proof": proof.hex(), "device_proof": device_proof.hex(), "premaster_length": len(minimal(premaster)),
        "command0": session(2, 0, field(1, username) + field(2, minimal(big_a))),
        "response0": session(2, 1, field(2, minimal(big_b)) + field(3, salt)),
        "command1": session(2, 2, field(1, proof)), "response1": session(2, 3, field(2, device_proof) + field(3, first)),
        "messages_patch0": messages(False), "messages_patch1": messages(True),
    }


def powers() -> list:
    source = random.Random(5054)
    bases = [0, 1, 2, 5, N - 1, N, N + 1, 2**3072 - 1, 2**64 - 1, 2**64, 2**3071, (1 << 3072) - (1 << 64)]
    bases += [source.getrandbits(3072) for _ in range(4)]
    cases = []
    for index, base in enumerate(bases):
        length = (32, 64, 128)[index % 3]
        exponent = (0, 1, 2 ** (8 * length) - 1, source.getrandbits(8 * length), source.getrandbits(8 * length))[index % 5]
        other = bases[(index + 5) % len(bases)]
        cases.append({
            "base": padded(base).hex(), "exponent": exponent.to_bytes(length, "big").hex(), "power": padded(pow(base, exponent, N)).hex(),
            "other": padded(other).hex(), "product": padded(base * other % N).hex(), "sum": padded((base + other) % N).hex(),
            "difference": padded((base - other) % N).hex(),
        })
    return cases


if __name__ == "__main__":
    a = "b68aefc70b39b907041f49dbfa7dcd22f9554ed8b0cbd26afb1250d9f652d7c9"
    b = "cef4f7b44eda7f489c14b2faf0dcc637c79c7914785a26989aa64b10776c"
    nonce = "a1b2c3d4e5f6071800000001"
    print(json.dumps({
        "security1": [
            security1(
                "code abcd1234", "abcd1234", bytes(range(1, 33)).hex(), bytes(range(0x41, 0x61)).hex(), "0f1e2d3c4b5a69788796a5b4c3d2e1f0"),
            security1(
                "no code, the counter's low half overflows", "", bytes(range(0x80, 0xA0)).hex(), bytes(range(0xC0, 0xE0)).hex(),
                "0123456789abcdeffffffffffffffffe"),
        ],
        "security2": [
            security2("example", a, b + "33d1", nonce),
            security2("B has 383 bytes", a, b + "3407", nonce),
            security2("S has 383 bytes", a, b + "340a", nonce),
            security2("bytes that count up", bytes(range(0x80, 0xA0)).hex(), bytes(range(1, 33)).hex(), "000102030405060700000001"),
        ],
        "powers": powers(),
    }, indent=1))
