#!/usr/bin/env python3
"""A second implementation of the secure provisioning protocol, to test the first one against (secure_protocol/).

    secure_peer.py device --digits 39284756 [--qr HEX] [--suites 1,2] [--device-id HEX] [--limit 20] [--fix NAME=HEX …]
    secure_peer.py app    --digits 39284756 [--qr HEX] [--suite 2] [--ticket HEX48 …] [--limit 20] [--fix NAME=HEX …]
    secure_peer.py --self-test

Both roles read lines and answer each with lines, of which the last is a dot.

    device   w HEX            a value written to TX          n HEX       a value notified on RX
             link N           what follows is of link N      error HEX   the ATT error that answers the write
             disconnect       link N has ended               link N      the lines after it are of link N
             pairing 0|1      out of or in pairing mode
    app      info HEX         a link begins: INFO            w HEX       a value to write to TX
             n HEX            a value notified on RX
             request NAME [HEX]   before info: travels with the handshake
    both     time SECONDS     time passes                    event JSON  what a user would be told

A device begins with `info HEX` and a dot. --fix sets random values: sid, ya, yb (32 bytes), d, z, m (ML-KEM's, 32 bytes each), `e app`,
`e device`. The limit is the longest value that is sent: ATT_MTU - 3. An app prints its tickets as an event at the end of its input.
"""
import argparse
import json
import os
import sys

from secure_protocol.app import App
from secure_protocol.device import Device
from secure_protocol.framing import Info
from secure_protocol.handshake import prs
from secure_protocol.primitives import Randomness


def arguments():
    parser = argparse.ArgumentParser(description="A second implementation of the secure provisioning protocol.")
    parser.add_argument("role", nargs="?", choices=["device", "app"])
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--digits")
    parser.add_argument("--qr", type=bytes.fromhex)
    parser.add_argument("--suites", default="1,2")
    parser.add_argument("--suite", type=int)
    parser.add_argument("--device-id", type=bytes.fromhex)
    parser.add_argument("--info", type=bytes.fromhex)
    parser.add_argument("--max-msg", type=int, default=2048)
    parser.add_argument("--limit", type=int, default=20)
    parser.add_argument("--ticket", type=bytes.fromhex, action="append", default=[])
    parser.add_argument("--fix", action="append", default=[])
    return parser.parse_args()


def randomness(fixes):
    return Randomness({name: bytes.fromhex(value) for name, value in (fix.split("=", 1) for fix in fixes)})


def run_device(options, password, random):
    def emit(number, line):
        nonlocal shown
        if number != shown:
            print(f"link {number}")
            shown = number
        print(line)

    info = Info(options.info) if options.info else Info.make(
        options.device_id or os.urandom(16), [int(suite) for suite in options.suites.split(",")], max_msg=options.max_msg)
    current = shown = 0
    device = Device(info, password, emit, random, options.limit)
    print("info " + info.bytes.hex(), ".", sep="\n", flush=True)
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "w":
            device.write(current, bytes.fromhex(rest))
        elif word == "link":
            current = int(rest)
        elif word == "disconnect":
            device.disconnected(current)
        elif word == "subscribe":
            device.subscribed(current, rest == "1")
        elif word == "pairing":
            device.is_pairing = rest == "1"
            if device.is_pairing:
                device.failures, device.next_try = 0, 0.0
        elif word == "time":
            device.pass_time(float(rest))
        elif word:
            sys.exit(f"unknown: {word}")
        print(".", flush=True)


def run_app(options, password, random):
    app = App(password, print, random, options.limit, options.suite, [(t[:16], t[16:]) for t in options.ticket], options.device_id)
    first = None
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "info":
            app.begin(bytes.fromhex(rest), first)
        elif word == "n":
            app.notified(bytes.fromhex(rest))
        elif word == "request":
            name, _, body = rest.partition(" ")
            if app.state == "open":
                app.request(name, bytes.fromhex(body))
            else:
                first = (name, bytes.fromhex(body))
        elif word == "time":
            app.pass_time(float(rest))
        elif word:
            sys.exit(f"unknown: {word}")
        print(".", flush=True)
    print("event " + json.dumps({"event": "tickets", "tickets": [(t + p).hex() for t, p in app.tickets]}))


def main():
    options = arguments()
    if options.self_test:
        from secure_protocol import self_test
        return self_test.run()
    if options.role is None:
        sys.exit("device, app or --self-test")
    password = prs(options.digits, options.qr) if options.digits or options.qr else None
    (run_device if options.role == "device" else run_app)(options, password, randomness(options.fix))


if __name__ == "__main__":
    main()
