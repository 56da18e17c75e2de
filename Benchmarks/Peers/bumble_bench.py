#!/usr/bin/env python3
"""Bumble's side of the GATT figures: two hosts and two controllers in one process.

    bumble_bench.py write|notify|read|discover|channel|pair [--seconds 5] [--central TRANSPORT --peripheral TRANSPORT]

With --central and --peripheral, the hosts are at controllers of other programs.

Prints one JSON line: {"side": "bumble", "measure": …, "value": …, "unit": …, "count": …, "seconds": …}.

- write: write without response, ATT_MTU 247, 244 bytes each; kB (1000 bytes) a second that the receiving
  characteristic's function has received.
- notify: notifications, ATT_MTU 247, 244 bytes each; kB a second that the subscriber has received, from the first on.
- read: reads of 8 bytes that the characteristic's function computes each time; round trips a second.
- channel: an L2CAP channel with credits, MTU 2048, SDUs of 2048 bytes one way; kB a second that its sink has received.
- pair: LE Secure Connections, Just Works, with bonding, from the request to the stored keys; ms, the median.
- discover: from the central's connection to all characteristics of seven services, MTU exchange first; ms, the median.

The controllers announce 251-byte ACL packets and 64 buffers; everything else is unmodified Bumble.
"""

import argparse
import asyncio
import json
import statistics
import struct
import time

from bumble.controller import Controller
from bumble.core import AdvertisingData, UUID
from bumble.device import Device, DeviceConfiguration, Peer
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.hci import Address
from bumble.host import Host
from bumble.l2cap import LeCreditBasedChannelSpec
from bumble.link import LocalLink
from bumble.transport import open_transport
from bumble.transport.common import AsyncPipeSink

ACL_LENGTH = 251
ACL_BUFFERS = 64
ATT_MTU = 247
VALUE_LENGTH = ATT_MTU - 3
SERVICE_COUNT = 7
CHANNEL_MTU = 2048
# SDUs that are written before the writer waits until all have left.
CHANNEL_BATCH = 16
# Bumble keeps every packet it is given: more in its queue than the controller has buffers only costs memory.
QUEUE_LIMIT = 2 * ACL_BUFFERS
# Milliseconds; the time until a connection is not part of any figure, so it may be short.
ADVERTISING_INTERVAL = 20


def uuid(service: int, characteristic: int = 0) -> UUID:
    """The database both sides of the benchmark serve: 128-bit UUIDs, numbered."""
    return UUID(f"4C41{service:02X}{characteristic:02X}-7463-686B-6579-62656E636821")


class Received:
    """Counts of the peripheral's functions."""

    def __init__(self) -> None:
        self.bytes = 0
        self.writes = 0
        self.reads = 0

    def write(self, _connection, value: bytes) -> None:
        self.bytes += len(value)
        self.writes += 1

    def read(self, _connection) -> bytes:
        self.reads += 1
        return struct.pack("<Q", self.reads)


def services(received: Received) -> list[Service]:
    """Seven services of three characteristics: dynamic read, write without response, notify."""
    properties = Characteristic.Properties
    return [
        Service(
            uuid(number),
            [
                Characteristic(
                    uuid(number, 1), properties.READ, Characteristic.READABLE, CharacteristicValue(read=received.read)
                ),
                Characteristic(
                    uuid(number, 2),
                    properties.WRITE_WITHOUT_RESPONSE | properties.WRITE,
                    Characteristic.WRITEABLE,
                    CharacteristicValue(write=received.write),
                ),
                Characteristic(uuid(number, 3), properties.NOTIFY, Characteristic.READABLE, b"\x00"),
            ],
        )
        for number in range(1, SERVICE_COUNT + 1)
    ]


async def device(name: str, address: str, link: LocalLink, place: str | None) -> Device:
    """A host and its controller, joined by function calls; or a host at a controller of another program."""
    if place:
        transport = await open_transport(place)
        configuration = DeviceConfiguration(name=name, address=Address(address))
        return Device.from_config_with_hci(configuration, transport.source, transport.sink)
    controller = Controller(name, link=link)
    controller.le_acl_data_packet_length = ACL_LENGTH
    controller.total_num_le_acl_data_packets = ACL_BUFFERS
    host = Host(controller, AsyncPipeSink(controller))
    configuration = DeviceConfiguration(name=name, address=Address(address))
    return Device(config=configuration, host=host)


class Pair:
    """A central and a peripheral on one radio."""

    async def start(self, central: str | None = None, peripheral: str | None = None) -> "Pair":
        link = LocalLink()
        self.received = Received()
        self.central = await device("central", "F0:F1:F2:F3:F4:F5", link, central)
        self.peripheral = await device("peripheral", "F5:F4:F3:F2:F1:F0", link, peripheral)
        self.services = services(self.received)
        self.peripheral.add_services(self.services)
        await self.central.power_on()
        await self.peripheral.power_on()
        return self

    async def connect(self) -> Peer:
        advertisement = bytes(AdvertisingData([(AdvertisingData.COMPLETE_LOCAL_NAME, b"bench")]))
        await self.peripheral.start_advertising(
            advertising_data=advertisement,
            advertising_interval_min=ADVERTISING_INTERVAL,
            advertising_interval_max=ADVERTISING_INTERVAL,
        )
        return Peer(await self.central.connect(self.peripheral.random_address))


async def characteristic(peer: Peer, number: int):
    await peer.request_mtu(ATT_MTU)
    await peer.discover_services()
    for service in peer.services:
        await service.discover_characteristics()
    return peer.get_characteristics_by_uuid(uuid(1, number))[0]


async def measure_write(pair: Pair, seconds: float) -> dict:
    peer = await pair.connect()
    target = await characteristic(peer, 2)
    queue = peer.connection.data_packet_queue
    value = bytes(range(VALUE_LENGTH))
    sent = 0
    begin = time.perf_counter()
    while time.perf_counter() < begin + seconds:
        while queue.pending < QUEUE_LIMIT:
            await target.write_value(value, with_response=False)
            sent += 1
        await asyncio.sleep(0)
    # Only bytes that arrived count, and only until now.
    elapsed, count = time.perf_counter() - begin, pair.received.bytes
    while pair.received.writes < sent:
        await asyncio.sleep(0)
    return {"value": count / elapsed / 1000, "unit": "kB/s", "count": count // VALUE_LENGTH, "seconds": elapsed}


async def measure_notify(pair: Pair, seconds: float) -> dict:
    peer = await pair.connect()
    target = await characteristic(peer, 3)
    received = 0
    begin = None

    def receive(value: bytes) -> None:
        nonlocal received, begin
        if begin is None:
            begin = time.perf_counter()
        else:
            received += len(value)

    await target.subscribe(receive)
    source = pair.services[0].characteristics[2]
    connection = next(iter(pair.peripheral.connections.values()))
    queue = connection.data_packet_queue
    value = bytes(range(VALUE_LENGTH))
    while begin is None or time.perf_counter() < begin + seconds:
        while queue.pending < QUEUE_LIMIT:
            await pair.peripheral.notify_subscriber(connection, source, value)
        await asyncio.sleep(0)
    elapsed, count = time.perf_counter() - begin, received
    return {"value": count / elapsed / 1000, "unit": "kB/s", "count": count // VALUE_LENGTH, "seconds": elapsed}


async def measure_read(pair: Pair, seconds: float) -> dict:
    peer = await pair.connect()
    target = await characteristic(peer, 1)
    begin = time.perf_counter()
    while time.perf_counter() < begin + seconds:
        await target.read_value()
    elapsed, count = time.perf_counter() - begin, pair.received.reads
    return {"value": count / elapsed, "unit": "/s", "count": count, "seconds": elapsed}


async def measure_channel(pair: Pair, seconds: float) -> dict:
    peer = await pair.connect()
    received = 0

    def receive(sdu: bytes) -> None:
        nonlocal received
        received += len(sdu)

    def opened(channel) -> None:
        channel.sink = receive

    specification = LeCreditBasedChannelSpec(mtu=CHANNEL_MTU, mps=CHANNEL_MTU)
    server = pair.peripheral.create_l2cap_server(specification, opened)
    specification = LeCreditBasedChannelSpec(psm=server.psm, mtu=CHANNEL_MTU, mps=CHANNEL_MTU)
    channel = await peer.connection.create_l2cap_channel(spec=specification)
    sdu = bytes(CHANNEL_MTU)
    begin = time.perf_counter()
    while time.perf_counter() < begin + seconds:
        for _ in range(CHANNEL_BATCH):
            channel.write(sdu)
        await channel.drain()
    elapsed, count = time.perf_counter() - begin, received
    return {"value": count / elapsed / 1000, "unit": "kB/s", "count": count // CHANNEL_MTU, "seconds": elapsed}


async def measure_pair(pair: Pair, seconds: float) -> dict:
    times = []
    begin = time.perf_counter()
    while time.perf_counter() < begin + seconds or len(times) < 3:
        peer = await pair.connect()
        started = time.perf_counter()
        await peer.connection.pair()
        times.append((time.perf_counter() - started) * 1000)
        if not (peer.connection.is_encrypted and peer.connection.sc):
            raise SystemExit("bumble_bench: the pairing did not use Secure Connections")
        await peer.connection.disconnect()
        while pair.peripheral.connections:
            await asyncio.sleep(0)
    elapsed = time.perf_counter() - begin
    return {"value": statistics.median(times), "unit": "ms", "count": len(times), "seconds": elapsed}


async def measure_discover(pair: Pair, seconds: float) -> dict:
    times = []
    completed = [0.0]
    pair.central.on("connection", lambda _connection: completed.__setitem__(0, time.perf_counter()))
    begin = time.perf_counter()
    while time.perf_counter() < begin + seconds or len(times) < 3:
        peer = await pair.connect()
        await peer.request_mtu(ATT_MTU)
        await peer.discover_services()
        found = [service for service in peer.services if service.uuid in WANTED]
        for service in found:
            await service.discover_characteristics()
        times.append((time.perf_counter() - completed[0]) * 1000)
        if sum(len(service.characteristics) for service in found) != 3 * SERVICE_COUNT:
            raise SystemExit("bumble_bench: not every characteristic was found")
        await peer.connection.disconnect()
        # The peripheral is notified a little later; an advertisement before that would not be connectable.
        while pair.peripheral.connections:
            await asyncio.sleep(0)
    elapsed = time.perf_counter() - begin
    return {"value": statistics.median(times), "unit": "ms", "count": len(times), "seconds": elapsed}


WANTED = {uuid(number) for number in range(1, SERVICE_COUNT + 1)}
MEASURES = {
    "write": measure_write,
    "notify": measure_notify,
    "read": measure_read,
    "discover": measure_discover,
    "channel": measure_channel,
    "pair": measure_pair,
}


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measure", choices=MEASURES)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--central")
    parser.add_argument("--peripheral")
    arguments = parser.parse_args()
    pair = await Pair().start(arguments.central, arguments.peripheral)
    result = await MEASURES[arguments.measure](pair, arguments.seconds)
    result = {key: round(value, 3) if isinstance(value, float) else value for key, value in result.items()}
    print(json.dumps({"side": "bumble", "measure": arguments.measure} | result), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
