"""The app's side."""
import json

from . import requests as r
from .framing import (Assembler, EARLY_LIMIT, ERROR, ERRORS, Info, RECORD_APP, RECORD_DEVICE, REPLY, RESUMED, fragments)
from .handshake import AppHandshake
from .primitives import Randomness, Refused
from .resumption import AppResumption

REPLY_TIME, RESPONSE_TIME = 10.0, 30.0


class App:
    """Takes INFO, notified values and requests, and calls `emit(line)` with `w HEX` and `event`s."""

    def __init__(self, password, emit, random=None, limit=20, suite=None, tickets=None, device_id=None):
        self.password, self.emit = password, emit
        self.random, self.limit, self.suite, self.device_id = random or Randomness(), limit, suite, device_id
        # The newest last: (ticket, psk) of the device.
        self.tickets = list(tickets or [])
        self.now = 0.0
        self._reset()

    def _reset(self):
        self.assembler, self.state, self.run = Assembler(), "new", None
        self.out = self.into = self.deadline = self.pending = self.first = None
        self.trial, self.networks, self.identifier, self.seen_suite = [], [], 0, None

    # Inputs

    def begin(self, info, first=None):
        """Begins on a link whose INFO was read; `first` is the request that travels with finish, as (name, body)."""
        self._reset()
        try:
            self.info = Info(info)
            if self.device_id not in (None, self.info.device_id):
                raise Refused(3, "another device_id")
        except Refused as refused:
            return self._fail(str(refused))
        self.first = first
        self.trial = list(reversed(self.tickets)) if self.info.flags & 4 else []
        self._start()

    def _start(self):
        self.deadline = self.now + REPLY_TIME
        if self.trial:
            self.current = self.trial.pop(0)
            self.run, self.state = AppResumption(self.info, *self.current, self.random), "resuming"
            return self._send(self.run.resume)
        if self.password is None:
            return self._fail("the code is needed")
        suite = self.suite or min(suite for suite in self.info.suites if suite in (1, 2))
        if suite not in self.info.suites:
            return self._fail("the device lacks the suite")
        self.run, self.state, self.seen_suite = AppHandshake(self.info, suite, self.password, self.random), "greeting", suite
        self._send(self.run.hello)

    def notified(self, value):
        if self.state == "over":
            return
        try:
            whole = self.assembler.add(value, self.info.max_msg if self.state == "open" else EARLY_LIMIT, self.now)
            if whole is not None:
                self._message(whole)
        except Refused as refused:
            self._fail(str(refused))

    def request(self, name, body=b""):
        assert self.state == "open" and self.pending is None
        self._record(self._next(name, body))

    def pass_time(self, seconds):
        self.now += seconds
        for deadline in (self.assembler.deadline, self.deadline):
            if self.state != "over" and deadline is not None and deadline <= self.now:
                self._fail("the device did not answer in time")

    # Messages

    def _message(self, whole):
        kind = whole[0]
        if kind == ERROR:
            return self._error(whole)
        if kind == REPLY and self.state == "greeting":
            plain = self._next(*self.first) if self.first else b""
            finish, keys, self.out, self.into = self.run.finish(whole, plain)
            if self.info.flags & 4:
                self.tickets = [(keys.ticket, keys.psk)]
            self._open(self.seen_suite)
            return self._send(finish)
        if kind == RESUMED and self.state == "resuming":
            self.out, self.into, *new = self.run.accept(whole)
            # The one that was used stays until a record has come.
            self.tickets = [self.current, tuple(new)]
            self._open(3)
            return self._record(self._next(*self.first)) if self.first else None
        if kind == RECORD_DEVICE and self.state == "open":
            if len(whole) < 19:
                raise Refused(2, "the length of a record")
            plain = self.into.open(whole[3:], whole[:3])
            self.tickets = self.tickets[-1:]
            return self._plain(plain)
        raise Refused(2, f"type {kind:02x} in state {self.state}")

    def _open(self, suite):
        self.run, self.state = None, "open"
        self.deadline = self.now + RESPONSE_TIME if self.pending else None
        self._event("opened", suite=suite)

    def _error(self, whole):
        code = whole[3] if len(whole) > 3 else 0
        if len(whole) != (6 if code == 4 else 4) or code not in ERRORS:
            raise Refused(2, "an error without a valid form")
        if code == 6 and self.state == "resuming":
            return self._start()
        fields = {"seconds": int.from_bytes(whole[4:], "big")} if code == 4 else {}
        self._fail(f"the device says: {ERRORS[code]}", code=code, **fields)

    def _plain(self, plain):
        if len(plain) < 2:
            raise Refused(2, "an empty response")
        if plain[0] == 0:
            length = plain[1]
            name, body = plain[2 : 2 + length], plain[2 + length :]
            if len(name) != length or not r.NAME.match(name):
                raise Refused(2, "a push without a valid form")
            return self._decoded("push", name.decode(), body)
        if self.pending is None or plain[0] != self.identifier:
            raise Refused(2, "a response that was not asked for")
        name, self.pending, self.deadline = self.pending, None, None
        if plain[1]:
            return self._event("response", name=name, status=plain[1], words=plain[2:].decode("utf-8", "replace"))
        self._decoded("response", name, plain[2:])

    def _decoded(self, event, name, body):
        fields = {"body": body.hex()}
        try:
            if name == "scan":
                total, start, networks = r.parse_scan(body)
                if start != len(self.networks):
                    raise ValueError("the start of a page")
                self.networks += networks
                if len(self.networks) < total:
                    return self.request("scan", bytes([len(self.networks)]))
                fields, self.networks = {"networks": self.networks}, []
            elif name == "status":
                fields = r.parse_status(body)
        except (ValueError, UnicodeDecodeError) as error:
            raise Refused(2, f"the body of {name}: {error}") from None
        self._event(event, name=name, status=0, **fields)

    # Outputs

    def _next(self, name, body=b""):
        self.identifier = self.identifier % 255 + 1
        self.pending, self.deadline = name, self.now + RESPONSE_TIME
        return r.request(self.identifier, name, body)

    def _record(self, plain):
        head = bytes([RECORD_APP]) + (len(plain) + 16).to_bytes(2, "big")
        self._send(head + self.out.seal(plain, head))

    def _send(self, whole):
        for value in fragments(whole, self.limit):
            self.emit("w " + value.hex())

    def _fail(self, why, **fields):
        self.state, self.run, self.out, self.into, self.deadline = "over", None, None, None, None
        self._event("failed", why=why, **fields)

    def _event(self, event, **fields):
        self.emit("event " + json.dumps({"event": event, **fields}))
