"""The bodies of requests and responses."""
import re

from .primitives import Refused

NAME = re.compile(rb"[a-z0-9_.-]{1,32}\Z")
DONE, UNKNOWN, INVALID, BUSY, UNABLE, NOT_NOW = range(6)


class Reader:
    """Takes fields off the front of bytes."""

    def __init__(self, data):
        self.rest = bytes(data)

    def take(self, count):
        if count > len(self.rest):
            raise ValueError("too short")
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken

    def byte(self):
        return self.take(1)[0]

    def text(self, greatest=255, least=0):
        length = self.byte()
        if not least <= length <= greatest:
            raise ValueError("the length of a text")
        return self.take(length).decode("utf-8")

    def end(self):
        if self.rest:
            raise ValueError("bytes are left over")


def text(value):
    data = value.encode()
    return bytes([len(data)]) + data


def request(number, name, body=b""):
    return bytes([number, len(name)]) + name.encode() + body


def parse_request(plain):
    """id, name and body; a request without a valid form ends the session."""
    if len(plain) < 3 or plain[0] == 0 or len(plain) < 2 + plain[1] or not NAME.match(plain[2 : 2 + plain[1]]):
        raise Refused(2, "a request without a valid form")
    return plain[0], plain[2 : 2 + plain[1]].decode(), plain[2 + plain[1] :]


def network(entry):
    """A network of scan, from what it is made of."""
    return (bytes([entry["rssi"] & 0xFF, entry["security"], entry["channel"]]) + entry["bssid"]
            + bytes([len(entry["ssid"])]) + entry["ssid"])


def scan_response(networks, start, room):
    """A page of as many networks as fit."""
    body, count = b"", 0
    for entry in networks[start:]:
        encoded = network(entry)
        if count and 3 + len(body) + len(encoded) > room:
            break
        body += encoded
        count += 1
    return bytes([len(networks), start, count]) + body


def parse_scan(body):
    reader = Reader(body)
    total, start, count = reader.take(3)
    if total > 64 or start + count > total or (count == 0 and start < total):
        raise ValueError("the numbers of a page")
    networks = []
    for _ in range(count):
        rssi, security, channel = reader.take(3)
        bssid, ssid = reader.take(6), reader.take(reader.byte())
        rssi = rssi - 256 if rssi > 127 else rssi
        if len(ssid) > 32 or not -127 <= rssi <= 0:
            raise ValueError("a network")
        networks.append({"rssi": rssi, "security": security, "channel": channel, "bssid": bssid.hex(), "ssid": ssid.hex()})
    reader.end()
    return total, start, networks


def parse_config(body):
    reader = Reader(body)
    kind, flags, channel = reader.take(3)
    bssid, ssid = reader.take(6), reader.take(reader.byte())
    passphrase = reader.take(reader.byte())
    identity = reader.text(128, 1) if kind == 2 else ""
    reader.end()
    lengths = {0: (0, 0), 1: (1, 128), 2: (1, 128)}
    if kind not in lengths or flags & ~3 or not 1 <= len(ssid) <= 32:
        raise ValueError("config")
    if not lengths[kind][0] <= len(passphrase) <= lengths[kind][1]:
        raise ValueError("the length of a passphrase")
    return {"kind": kind, "flags": flags, "channel": channel, "bssid": bssid, "ssid": ssid, "pass": passphrase, "identity": identity}


def config(ssid, passphrase=b"", flags=0, kind=None):
    kind = (1 if passphrase else 0) if kind is None else kind
    return bytes([kind, flags, 0]) + bytes(6) + bytes([len(ssid)]) + ssid + bytes([len(passphrase)]) + passphrase


def connected(ssid, address="192.0.2.7", reach=1, security=3):
    return bytes([2, reach, security, 0]) + bytes(6) + bytes([len(ssid)]) + ssid + text(address) + text("")


def parse_status(body):
    reader = Reader(body)
    state = reader.byte()
    out = {"state": state}
    if state == 2:
        out["reach"], out["security"], out["channel"] = reader.take(3)
        out["bssid"], ssid = reader.take(6).hex(), reader.take(reader.byte())
        if not 1 <= len(ssid) <= 32:
            raise ValueError("the length of a name")
        out["ssid"], out["address"], out["page"] = ssid.hex(), reader.text(45), reader.text(200)
    elif state == 3:
        out["reason"] = reader.byte()
    elif state > 3:
        raise ValueError("an unknown state")
    reader.end()
    return out


def parse_enroll(body):
    reader = Reader(body)
    url = reader.take(int.from_bytes(reader.take(2), "big")).decode("utf-8")
    token = reader.take(int.from_bytes(reader.take(2), "big"))
    anchor = reader.take(reader.byte())
    reader.end()
    if not 1 <= len(url.encode()) <= 512 or not url.startswith("https://") or len(token) > 1024 or len(anchor) not in (0, 32):
        raise ValueError("enroll")
    return url, token, anchor
