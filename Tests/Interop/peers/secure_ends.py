#!/usr/bin/env python3
"""The secure protocol's second implementation over Bumble. Prints one JSON line for each event.

    secure_ends.py TRANSPORT app NAME DIGITS [--mtu 247] [--first NAME:HEX] REQUEST…       a central; REQUEST is NAME or NAME:HEX
    secure_ends.py TRANSPORT device NAME DIGITS [--name-in-advertisement]                  a peripheral, until it is stopped

An app ends with 0 if it was opened and each request had an answer.
"""

import argparse
import asyncio
import json
import logging
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import central  # noqa: E402
from peer_host import HOST_TIMEOUT, say, start_device  # noqa: E402
from secure_protocol.app import App  # noqa: E402
from secure_protocol.device import Device  # noqa: E402
from secure_protocol.framing import Info  # noqa: E402
from secure_protocol.handshake import prs  # noqa: E402

from bumble import att  # noqa: E402
from bumble.core import UUID, AdvertisingData  # noqa: E402
from bumble.device import Peer  # noqa: E402
from bumble.gatt import Characteristic, CharacteristicValue, Service  # noqa: E402

SERVICE, INFO, TX, RX = (UUID(f"F1CD000{number}-3F3C-4994-BA65-4321F7F79012") for number in range(1, 5))


class AppEnd:
    """The app on one connection."""

    def __init__(self, peer, digits: str, limit: int) -> None:
        self.peer = peer
        self.answered = asyncio.Event()
        self.values: asyncio.Queue = asyncio.Queue()
        self.app = App(prs(digits), self.said, limit=limit)

    def said(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if word == "w":
            self.values.put_nowait(bytes.fromhex(rest))
            return
        fields = json.loads(rest)
        say(fields.pop("event"), **fields)
        if json.loads(rest)["event"] in ("response", "failed"):
            self.answered.set()

    async def write(self, characteristic) -> None:
        while True:
            await characteristic.write_value(await self.values.get(), with_response=True)

    async def run(self, first: str, requests: list[str]) -> bool:
        info, tx, rx = (self.peer.get_characteristics_by_uuid(uuid)[0] for uuid in (INFO, TX, RX))
        await rx.subscribe(self.app.notified)
        writer = asyncio.create_task(self.write(tx))
        self.app.begin(bytes(await info.read_value()), self.parse(first))
        await asyncio.wait_for(self.answered.wait(), HOST_TIMEOUT)
        for request in requests:
            if self.app.state != "open":
                break
            self.answered.clear()
            self.app.request(*self.parse(request))
            await asyncio.wait_for(self.answered.wait(), HOST_TIMEOUT)
        # Pushes about what was asked may still come.
        await asyncio.sleep(0.5)
        writer.cancel()
        return self.app.state == "open"

    @staticmethod
    def parse(request: str):
        name, _, body = request.partition(":")
        return name, bytes.fromhex(body)


async def run_app(host, arguments) -> int:
    found = await asyncio.wait_for(central.find(host, arguments), HOST_TIMEOUT)
    peer = Peer(await host.connect(found.address, timeout=HOST_TIMEOUT))
    mtu = await peer.request_mtu(arguments.mtu) if arguments.mtu > 23 else 23
    await peer.discover_services()
    for service in peer.services:
        await service.discover_characteristics()
    is_open = await AppEnd(peer, arguments.digits, mtu - 3).run(arguments.first, arguments.requests)
    await peer.connection.disconnect()
    return 0 if is_open else 1


async def run_device(host, arguments) -> int:
    info = Info.make(os.urandom(16))
    links: list = []

    def said(number: int, line: str) -> None:
        word, _, rest = line.partition(" ")
        if word == "event":
            fields = json.loads(rest)
            say(fields.pop("event"), link=number, **fields)
        elif word == "n":
            notified.put_nowait((links[number], bytes.fromhex(rest)))
        elif word == "error":
            raise att.ATT_Error(int(rest, 16))

    notified: asyncio.Queue = asyncio.Queue()
    device = Device(info, prs(arguments.digits), said)

    async def written(connection, value: bytes) -> None:
        if connection not in links:
            links.append(connection)
            connection.on("disconnection", lambda _reason: device.disconnected(links.index(connection)))
        device.limit = connection.att_mtu - 3
        device.write(links.index(connection), value)

    properties = Characteristic.Properties
    rx = Characteristic(RX, properties.NOTIFY, Characteristic.READABLE)
    host.add_service(Service(SERVICE, [
        Characteristic(INFO, properties.READ, Characteristic.READABLE, info.bytes),
        Characteristic(TX, properties.WRITE | properties.WRITE_WITHOUT_RESPONSE, Characteristic.WRITEABLE,
                       CharacteristicValue(write=written)),
        rx]))
    name = (AdvertisingData.COMPLETE_LOCAL_NAME, arguments.name.encode())
    service = (AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, SERVICE.to_bytes())
    parts = [(AdvertisingData.FLAGS, bytes([6])), service]
    in_advertisement, in_response = ([name], []) if arguments.name_in_advertisement else ([], [name])
    await host.start_advertising(
        advertising_data=bytes(AdvertisingData(parts + in_advertisement)),
        scan_response_data=bytes(AdvertisingData(in_response)), auto_restart=True)
    say("advertising")
    while True:
        connection, value = await notified.get()
        await host.notify_subscriber(connection, rx, value)


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("transport")
    parser.add_argument("role", choices=["app", "device"])
    parser.add_argument("name")
    parser.add_argument("digits")
    parser.add_argument("--mtu", type=int, default=247)
    parser.add_argument("--first", default="status")
    parser.add_argument("--name-in-advertisement", action="store_true")
    parser.add_argument("requests", nargs="*", metavar="REQUEST")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.ERROR)
    address = "F0:F1:F2:F3:F4:F5" if arguments.role == "app" else "E0:E1:E2:E3:E4:E5"
    async with start_device(arguments.transport, f"Bumble {arguments.role}", address) as host:
        return await (run_app if arguments.role == "app" else run_device)(host, arguments)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
