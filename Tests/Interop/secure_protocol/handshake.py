"""CPace with ML-KEM-768, and the keys that come of it."""
import hmac

from kyber_py.ml_kem import ML_KEM_768

from .framing import HELLO, REPLY, FINISH, message
from .primitives import Cipher, Refused, elligator2, hkdf_expand, hkdf_extract, lv, sha512, x25519

SERVICE = bytes.fromhex("F1CD00013F3C4994BA654321F7F79012")


def prs(digits=None, secret=None):
    """The code as CPace's password-related string."""
    if digits is not None:
        assert 8 <= len(digits) <= 16 and digits.isascii() and digits.isdigit(), "8 to 16 digits"
        return lv(b"prov2 pin", digits.encode())
    assert 16 <= len(secret) <= 64, "16 to 64 bytes"
    return lv(b"prov2 qr", secret)


def channel(info, suite):
    return lv(b"prov2", SERVICE, info.bytes, b"app", b"device", bytes([suite]))


def generator(password, ci, sid):
    padding = bytes(max(0, 128 - 1 - len(lv(b"CPace255")) - len(lv(password))))
    return elligator2(sha512(lv(b"CPace255", password, padding, ci, sid))[:32])


def isk(sid, k, ya, ada, yb, adb):
    return sha512(lv(b"CPace255_ISK", sid, k) + lv(ya, ada) + lv(yb, adb))


class Keys:
    """What both sides derive; `bare_reply` is reply to before Td."""

    def __init__(self, info, hello, bare_reply, secret, ss):
        self.th = sha512(lv(info.bytes, hello, bare_reply))
        self.prk = hkdf_extract("sha512", self.th, secret + ss)
        self.a2d, self.d2a = self.key("a2d", 32), self.key("d2a", 32)
        resume = self.key("resume", 48)
        self.ticket, self.psk = resume[:16], resume[16:]
        self.td = self._tag("confirm d", self.th)
        self.ta = self._tag("confirm a", self.th + self.td)

    def key(self, label, length):
        return hkdf_expand("sha512", self.prk, b"prov2 " + label.encode(), length)

    def _tag(self, label, text):
        return hmac.digest(self.key(label, 32), text, "sha512")[:32]


class AppHandshake:
    """hello, then finish."""

    def __init__(self, info, suite, password, random):
        self.info, self.suite = info, suite
        self.sid = random.draw("sid", 16)
        self.ya = random.draw("ya", 32)
        self.ek, self.dk = ML_KEM_768.key_derive(random.draw("d", 32) + random.draw("z", 32)) if suite == 1 else (b"", b"")
        self.g = generator(password, channel(info, suite), self.sid)
        self.Ya = x25519(self.ya, self.g)
        self.hello = message(HELLO, bytes([suite]) + self.sid + self.Ya + self.ek)

    def finish(self, reply, plain):
        """The message finish with its record, and the session's keys and ciphers (out, in)."""
        wanted = 32 + (1088 if self.suite == 1 else 0) + 32
        if len(reply) != 3 + wanted:
            raise Refused(2, "the length of reply")
        yb, ct, td = reply[3:35], reply[35:-32], reply[-32:]
        k = x25519(self.ya, yb)
        ss = ML_KEM_768.decaps(self.dk, ct) if self.suite == 1 else b""
        secret = isk(self.sid, k, self.Ya, self.ek, yb, ct)
        keys = Keys(self.info, self.hello, reply[:-32], secret, ss)
        if not hmac.compare_digest(keys.td, td):
            raise Refused(3, "Td")
        out, into = Cipher(keys.a2d), Cipher(keys.d2a)
        head = bytes([FINISH]) + (32 + len(plain) + 16).to_bytes(2, "big") + keys.ta
        return head + out.seal(plain, head), keys, out, into


class DeviceHandshake:
    """reply, then the check of finish."""

    def __init__(self, info, password, hello, random):
        suite, sid, ya, ek = hello[3], hello[4:20], hello[20:52], hello[52:]
        self.suite = suite
        g = generator(password, channel(info, suite), sid)
        yb = random.draw("yb", 32)
        Yb = x25519(yb, g)
        ss, ct = b"", b""
        if suite == 1:
            try:
                # Of FIPS 203 7.2 the package checks the modulus only when it encapsulates.
                ss, ct = ML_KEM_768._encaps_internal(ek, random.draw("m", 32))
            except ValueError:
                raise Refused(2, "the encapsulation key") from None
        k = x25519(yb, ya)
        # len in the header counts Td.
        bare = message(REPLY, Yb + ct + bytes(32))[:-32]
        self.keys = Keys(info, hello, bare, isk(sid, k, ya, ek, Yb, ct), ss)
        self.reply = bare + self.keys.td

    def accept(self, finish):
        """The first request, and the ciphers (out, in)."""
        if not hmac.compare_digest(finish[3:35], self.keys.ta):
            raise Refused(3, "Ta")
        into, out = Cipher(self.keys.a2d), Cipher(self.keys.d2a)
        return into.open(finish[35:], finish[:35]), out, into
