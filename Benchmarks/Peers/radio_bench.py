#!/usr/bin/env python3
"""How long `latchkey radio` takes to answer one command, with many advertisers on the air.

    radio_bench.py HOST:PORT ADVERTISERS information|address|scan [--seconds 3]

- information: Read BD_ADDR, which changes nothing.
- address: LE Set Random Address, which may change what others hear.
- scan: the same, while a host scans without a filter of duplicates, and reads what it is sent.

Prints one JSON line; the value is the median of the round trips in microseconds. Each advertiser is a host of its own that
advertises every 100 ms.
"""

import argparse
import json
import socket
import statistics
import struct
import threading
import time

RESET, SET_EVENT_MASK, READ_BD_ADDR, LE_SET_EVENT_MASK = 0x0C03, 0x0C01, 0x1009, 0x2001
LE_SET_RANDOM_ADDRESS, LE_SET_ADVERTISING_PARAMETERS, LE_SET_ADVERTISING_DATA, LE_SET_ADVERTISING_ENABLE = (
    0x2005,
    0x2006,
    0x2008,
    0x200A,
)
LE_SET_SCAN_PARAMETERS, LE_SET_SCAN_ENABLE = 0x200B, 0x200C


class Host:
    """A host that sends commands one by one."""

    def __init__(self, place: str):
        name, _, port = place.rpartition(":")
        self.socket = socket.create_connection((name, int(port)))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.ask(RESET)

    def receive(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                raise SystemExit("radio_bench: the radio closed the connection")
            data += part
        return data

    def ask(self, opcode: int, parameters: bytes = b"") -> None:
        """Sends a command, and waits for its Command Complete."""
        self.socket.sendall(struct.pack("<BHB", 1, opcode, len(parameters)) + parameters)
        while True:
            _, code, length = self.receive(3)
            body = self.receive(length)
            if code == 0x0E and struct.unpack_from("<H", body, 1)[0] == opcode:
                return

    def advertise(self, number: int) -> None:
        self.ask(LE_SET_RANDOM_ADDRESS, struct.pack("<HI", number, 0xC0000001))
        self.ask(LE_SET_ADVERTISING_PARAMETERS, struct.pack("<HHBBB6sBB", 160, 160, 0, 1, 0, bytes(6), 7, 0))
        self.ask(LE_SET_ADVERTISING_DATA, bytes([3, 2, 1, 6]).ljust(32, b"\0"))
        self.ask(LE_SET_ADVERTISING_ENABLE, b"\x01")

    def scan(self) -> None:
        self.ask(SET_EVENT_MASK, struct.pack("<Q", 0x3FFF_FFFF_FFFF_FFFF))
        self.ask(LE_SET_EVENT_MASK, struct.pack("<Q", 0x1F))
        self.ask(LE_SET_SCAN_PARAMETERS, struct.pack("<BHHBB", 1, 160, 160, 0, 0))
        self.ask(LE_SET_SCAN_ENABLE, b"\x01\x00")
        threading.Thread(target=self.drain, daemon=True).start()

    def drain(self) -> None:
        while self.socket.recv(1 << 16):
            pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("place")
    parser.add_argument("advertisers", type=int)
    parser.add_argument("kind", choices=["information", "address", "scan"])
    parser.add_argument("--seconds", type=float, default=3)
    arguments = parser.parse_args()
    others = [Host(arguments.place) for _ in range(arguments.advertisers)]
    for number, host in enumerate(others):
        host.advertise(number)
    if arguments.kind == "scan":
        Host(arguments.place).scan()
    host = Host(arguments.place)
    address = struct.pack("<HI", 0xFFFF, 0xC0000001)
    command = (READ_BD_ADDR,) if arguments.kind == "information" else (LE_SET_RANDOM_ADDRESS, address)
    times = []
    end = time.perf_counter() + arguments.seconds
    while time.perf_counter() < end:
        begin = time.perf_counter()
        host.ask(*command)
        times.append((time.perf_counter() - begin) * 1e6)
    result = {"measure": arguments.kind, "value": statistics.median(times), "unit": "µs", "count": len(times)}
    print(json.dumps(result | {"longest": max(times)}))


if __name__ == "__main__":
    main()
