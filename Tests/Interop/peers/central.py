#!/usr/bin/env python3
"""Bumble as a central: finds a peripheral, connects, and performs the steps. Prints one JSON line for each.

    central.py TRANSPORT --name NAME|--service UUID [--public] [--mtu 247] [--legacy] STEP…

    explore                       every service, characteristic and descriptor
    read:UUID                     a characteristic, long values included
    read-descriptor:UUID:TYPE     a descriptor of a characteristic, by its type
    write:UUID:HEX                with response; a long write if the value does not fit
    command:UUID:HEX              without response
    subscribe:UUID:COUNT          until COUNT values came, then unsubscribes; notifications, or indications if only those
    provision:SSID:PASSWORD       the documented provisioning exchange over F200
    provision-text:TEXT           the same, with any text
    channel:PSM:COUNT             opens an L2CAP channel, exchanges that many bytes each way, and closes it
    pair                          requests pairing, and prints the reason of the refusal
    encrypt                       encrypts with the key of the last pairing
    reconnect                     ends the connection and makes another one, without an exchange of ATT_MTU
    misuse:NAME                   one violation of that exchange (see provisioning_app.py)

The exit status is 0 if every step worked, 1 if one failed, 2 if no peripheral advertised that name or service.
"""

import argparse
import asyncio
import inspect
import json
import logging
import sys

import channels
import provisioning_app
from peer_host import HOST_TIMEOUT, say, start_device

from bumble import att
from bumble.core import UUID, AdvertisingData, ProtocolError
from bumble.device import Peer
from bumble.gatt import Characteristic
from bumble.hci import HCI_Error, OwnAddressType
from bumble.pairing import PairingConfig, PairingDelegate


def describe(error: Exception) -> dict:
    if isinstance(error, att.ATT_Error):
        return {"error": "att", "code": int(error.error_code)}
    return {"error": type(error).__name__, "message": str(error)}


class Central:
    """One connection, and the steps over it."""

    def __init__(self, peer: Peer, reconnect) -> None:
        self.peer = peer
        self.reconnect = reconnect

    async def discover(self) -> None:
        await self.peer.discover_services()
        for service in self.peer.services:
            await service.discover_characteristics()
            for characteristic in service.characteristics:
                await characteristic.discover_descriptors()

    def characteristic(self, uuid: str):
        found = self.peer.get_characteristics_by_uuid(UUID(uuid))
        if not found:
            raise LookupError(f"no characteristic {uuid}")
        return found[0]

    async def step(self, text: str) -> dict:
        name, *rest = text.split(":", 1)
        function = getattr(self, "do_" + name.replace("-", "_"))
        # The last argument may hold colons: JSON and passwords do.
        count = len(inspect.signature(function).parameters)
        return await function(*(rest[0].split(":", count - 1) if rest else []))

    async def do_explore(self) -> dict:
        return {"services": [await self.describe_service(service) for service in self.peer.services]}

    async def describe_service(self, service) -> dict:
        return {
            "uuid": service.uuid.to_hex_str("-").upper(),
            "characteristics": [
                {
                    "uuid": characteristic.uuid.to_hex_str("-").upper(),
                    "properties": [flag.name for flag in Characteristic.Properties if flag in characteristic.properties],
                    "descriptors": [descriptor.type.to_hex_str("-").upper() for descriptor in characteristic.descriptors],
                }
                for characteristic in service.characteristics
            ],
        }

    async def do_read(self, uuid: str) -> dict:
        return {"value": (await self.characteristic(uuid).read_value()).hex()}

    async def do_read_descriptor(self, uuid: str, kind: str) -> dict:
        descriptor = self.characteristic(uuid).get_descriptor(UUID(kind))
        if descriptor is None:
            raise LookupError(f"{uuid} has no descriptor {kind}")
        return {"value": (await descriptor.read_value()).hex()}

    async def do_write(self, uuid: str, value: str) -> dict:
        await self.characteristic(uuid).write_value(bytes.fromhex(value), with_response=True)
        return {}

    async def do_command(self, uuid: str, value: str) -> dict:
        await self.characteristic(uuid).write_value(bytes.fromhex(value), with_response=False)
        await self.peer.connection.drain()
        return {}

    async def do_subscribe(self, uuid: str, count: str) -> dict:
        values: list[str] = []
        complete = asyncio.Event()

        def received(value: bytes) -> None:
            values.append(value.hex())
            if len(values) >= int(count):
                complete.set()

        characteristic = self.characteristic(uuid)
        prefer_notify = Characteristic.Properties.NOTIFY in characteristic.properties
        await characteristic.subscribe(received, prefer_notify=prefer_notify)
        await complete.wait()
        await characteristic.unsubscribe(received)
        return {"kind": "notify" if prefer_notify else "indicate", "values": values}

    async def do_provision(self, ssid: str, password: str) -> dict:
        text = json.dumps({"ssid": ssid, "password": password}, ensure_ascii=False, separators=(",", ":"))
        return await self.do_provision_text(text)

    async def do_provision_text(self, text: str) -> dict:
        return await provisioning_app.App(self.peer).provision(text)

    async def do_channel(self, psm: str, count: str) -> dict:
        channel = await self.peer.connection.create_l2cap_channel(spec=channels.spec(int(psm)))
        exchange = channels.Exchange(channel, int(count))
        # Bumble drops what arrives before there is a sink.
        say("ready")
        return await exchange.run()

    async def do_pair(self) -> dict:
        try:
            await self.peer.connection.pair()
        except ProtocolError as error:
            return {"refused": int(error.error_code)}
        return {"refused": None}

    async def do_encrypt(self) -> dict:
        try:
            await self.peer.connection.encrypt()
        except HCI_Error as error:
            return {"failed": int(error.error_code)}
        return {"failed": None}

    async def do_reconnect(self) -> dict:
        await self.peer.connection.disconnect()
        self.peer = Peer(await self.reconnect())
        await self.discover()
        return {}

    async def do_misuse(self, name: str) -> dict:
        return await provisioning_app.App(self.peer).misuse(name)


NAMES = (AdvertisingData.COMPLETE_LOCAL_NAME, AdvertisingData.SHORTENED_LOCAL_NAME)
SERVICES = (
    AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS,
    AdvertisingData.INCOMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS,
)


def is_wanted(data: AdvertisingData, arguments) -> bool:
    """Whether this advertisement, or scan response, carries the name or the service that is looked for."""
    if arguments.name:
        return any(data.get(kind, raw=True) == arguments.name.encode() for kind in NAMES)
    return any(UUID(arguments.service) in (data.get(kind) or []) for kind in SERVICES)


async def find(device, arguments):
    """The first advertisement with the name or the service."""
    found = asyncio.get_running_loop().create_future()

    def on_advertisement(advertisement) -> None:
        if not found.done() and is_wanted(advertisement.data, arguments):
            found.set_result(advertisement)

    device.on("advertisement", on_advertisement)
    await device.start_scanning(active=True, filter_duplicates=False)
    advertisement = await found
    await device.stop_scanning()
    return advertisement


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("transport")
    who = parser.add_mutually_exclusive_group(required=True)
    who.add_argument("--name")
    who.add_argument("--service", help="a 16-bit UUID in the advertisement")
    parser.add_argument("--public", action="store_true", help="use the controller's public address")
    parser.add_argument("--mtu", type=int, default=247)
    parser.add_argument("--legacy", action="store_true", help="pair without Secure Connections")
    parser.add_argument("--timeout", type=float, default=HOST_TIMEOUT, help="seconds for each step")
    parser.add_argument("steps", nargs="+", metavar="STEP")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.ERROR)

    async with start_device(arguments.transport, "Bumble central", "F0:F1:F2:F3:F4:F5") as device:
        try:
            advertisement = await asyncio.wait_for(find(device, arguments), arguments.timeout)
        except TimeoutError:
            say("absent")
            return 2
        say("found", rssi=advertisement.rssi, address=str(advertisement.address))
        own = OwnAddressType.PUBLIC if arguments.public else OwnAddressType.RANDOM
        delegate = PairingDelegate(PairingDelegate.NO_OUTPUT_NO_INPUT)
        device.pairing_config_factory = lambda _: PairingConfig(
            sc=not arguments.legacy, mitm=False, bonding=True, delegate=delegate
        )

        def connect():
            return device.connect(advertisement.address, own_address_type=own, timeout=arguments.timeout)

        connection = await connect()
        peer = Peer(connection)
        connection.on("disconnection", lambda reason: say("disconnected", reason=int(reason)))
        mtu = await peer.request_mtu(arguments.mtu) if arguments.mtu > 23 else 23
        say("connected", mtu=mtu)
        central, status = Central(peer, connect), 0
        await asyncio.wait_for(central.discover(), arguments.timeout)
        for step in arguments.steps:
            name = step.split(":")[0]
            try:
                result = await asyncio.wait_for(central.step(step), arguments.timeout)
            except Exception as error:  # an error of one step; the next ones still run
                result, status = describe(error), 1
            say(name, step=step, **result)
        if device.connections:
            await central.peer.connection.disconnect()
    return status


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
