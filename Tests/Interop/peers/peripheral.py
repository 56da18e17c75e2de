#!/usr/bin/env python3
"""Bumble as a peripheral: advertises, serves, and prints one JSON line for each thing a central does.

    peripheral.py TRANSPORT --name NAME [--name-in-advertisement] [--notify-size N] [--channel COUNT] [--legacy] [--extended]
        [--forgets-after N] explore|provisioning|protected

--channel serves an L2CAP channel, too: that many bytes are exchanged each way, then it is closed.

explore: dynamic values; two services as in the examples of Core Bluetooth, and a third.
    FFF0  FFF1 notify, with a user description; three values follow a subscription
          FFF2 read and write, stores the value
    FFE0  FFE1 read, another value each time
    4C4B0001-7463-686B-6579-696E7465726F
          …0002 read: 300 bytes, longer than most MTUs
          …0003 write without response; …0004 read: how many bytes …0003 has had
          …0005 indicate; two values follow a subscription
          …0006 read and write: refuses both with the codes 0x80 and 0x81

protected: FFF0 with FFF3, which is read on an encrypted link alone. --legacy pairs without Secure Connections;
    --forgets-after loses all keys when so many connections have ended.

provisioning: the device's side of the documented exchange over F200; any text is accepted, and answered by {"code":0} and
    {"status":"connected"}. --notify-size cuts its values shorter than the MTU asks for.
"""

import argparse
import asyncio
import logging

import channels
import provisioning_device
from peer_host import say, start_device

from bumble import att
from bumble.core import UUID, AdvertisingData
from bumble.device import AdvertisingEventProperties, AdvertisingParameters
from bumble.gatt import Characteristic, CharacteristicValue, Descriptor, Service
from bumble.keys import MemoryKeyStore
from bumble.pairing import PairingConfig, PairingDelegate

THIRD = "4C4B{:04X}-7463-686B-6579-696E7465726F"
LONG_VALUE = bytes(index % 251 for index in range(300))
ADVERTISING_INTERVAL = 60  # ms

Properties = Characteristic.Properties


class Explored:
    """The values of the services, and counts of their use."""

    def __init__(self, device) -> None:
        self.device = device
        self.stored = b"stored"
        self.reads = 0
        self.received = 0

    def read_stored(self, _connection) -> bytes:
        say("read", uuid="FFF2")
        return self.stored

    def write_stored(self, _connection, value: bytes) -> None:
        self.stored = value
        say("write", uuid="FFF2", value=value.hex())

    def read_counter(self, _connection) -> bytes:
        self.reads += 1
        say("read", uuid="FFE1")
        return f"read {self.reads}".encode()

    def write_counted(self, _connection, value: bytes) -> None:
        self.received += len(value)

    def read_counted(self, _connection) -> bytes:
        return self.received.to_bytes(4, "little")

    def refuse_read(self, _connection) -> bytes:
        raise att.ATT_Error(0x80)

    def refuse_write(self, _connection, _value: bytes) -> None:
        raise att.ATT_Error(0x81)

    def subscribed(self, characteristic, _bearer, notify: bool, indicate: bool) -> None:
        say("subscribed" if notify or indicate else "unsubscribed", uuid=characteristic.uuid.to_hex_str("-"))
        if notify or indicate:
            asyncio.ensure_future(self.publish(characteristic, indicate))

    async def publish(self, characteristic, indicate: bool) -> None:
        # The response to the subscription is sent before the values.
        await asyncio.sleep(0)
        for number in range(1, 3 if indicate else 4):
            if indicate:
                await self.device.indicate_subscribers(characteristic, f"indication {number}".encode())
            else:
                await self.device.notify_subscribers(characteristic, f"notification {number}".encode())
        say("published", uuid=characteristic.uuid.to_hex_str("-"))

    def characteristic(self, uuid: str, properties, value, descriptors=()) -> Characteristic:
        permissions = Characteristic.READABLE | Characteristic.WRITEABLE
        characteristic = Characteristic(UUID(uuid), properties, permissions, value, list(descriptors))
        characteristic.on(
            characteristic.EVENT_SUBSCRIPTION, lambda *arguments: self.subscribed(characteristic, *arguments)
        )
        return characteristic

    def services(self) -> list[Service]:
        description = Descriptor(UUID("2901"), Descriptor.READABLE, b"notified values")
        notify = self.characteristic("FFF1", Properties.NOTIFY, b"", [description])
        stored = CharacteristicValue(read=self.read_stored, write=self.write_stored)
        counted = CharacteristicValue(write=self.write_counted)
        refused = CharacteristicValue(read=self.refuse_read, write=self.refuse_write)
        third = [
            (2, Properties.READ, LONG_VALUE),
            (3, Properties.WRITE_WITHOUT_RESPONSE, counted),
            (4, Properties.READ, CharacteristicValue(read=self.read_counted)),
            (5, Properties.INDICATE, b""),
            (6, Properties.READ | Properties.WRITE, refused),
        ]
        return [
            Service(UUID("FFF0"), [notify, self.characteristic("FFF2", Properties.READ | Properties.WRITE, stored)]),
            Service(
                UUID("FFE0"),
                [self.characteristic("FFE1", Properties.READ, CharacteristicValue(read=self.read_counter))],
            ),
            Service(UUID(THIRD.format(1)), [self.characteristic(THIRD.format(n), p, v) for n, p, v in third]),
        ]


async def exchange(channel, count: int) -> None:
    say("channel", **await channels.Exchange(channel, count).run())


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("transport")
    parser.add_argument("--name", required=True)
    parser.add_argument("--name-in-advertisement", action="store_true")
    parser.add_argument("--notify-size", type=int, default=0)
    parser.add_argument("--channel", type=int, metavar="COUNT")
    parser.add_argument("database", choices=["explore", "provisioning", "protected"])
    parser.add_argument("--legacy", action="store_true")
    parser.add_argument("--extended", action="store_true", help="advertise by extended advertising, with one payload")
    parser.add_argument("--forgets-after", type=int, default=0, metavar="N")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.ERROR)

    async with start_device(arguments.transport, arguments.name, "F5:F4:F3:F2:F1:F0") as device:
        if arguments.database == "explore":
            device.add_services(Explored(device).services())
            service = UUID("FFF0")
        elif arguments.database == "protected":
            secret = Characteristic(
                UUID("FFF3"), Properties.READ, Characteristic.READ_REQUIRES_ENCRYPTION, b"protected"
            )
            service = UUID("FFF0")
            device.add_services([Service(service, [secret])])
        else:
            device.add_services(provisioning_device.Provisioned(device, arguments.notify_size).services())
            service = UUID("F200")
        if arguments.channel is not None:
            server = device.create_l2cap_server(
                channels.spec(), lambda channel: asyncio.ensure_future(exchange(channel, arguments.channel))
            )
            say("serving", psm=server.psm)
        advertisement = AdvertisingData(
            [
                (AdvertisingData.FLAGS, bytes([0x06])),
                (AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, bytes(service)),
            ]
        )
        # A passive scanner never receives the name in the scan response.
        name = (AdvertisingData.COMPLETE_LOCAL_NAME, arguments.name.encode())
        response = AdvertisingData([name])
        if arguments.name_in_advertisement:
            advertisement.ad_structures.append(name)

        delegate = PairingDelegate(PairingDelegate.NO_OUTPUT_NO_INPUT)
        device.pairing_config_factory = lambda _: PairingConfig(
            sc=not arguments.legacy, mitm=False, bonding=True, delegate=delegate
        )
        ended = 0

        def disconnected(reason) -> None:
            nonlocal ended
            ended += 1
            if ended == arguments.forgets_after:
                device.keystore = MemoryKeyStore()
            say("disconnected", reason=int(reason))

        def connected(connection) -> None:
            say("connected")
            connection.on("disconnection", disconnected)
            connection.on("pairing", lambda _: say("paired"))
            connection.on("connection_encryption_change", lambda: say("encrypted"))

        device.on("connection", connected)
        if arguments.extended:
            await device.create_advertising_set(
                advertising_parameters=AdvertisingParameters(
                    advertising_event_properties=AdvertisingEventProperties(is_connectable=True),
                    primary_advertising_interval_min=ADVERTISING_INTERVAL,
                    primary_advertising_interval_max=ADVERTISING_INTERVAL,
                ),
                advertising_data=bytes(advertisement) + bytes(response),
                auto_restart=True,
            )
        else:
            await device.start_advertising(
                advertising_data=bytes(advertisement),
                scan_response_data=bytes(response),
                advertising_interval_min=ADVERTISING_INTERVAL,
                advertising_interval_max=ADVERTISING_INTERVAL,
                auto_restart=True,
            )
        say("advertising", name=arguments.name)
        await asyncio.Event().wait()


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        pass
