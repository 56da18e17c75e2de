"""A TPM for the check of ACME: swtpm, driven by tpm2-tools, and its keys (TPM 2.0 Part 3)."""

import asyncio
import datetime
import hashlib
import pathlib
import shutil
import socket
import struct
import subprocess

import cbor2
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from harness import Scene, require

PROGRAMS = ("swtpm", "tpm2_createprimary", "tpm2_create", "tpm2_evictcontrol", "tpm2_flushcontext", "tpm2_readpublic",
            "tpm2_send", "tpm2_sign")
ATTESTATION_KEY, FIRST_KEY = 0x81010001, 0x81010002
MADE_HERE = "sensitivedataorigin|userwithauth|sign"
FIXED = "fixedtpm|fixedparent|" + MADE_HERE


def missing() -> list[str]:
    return [program for program in PROGRAMS if shutil.which(program) is None]


def sized(data: bytes) -> bytes:
    return struct.pack(">H", len(data)) + data


def der(tag: int, *parts: bytes) -> bytes:
    content = b"".join(parts)
    size = len(content)
    long = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([tag]) + (bytes([size]) if size < 128 else bytes([0x80 | len(long)]) + long) + content


class Chip:
    """A TPM with an attestation key, for which an authority made here vouches."""

    def __init__(self, folder: pathlib.Path, port: int) -> None:
        self.folder, self.tcti, self.keys = folder, f"swtpm:host=127.0.0.1,port={port}", 0
        self.tpm2("createprimary", "-C", "o", "-g", "sha256", "-G", "ecc256", "-c", "primary")
        self.create(ATTESTATION_KEY, "restricted|" + FIXED, "ecc256:ecdsa-sha256:null")
        self.chain, self.root = self.vouched(self.public(ATTESTATION_KEY))

    def tpm2(self, tool: str, *words: str, data: bytes = b"") -> bytes:
        done = subprocess.run(
            [f"tpm2_{tool}", "-T", self.tcti, *words], cwd=self.folder, input=data, capture_output=True, timeout=60, check=False)
        require(done.returncode == 0, f"tpm2_{tool}: {done.stderr.decode(errors='replace')}")
        return done.stdout

    def create(self, handle: int, attributes: str, kind: str) -> None:
        self.tpm2("create", "-C", "primary", "-G", kind, "-a", attributes, "-u", "public", "-r", "private", "-c", "key")
        # The TPM has three places for objects, and no resource manager that empties them.
        self.tpm2("flushcontext", "-t")
        self.tpm2("evictcontrol", "-C", "o", "-c", "key", f"{handle:#x}")
        self.tpm2("flushcontext", "-t")

    def public(self, handle: int, form: str = "pem") -> bytes:
        self.tpm2("readpublic", "-c", f"{handle:#x}", "-f", form, "-o", "read")
        return (self.folder / "read").read_bytes()

    def key(self, attributes: str = FIXED) -> "ChipKey":
        handle = FIRST_KEY + self.keys
        self.keys += 1
        self.create(handle, attributes, "ecc256")
        return ChipKey(self, handle)

    def attestation_key(self) -> "ChipKey":
        return ChipKey(self, ATTESTATION_KEY)

    def certify(self, handle: int, challenge: bytes) -> tuple[bytes, bytes]:
        """TPM2_Certify, which tpm2_certify sends without a challenge: the attested structure and its signature."""
        password = struct.pack(">IHBH", 0x40000009, 0, 1, 0)
        body = struct.pack(">II", handle, ATTESTATION_KEY) + struct.pack(">I", 2 * len(password)) + 2 * password
        body += sized(challenge) + struct.pack(">H", 0x0010)
        answer = self.tpm2("send", data=struct.pack(">HII", 0x8002, 10 + len(body), 0x148) + body)
        _, _, code = struct.unpack_from(">HII", answer)
        require(code == 0, f"TPM2_Certify: {code:#x}")
        (length,) = struct.unpack_from(">I", answer, 10)
        parameters = answer[14:14 + length]
        (info,) = struct.unpack_from(">H", parameters)
        return parameters[2:2 + info], parameters[2 + info:]

    def vouched(self, public: bytes) -> tuple[list[bytes], bytes]:
        """The attestation key's certificate (WebAuthn level 2 8.3.1) in a chain, and the root, PEM."""
        now, key = datetime.datetime.now(datetime.timezone.utc), ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Authority of a check")])
        day = datetime.timedelta(days=1)

        def certificate(subject: x509.Name, holder, is_authority: bool) -> x509.CertificateBuilder:
            return (
                x509.CertificateBuilder().subject_name(subject).issuer_name(name).public_key(holder)
                .serial_number(x509.random_serial_number()).not_valid_before(now - day).not_valid_after(now + day)
                .add_extension(x509.BasicConstraints(is_authority, None), critical=True)
                .add_extension(x509.KeyUsage(
                    not is_authority, False, False, False, False, is_authority, False, False, False), critical=True))

        identity = x509.Name([
            x509.NameAttribute(x509.ObjectIdentifier(f"2.23.133.2.{number}"), text)
            for number, text in ((1, "id:49424D00"), (2, "swtpm"), (3, "id:20191023"))
        ])
        leaf = (
            certificate(x509.Name([]), serialization.load_pem_public_key(public), False)
            .add_extension(x509.ExtendedKeyUsage([x509.ObjectIdentifier("2.23.133.8.3")]), critical=False)
            .add_extension(x509.SubjectAlternativeName([x509.DirectoryName(identity)]), critical=True)
            .sign(key, hashes.SHA256()))
        root = certificate(name, key.public_key(), True).sign(key, hashes.SHA256())
        return [leaf.public_bytes(serialization.Encoding.DER)], root.public_bytes(serialization.Encoding.PEM)


class ChipKey:
    """A key in the TPM."""

    def __init__(self, chip: Chip, handle: int) -> None:
        self.chip, self.handle = chip, handle
        self.spki = serialization.load_pem_public_key(chip.public(handle))

    def public_key(self) -> ec.EllipticCurvePublicKey:
        return self.spki

    def attest(self, authorization: bytes) -> bytes:
        info, signature = self.chip.certify(self.handle, hashlib.sha256(authorization).digest())
        area = self.chip.public(self.handle, "tpmt")
        statement = {
            "ver": "2.0", "alg": -7, "x5c": self.chip.chain, "sig": signature, "certInfo": info, "pubArea": area}
        return cbor2.dumps({"fmt": "tpm", "attStmt": statement}, canonical=True)

    def request(self) -> bytes:
        """A signing request without a name (RFC 2986), DER."""
        key = self.spki.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
        info = der(0x30, b"\x02\x01\x00", der(0x30), key, der(0xA0))
        (self.chip.folder / "info").write_bytes(info)
        self.chip.tpm2("sign", "-c", f"{self.handle:#x}", "-g", "sha256", "-s", "ecdsa", "-f", "plain", "-o", "signature", "info")
        signature = (self.chip.folder / "signature").read_bytes()
        algorithm = der(0x30, bytes.fromhex("06082a8648ce3d040302"))
        return der(0x30, info, algorithm, der(0x03, b"\x00", signature))


def two_ports() -> int:
    """A port of loopback that is free, as the next one is."""
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            port = first.getsockname()[1]
            try:
                second.bind(("127.0.0.1", port + 1))
                return port
            except (OSError, OverflowError):
                continue


async def start(scene: Scene) -> Chip:
    """A TPM that ends with the scene."""
    folder = scene.folder / "tpm"
    folder.mkdir()
    port = two_ports()
    process = await scene.start(
        "swtpm", "swtpm", "socket", "--tpm2", "--server", f"type=tcp,port={port},bindaddr=127.0.0.1", "--ctrl",
        f"type=tcp,port={port + 1},bindaddr=127.0.0.1", "--flags", "not-need-init,startup-clear", "--tpmstate", f"dir={folder}",
        "--pid", f"file={folder / 'pid'}")
    # It writes its process ID once both ports are its own.
    for _ in range(300):
        if (folder / "pid").exists():
            return await asyncio.to_thread(Chip, folder, port)
        require(process.child.returncode is None, f"swtpm ended: {process.errors}")
        await asyncio.sleep(0.1)
    require(False, "swtpm does not start")
    raise AssertionError
