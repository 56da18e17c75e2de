"""The device's side: rules of links, attempts and tickets, and a device that joins networks which are made up."""
import json

from . import requests as r
from .framing import (Assembler, EARLY_LIMIT, ERROR, FINISH, HELLO, RECORD_APP, RECORD_DEVICE, RESUME, fragments, message)
from .handshake import DeviceHandshake
from .primitives import Randomness, Refused
from .resumption import device_resumption

SESSIONS, TICKETS, ATTEMPTS = 4, 4, 10
HANDSHAKE_TIME, SESSION_TIME = 10.0, 600.0

NETWORKS = [
    {"rssi": -40 - n, "security": [3, 6, 0, 42][n % 4], "channel": n % 14, "bssid": bytes([2, 0, 0, 0, 0, n]),
     "ssid": (f"network {n}".encode(), b"\xff\xfe", b"Home", b"Cafe \xc3\xa9")[min(n, 3) if n < 4 else 0]}
    for n in range(40)
]


class Link:
    def __init__(self):
        self.assembler, self.state, self.handshake = Assembler(), "new", None
        self.out = self.into = self.ticket = self.scan = None
        self.deadline, self.is_subscribed, self.entry, self.next = None, True, None, None


class Device:
    """Takes writes and time, and calls `emit(link, line)` with `n HEX`, `error HEX` and `event`s."""

    def __init__(self, info, password, emit, random=None, limit=20, failures=0):
        self.info, self.password, self.emit = info, password, emit
        self.random, self.limit, self.failures = random or Randomness(), limit, failures
        self.next_try, self.now, self.is_pairing = 0.0, 0.0, True
        self.links, self.tickets = {}, []
        self.config = None
        self.status, self.hostname = b"\0", "device"

    # Inputs

    def write(self, number, value):
        link = self.links.setdefault(number, Link())
        if not link.is_subscribed:
            return self.emit(number, "error fd")
        if link.state == "dead":
            return self.emit(number, "error 80")
        limit = self.info.max_msg if link.state == "open" else min(EARLY_LIMIT, self.info.max_msg)
        try:
            whole = link.assembler.add(value, limit, self.now)
            if whole is not None:
                self._message(number, link, whole)
        except Refused as refused:
            self._fail(number, link, refused)

    def subscribed(self, number, is_subscribed):
        self.links.setdefault(number, Link()).is_subscribed = is_subscribed

    def disconnected(self, number):
        self.links.pop(number, None)

    def pass_time(self, seconds):
        self.now += seconds
        for number, link in list(self.links.items()):
            if link.state != "dead" and link.assembler.deadline is not None and link.assembler.deadline <= self.now:
                self._fail(number, link, Refused(2, "a message was not finished"))
            elif link.state != "dead" and link.deadline is not None and link.deadline <= self.now:
                self._fail(number, link, Refused(8, "time is over"))

    # Messages

    def _message(self, number, link, whole):
        kind = whole[0]
        if link.state == "new" and kind == HELLO:
            self._hello(number, link, whole)
        elif link.state == "new" and kind == RESUME:
            self._resume(number, link, whole)
        elif link.state == "replied" and kind == FINISH:
            self._finish(number, link, whole)
        elif link.state in ("resumed", "open") and kind == RECORD_APP:
            if len(whole) < 19:
                raise Refused(2, "the length of a record")
            plain = link.into.open(whole[3:], whole[:3])
            if link.state == "resumed":
                self._keep_ticket(link)
                self._open(number, link)
            if not plain:
                raise Refused(2, "an empty record")
            self._request(number, link, plain)
        else:
            raise Refused(2, f"type {kind:02x} in state {link.state}")

    def _hello(self, number, link, whole):
        suite = whole[3] if len(whole) > 3 else None
        lengths = {1: 1236, 2: 52}
        if suite is None or len(whole) < 52 or (suite in lengths and len(whole) != lengths[suite]):
            raise Refused(2, "the length of hello")
        if suite not in lengths or suite not in self.info.suites:
            raise Refused(1, "the suite of hello")
        if not self.is_pairing:
            raise Refused(7, "not in pairing mode")
        self._admit(link)
        if self.failures >= ATTEMPTS:
            raise Locked(0xFFFF)
        if self.now < self.next_try:
            raise Locked(int(-(-(self.next_try - self.now) // 1)))
        self.failures += 1
        self.next_try = self.now + min(2 ** (self.failures - 1), 64)
        self._event(number, "attempt", failures=self.failures)
        link.handshake = DeviceHandshake(self.info, self.password, whole, self.random)
        link.state, link.deadline = "replied", self.now + HANDSHAKE_TIME
        self._send(number, link.handshake.reply)

    def _admit(self, link):
        others = [other for other in self.links.values() if other is not link]
        if any(other.state in ("replied", "resumed") for other in others):
            raise Refused(5, "another handshake")
        if sum(other.state == "open" for other in others) >= SESSIONS:
            raise Refused(5, "too many sessions")

    def _finish(self, number, link, whole):
        if len(whole) < 51:
            raise Refused(2, "the length of finish")
        plain, link.out, link.into = link.handshake.accept(whole)
        keys, suite = link.handshake.keys, link.handshake.suite
        # This attempt is forgiven, and no other.
        self.failures, self.next_try, link.handshake = max(0, self.failures - 1), 0.0, None
        link.entry = {"tickets": [(keys.ticket, keys.psk)]}
        self.tickets = (self.tickets + [link.entry])[-TICKETS:]
        self._open(number, link, suite=suite)
        if plain:
            self._request(number, link, plain)

    def _resume(self, number, link, whole):
        if len(whole) != 67:
            raise Refused(2, "the length of resume")
        if not self.info.flags & 4:
            raise Refused(6, "no resumption")
        self._admit(link)
        for entry in self.tickets:
            for ticket, psk in entry["tickets"]:
                if ticket == whole[3:19]:
                    resumed, link.out, link.into, *new = device_resumption(self.info, whole, psk, self.random)
                    # The app has shown that it holds this ticket: it stays, with its successor.
                    entry["tickets"] = [(ticket, psk), tuple(new)]
                    self.tickets.remove(entry)
                    self.tickets.append(entry)
                    link.entry, link.next = entry, tuple(new)
                    link.state, link.deadline = "resumed", self.now + HANDSHAKE_TIME
                    return self._send(number, resumed)
        raise Refused(6, "an unknown ticket")

    def _keep_ticket(self, link):
        # The successor that this session made, whatever a repeated resume has put in its place.
        link.entry["tickets"] = [link.next]

    def _open(self, number, link, suite=3):
        link.state, link.deadline = "open", self.now + SESSION_TIME
        self._event(number, "opened", suite=suite)

    # Requests

    def _request(self, number, link, plain):
        identifier, name, body = r.parse_request(plain)
        link.deadline = self.now + SESSION_TIME
        self._event(number, "request", name=name, body=body.hex())
        try:
            status, answer = self._perform(number, link, name, body)
        except (ValueError, UnicodeDecodeError) as error:
            status, answer = r.INVALID, str(error).encode()[:128]
        self._record(number, link, bytes([identifier, status]) + answer)
        if name == "apply" and status == 0 or name == "config" and status == 0 and self.config and self.config["flags"] & 2:
            self._join()

    def _perform(self, number, link, name, body):
        if name in ("apply", "status", "identify", "info") and body:
            raise ValueError("a body")
        if name == "scan":
            if len(body) != 1:
                raise ValueError("start")
            if body[0] == 0:
                link.scan = NETWORKS
            if link.scan is None or (body[0] and body[0] >= len(link.scan)):
                raise ValueError("start")
            return r.DONE, r.scan_response(link.scan, body[0], self.info.max_msg - 3 - 16 - 2)
        if name == "config":
            config = r.parse_config(body)
            if config["kind"] == 2:
                return r.UNABLE, b""
            self.config = config
            return r.DONE, b""
        if name == "apply":
            return (r.DONE if self.config else r.NOT_NOW), b""
        if name == "status":
            return r.DONE, self.status
        if name == "identify":
            return r.DONE, b""
        if name == "info":
            return r.DONE, b"".join(map(r.text, ["secure_peer", "1", "python", "peer", "", ""]))
        if name == "forget":
            if len(body) != 1 or not body[0] or body[0] & ~7:
                raise ValueError("what")
            self._forget(number, link, body[0])
            return r.DONE, b""
        if name == "hostname":
            if len(body) > 253:
                raise ValueError("the length of a name")
            self.hostname = body.decode() or self.hostname
            return r.DONE, self.hostname.encode()
        if name == "enroll":
            url, _, _ = r.parse_enroll(body)
            self._event(number, "enroll", url=url)
            return r.DONE, b"\0" + r.text("")
        if name == "echo":
            return r.DONE, body
        return r.UNKNOWN, b""

    def _forget(self, number, link, what):
        if what & 1:
            self.status, self.config = b"\0", None
        if what & 2 and link.entry in self.tickets:
            self.tickets.remove(link.entry)
        if what & 4:
            self.tickets = []
        for other, session in list(self.links.items()):
            is_forgotten = what & 4 or what & 2 and link.entry is not None and session.entry is link.entry
            if other != number and session.state in ("open", "resumed") and is_forgotten:
                self._fail(other, session, Refused(8, "its app was forgotten"))

    def _join(self):
        config, self.config = self.config, None
        self._change(b"\1")
        self._change(b"\3\1" if config["pass"] == b"wrong password" else r.connected(config["ssid"]))

    def _change(self, status):
        self.status = status
        for number, link in self.links.items():
            if link.state == "open":
                self._record(number, link, b"\0" + bytes([6]) + b"status" + status)

    # Outputs

    def _record(self, number, link, plain):
        head = bytes([RECORD_DEVICE]) + (len(plain) + 16).to_bytes(2, "big")
        self._send(number, head + link.out.seal(plain, head))

    def _send(self, number, whole):
        for value in fragments(whole, self.limit):
            self.emit(number, "n " + value.hex())

    def _fail(self, number, link, refused):
        body = bytes([refused.code])
        if refused.code == 4:
            body += refused.seconds.to_bytes(2, "big")
        self._event(number, "refused", code=refused.code, why=str(refused))
        if refused.code != 6:
            self.links[number] = dead = Link()
            dead.state = "dead"
        self._send(number, message(ERROR, body))

    def _event(self, number, event, **fields):
        self.emit(number, "event " + json.dumps({"event": event, **fields}))


class Locked(Refused):
    def __init__(self, seconds):
        super().__init__(4, "too many attempts")
        self.seconds = seconds
