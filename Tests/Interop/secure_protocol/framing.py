"""INFO, fragments and messages."""
from .primitives import Refused

HELLO, REPLY, FINISH, RESUME, RESUMED, RECORD_APP, RECORD_DEVICE, ERROR = 0x30, 0x31, 0x32, 0x38, 0x39, 0x40, 0x41, 0x7F
ERRORS = {1: "version", 2: "malformed", 3: "auth", 4: "locked", 5: "busy", 6: "no ticket", 7: "closed", 8: "over"}
EARLY_LIMIT = 2048
IDLE = 5.0


class Info:
    """The bytes of INFO, and what they say."""

    def __init__(self, value):
        if not 23 <= len(value) <= 64:
            raise Refused(2, "the length of INFO")
        self.bytes = bytes(value)
        self.version, self.flags, self.capabilities, count = value[:4]
        if self.version < 2:
            raise Refused(1, "the version of INFO")
        if not 1 <= count <= 8 or len(value) < 23 + count:
            raise Refused(2, "the suites of INFO")
        self.suites = list(value[4 : 4 + count])
        rest = value[4 + count :]
        self.window = rest[0]
        self.max_msg = int.from_bytes(rest[1:3], "big")
        self.device_id = bytes(rest[3:19])
        if not 256 <= self.max_msg <= 4096 or (1 in self.suites and self.max_msg < 1236):
            raise Refused(2, "max_msg of INFO")
        if not {1, 2} & set(self.suites):
            raise Refused(1, "no suite of INFO is known")

    @staticmethod
    def make(device_id, suites=(1, 2), flags=7, capabilities=0x7F, window=0, max_msg=2048):
        return Info(
            bytes([2, flags, capabilities, len(suites), *suites, window]) + max_msg.to_bytes(2, "big") + device_id)


def message(kind, body):
    return bytes([kind]) + len(body).to_bytes(2, "big") + body


def fragments(whole, limit):
    """The values that carry a message."""
    limit = min(limit, 512)
    out, sequence, rest = [], 0, whole
    while True:
        head = 0x80 if not out else 0
        room = limit - (3 if head else 1)
        body, rest = rest[:room], rest[room:]
        header = head | (0 if rest else 0x40) | sequence
        out.append(bytes([header]) + (len(whole).to_bytes(2, "big") if head else b"") + body)
        if not rest:
            return out
        sequence = (sequence + 1) % 64


class Assembler:
    """Joins fragments; `limit` is the longest message now."""

    def __init__(self):
        self.parts, self.total, self.sequence, self.deadline = None, 0, 0, None

    def add(self, value, limit, now):
        """The message that this value ends, or None."""
        if not value:
            raise Refused(2, "an empty value")
        first, last, sequence = value[0] & 0x80, value[0] & 0x40, value[0] & 0x3F
        if first:
            if self.parts is not None:
                raise Refused(2, "a first fragment within a message")
            if len(value) < 4:
                raise Refused(2, "a first fragment without a body")
            self.total = int.from_bytes(value[1:3], "big")
            if not 3 <= self.total <= limit:
                raise Refused(2, "the total of a message")
            self.parts, self.sequence, body = b"", 0, value[3:]
        else:
            if self.parts is None:
                raise Refused(2, "a fragment outside of a message")
            body = value[1:]
            if not body:
                raise Refused(2, "a fragment without a body")
        if sequence != self.sequence:
            raise Refused(2, "the sequence of a fragment")
        self.parts += body
        self.sequence = (self.sequence + 1) % 64
        self.deadline = now + IDLE
        if len(self.parts) > self.total or bool(last) != (len(self.parts) == self.total):
            raise Refused(2, "the length of a message")
        if not last:
            return None
        whole, self.parts, self.deadline = self.parts, None, None
        if int.from_bytes(whole[1:3], "big") != len(whole) - 3:
            raise Refused(2, "len is not total - 3")
        return whole
