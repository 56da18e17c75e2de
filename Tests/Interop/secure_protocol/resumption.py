"""Noise_NNpsk0_25519_ChaChaPoly_SHA256 (revision 34) with empty payloads, and the ratchet."""
import hashlib
import hmac

from .framing import RESUME, RESUMED, message
from .primitives import Cipher, Refused, hkdf_expand, hkdf_extract, lv, x25519, x25519_public

NAME = b"Noise_NNpsk0_25519_ChaChaPoly_SHA256"


class Symmetric:
    """SymmetricState of section 5.2."""

    def __init__(self, prologue):
        self.h = hashlib.sha256(NAME).digest()
        self.ck = self.h
        self.cipher = None
        self.mix_hash(prologue)

    def mix_hash(self, data):
        self.h = hashlib.sha256(self.h + data).digest()

    def _hkdf(self, material, count):
        key = hmac.digest(self.ck, material, "sha256")
        out, block = [], b""
        for number in range(1, count + 1):
            block = hmac.digest(key, block + bytes([number]), "sha256")
            out.append(block)
        return out

    def mix_key(self, material):
        self.ck, key = self._hkdf(material, 2)
        self.cipher = Cipher(key)

    def mix_key_and_hash(self, material):
        self.ck, data, key = self._hkdf(material, 3)
        self.mix_hash(data)
        self.cipher = Cipher(key)

    def encrypt(self, plain=b""):
        sealed = self.cipher.seal(plain, self.h)
        self.mix_hash(sealed)
        return sealed

    def decrypt(self, sealed):
        plain = self.cipher.open(sealed, self.h)
        self.mix_hash(sealed)
        return plain

    def split(self):
        return self._hkdf(b"", 2)


def begin(info, ticket, psk):
    state = Symmetric(lv(b"prov2 resume", info.bytes, ticket))
    state.mix_key_and_hash(psk)
    return state


def ephemeral(state, public):
    """A token e: with a psk the key is mixed, too (section 9.2)."""
    state.mix_hash(public)
    state.mix_key(public)


def ratchet(state, psk):
    """k1, k2, and the next ticket and psk."""
    k1, k2 = state.split()
    material = hkdf_expand("sha512", hkdf_extract("sha512", state.h, psk + k1 + k2), b"prov2 ratchet", 48)
    return k1, k2, material[:16], material[16:]


class AppResumption:
    def __init__(self, info, ticket, psk, random):
        self.psk, self.e = psk, random.draw("e app", 32)
        self.state = begin(info, ticket, psk)
        public = x25519_public(self.e)
        ephemeral(self.state, public)
        self.resume = message(RESUME, ticket + public + self.state.encrypt())

    def accept(self, resumed):
        """Ciphers (out, in), and the next ticket and psk."""
        if len(resumed) != 51:
            raise Refused(2, "the length of resumed")
        ephemeral(self.state, resumed[3:35])
        self.state.mix_key(x25519(self.e, resumed[3:35]))
        self.state.decrypt(resumed[35:])
        k1, k2, ticket, psk = ratchet(self.state, self.psk)
        return Cipher(k1), Cipher(k2), ticket, psk


def device_resumption(info, resume, psk, random):
    """resumed, ciphers (out, in), and the next ticket and psk."""
    state = begin(info, resume[3:19], psk)
    ephemeral(state, resume[19:51])
    state.decrypt(resume[51:])
    e = random.draw("e device", 32)
    public = x25519_public(e)
    ephemeral(state, public)
    state.mix_key(x25519(e, resume[19:51]))
    resumed = message(RESUMED, public + state.encrypt())
    k1, k2, ticket, psk = ratchet(state, psk)
    return resumed, Cipher(k2), Cipher(k1), ticket, psk
