"""Lists the contents of each .p12 and .pfx file below a folder, as read by Python's cryptography or else by openssl.

pkcs12_expected.py FOLDER: JSON on standard output. The files are those of cryptography-vectors: their passwords are known.
"""

import base64
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import warnings

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, pkcs12

PASSWORDS = (None, "cryptography", "password")


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def certificate(der: bytes, name: bytes | None) -> dict:
    return {"sha256": digest(der), "name": name.decode() if name else None}


def by_cryptography(contents: bytes) -> dict | None:
    for password in PASSWORDS:
        try:
            found = pkcs12.load_pkcs12(contents, password.encode() if password else None)
        except ValueError:
            continue
        certificates = ([found.cert] if found.cert else []) + list(found.additional_certs)
        key = found.key.public_key() if found.key else None
        return {
            "password": password,
            "keys": 1 if key else 0,
            "publicKey": digest(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)) if key else None,
            "leaf": digest(found.cert.certificate.public_bytes(Encoding.DER)) if found.cert else None,
            "certificates": [
                certificate(each.certificate.public_bytes(Encoding.DER), each.friendly_name) for each in certificates
            ],
        }
    return None


def by_openssl(path: pathlib.Path) -> dict | None:
    """Reads files that cryptography does not open: keys without parameters of their own."""
    for password in PASSWORDS:
        command = ["openssl", "pkcs12", "-in", str(path), "-nodes", "-legacy", "-passin", f"pass:{password or ''}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        found = re.findall(r"-----BEGIN CERTIFICATE-----(.*?)-----END CERTIFICATE-----", done.stdout, re.S)
        if done.returncode or not found:
            continue
        return {
            "password": password,
            "keys": done.stdout.count("BEGIN PRIVATE KEY"),
            "publicKey": None,
            "leaf": None,
            "certificates": [certificate(base64.b64decode(text), None) for text in found],
        }
    return None


def main() -> None:
    # Old certificates break rules that cryptography warns of.
    warnings.simplefilter("ignore")
    folder = pathlib.Path(sys.argv[1])
    answers = []
    for path in sorted(each for each in folder.rglob("*") if each.suffix in (".p12", ".pfx")):
        answer = by_cryptography(path.read_bytes()) or by_openssl(path)
        if answer is None:
            raise SystemExit(f"neither cryptography nor openssl opens {path}")
        answers.append({"file": str(path.relative_to(folder)), **answer})
    json.dump(answers, sys.stdout, indent=1, ensure_ascii=False)
    print()


if __name__ == "__main__":
    main()
