"""Lets programs that use bleak (PyPI) speak over Bumble: a backend for its clients and scanners.

bleak and the programs above it are unchanged. bleak asks its modules for the backend of the platform, and gets this one:

    async with start_device(transport, …) as device:
        with installed(device): …
"""

import asyncio
import contextlib
import uuid

import bleak
from bleak.backends.characteristic import BleakGATTCharacteristic
from bleak.backends.client import BaseBleakClient
from bleak.backends.descriptor import BleakGATTDescriptor
from bleak.backends.scanner import AdvertisementData, BaseBleakScanner
from bleak.backends.service import BleakGATTService, BleakGATTServiceCollection
from bleak.exc import BleakDeviceNotFoundError, BleakError, BleakGATTProtocolError

from bumble import att
from bumble.core import UUID, AdvertisingData, InvalidStateError
from bumble.core import TimeoutError as BumbleTimeoutError
from bumble.device import Peer
from bumble.gatt import Characteristic
from bumble.hci import Address, HCI_Error, OwnAddressType

# What BlueZ asks for.
MTU = 517
# Properties of characteristics, by bleak's names.
PROPERTIES = {
    Characteristic.Properties.BROADCAST: "broadcast",
    Characteristic.Properties.READ: "read",
    Characteristic.Properties.WRITE_WITHOUT_RESPONSE: "write-without-response",
    Characteristic.Properties.WRITE: "write",
    Characteristic.Properties.NOTIFY: "notify",
    Characteristic.Properties.INDICATE: "indicate",
}


@contextlib.contextmanager
def installed(device, mtu: int = MTU):
    """While this context lasts, bleak's clients and scanners use this Bumble device."""
    client = type("BumbleClient", (BumbleClient,), {"host": device, "mtu": mtu})
    scanner = type("BumbleScanner", (BumbleScanner,), {"host": device})
    before = bleak.get_platform_client_backend_type, bleak.get_platform_scanner_backend_type
    bleak.get_platform_client_backend_type = lambda: (client, "bumble")
    bleak.get_platform_scanner_backend_type = lambda: (scanner, "bumble")
    try:
        yield
    finally:
        bleak.get_platform_client_backend_type, bleak.get_platform_scanner_backend_type = before


def text(identifier: UUID) -> str:
    """A UUID as bleak writes it: 128 bits, in lower case."""
    return str(uuid.UUID(identifier.to_hex_str("-") if len(identifier.uuid_bytes) == 16 else expanded(identifier)))


def expanded(identifier: UUID) -> str:
    return f"{int.from_bytes(identifier.uuid_bytes, 'little'):08x}-0000-1000-8000-00805f9b34fb"


@contextlib.contextmanager
def bleak_errors():
    """Bumble's errors as those of bleak."""
    try:
        yield
    except att.ATT_Error as error:
        raise BleakGATTProtocolError(int(error.error_code)) from error
    except (HCI_Error, InvalidStateError, BumbleTimeoutError) as error:
        raise BleakError(str(error)) from error


class BumbleScanner(BaseBleakScanner):
    """Scans actively. An advertisement and its scan response are one event, as with BlueZ."""

    host = None

    def __init__(self, detection_callback, service_uuids, scanning_mode="active", **_) -> None:
        super().__init__(detection_callback, service_uuids)
        self.structures: dict[str, dict[int, list[bytes]]] = {}

    async def start(self) -> None:
        self.seen_devices = {}
        self.host.on("advertisement", self.received)
        with bleak_errors():
            await self.host.start_scanning(active=True, filter_duplicates=False)

    async def stop(self) -> None:
        self.host.remove_listener("advertisement", self.received)
        with bleak_errors():
            await self.host.stop_scanning()

    def received(self, advertisement) -> None:
        address = advertisement.address.to_string(False)
        known = self.structures.setdefault(address, {})
        fresh: dict[int, list[bytes]] = {}
        for kind, value in advertisement.data.ad_structures:
            fresh.setdefault(kind, []).append(value)
        known.update(fresh)
        data = self.advertisement_data(known, advertisement.rssi)
        if not self.is_allowed_uuid(data.service_uuids):
            return
        found = self.create_or_update_device(address, address, data.local_name, {"source": "bumble"}, data)
        found.details["address"] = advertisement.address
        self.call_detection_callbacks(found, data)

    @staticmethod
    def advertisement_data(structures: dict[int, list[bytes]], rssi: int) -> AdvertisementData:
        kinds = AdvertisingData.Type

        def values(*wanted: int) -> list[bytes]:
            return [value for kind in wanted for value in structures.get(kind, [])]

        def identifiers(size: int, *wanted: int) -> list[str]:
            return [
                text(UUID.from_bytes(value[start : start + size]))
                for value in values(*wanted)
                for start in range(0, len(value) - size + 1, size)
            ]

        names = values(kinds.COMPLETE_LOCAL_NAME, kinds.SHORTENED_LOCAL_NAME)
        return AdvertisementData(
            local_name=names[0].decode(errors="replace") if names else None,
            manufacturer_data={
                int.from_bytes(value[:2], "little"): value[2:] for value in values(kinds.MANUFACTURER_SPECIFIC_DATA)
            },
            service_data={
                text(UUID.from_bytes(value[:size])): value[size:]
                for size, kind in (
                    (2, kinds.SERVICE_DATA_16_BIT_UUID),
                    (4, kinds.SERVICE_DATA_32_BIT_UUID),
                    (16, kinds.SERVICE_DATA_128_BIT_UUID),
                )
                for value in values(kind)
                if len(value) >= size
            },
            service_uuids=[
                *identifiers(
                    2,
                    kinds.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS,
                    kinds.INCOMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS,
                ),
                *identifiers(
                    16,
                    kinds.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS,
                    kinds.INCOMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS,
                ),
            ],
            tx_power=None,
            rssi=rssi,
            platform_data=(),
        )


class BumbleClient(BaseBleakClient):
    """One connection. Reads and writes of any length; values that do not fit are long ones."""

    host = None
    mtu = MTU

    def __init__(self, address_or_ble_device, **options) -> None:
        super().__init__(
            address_or_ble_device,
            disconnected_callback=options.get("disconnected_callback"),
            timeout=options.get("timeout", 30),
        )
        self.device_name = getattr(address_or_ble_device, "name", None)
        details = getattr(address_or_ble_device, "details", None) or {}
        self.peer_address = details.get("address")
        self.connection = None
        self.peer = None
        self.subscribers: dict[int, object] = {}
        self.gone: asyncio.Future | None = None

    @property
    def name(self) -> str:
        return self.device_name or self.address.replace(":", "-")

    @property
    def mtu_size(self) -> int:
        return self.peer.gatt_client.mtu if self.peer else 23

    @property
    def is_connected(self) -> bool:
        return self.connection is not None

    async def connect(self, pair: bool = False, **options) -> None:
        # A program that gives an address alone has seen it, and bleak looks for it again.
        address = self.peer_address or await self.seen_address()
        with bleak_errors():
            connection = await self.host.connect(
                address, own_address_type=OwnAddressType.RANDOM, timeout=options.get("timeout") or self._timeout
            )
            self.connection = connection
            self.gone = asyncio.get_running_loop().create_future()
            connection.on("disconnection", self.ended)
            try:
                self.peer = Peer(connection)
                if self.mtu > 23:
                    await self.peer.request_mtu(self.mtu)
                self.services = await self.discovered_services()
            except BaseException:
                with contextlib.suppress(Exception):
                    await connection.disconnect()
                raise

    async def seen_address(self) -> Address:
        found = await bleak.BleakScanner.find_device_by_address(self.address)
        if found is None:
            raise BleakDeviceNotFoundError(self.address, f"no device {self.address}")
        return found.details["address"]

    async def discovered_services(self) -> BleakGATTServiceCollection:
        collection = BleakGATTServiceCollection()
        for service in await self.peer.discover_services():
            ours = BleakGATTService(service, service.handle, text(service.uuid))
            collection.add_service(ours)
            for characteristic in await service.discover_characteristics():
                names = [name for flag, name in PROPERTIES.items() if flag in characteristic.properties]
                entry = BleakGATTCharacteristic(
                    characteristic,
                    characteristic.handle,
                    text(characteristic.uuid),
                    names,
                    lambda: self.mtu_size - 3,
                    ours,
                )
                collection.add_characteristic(entry)
                for descriptor in await characteristic.discover_descriptors():
                    collection.add_descriptor(
                        BleakGATTDescriptor(descriptor, descriptor.handle, text(descriptor.type), entry)
                    )
        return collection

    def ended(self, _reason) -> None:
        """The connection is gone; either side may have ended it."""
        self.connection = None
        self.peer = None
        self.services = None
        self.subscribers = {}
        if not self.gone.done():
            self.gone.set_result(None)
        if self._disconnected_callback:
            self._disconnected_callback()

    def connected_peer(self) -> Peer:
        if self.peer is None:
            raise BleakError("Not connected")
        return self.peer

    async def disconnect(self) -> None:
        if self.connection:
            with bleak_errors():
                await self.connection.disconnect()

    async def pair(self, *_, **__) -> None:
        raise NotImplementedError("no check pairs by bleak")

    async def unpair(self) -> None:
        raise NotImplementedError("no check pairs by bleak")

    async def read_gatt_char(self, characteristic, **_) -> bytearray:
        return await self.read(characteristic)

    async def read_gatt_descriptor(self, descriptor, **_) -> bytearray:
        return await self.read(descriptor)

    async def read(self, attribute) -> bytearray:
        with bleak_errors():
            return bytearray(await self.until_ended(self.connected_peer().gatt_client.read_value(attribute.handle)))

    async def write_gatt_char(self, characteristic, data, response: bool) -> None:
        with bleak_errors():
            await self.until_ended(
                self.connected_peer().gatt_client.write_value(characteristic.handle, bytes(data), with_response=response)
            )

    async def write_gatt_descriptor(self, descriptor, data) -> None:
        with bleak_errors():
            await self.until_ended(
                self.connected_peer().gatt_client.write_value(descriptor.handle, bytes(data), with_response=True)
            )

    async def start_notify(self, characteristic, callback, **_) -> None:
        self.connected_peer()

        def received(value: bytes) -> None:
            callback(bytearray(value))

        self.subscribers[characteristic.handle] = received
        with bleak_errors():
            await self.until_ended(characteristic.obj.subscribe(received))

    async def stop_notify(self, characteristic) -> None:
        received = self.subscribers.pop(characteristic.handle, None)
        if received:
            with bleak_errors():
                await self.until_ended(characteristic.obj.unsubscribe(received))

    async def until_ended(self, work):
        """The result of a request, or bleak's error if the connection ends first: Bumble cancels what waits for an answer then."""
        task = asyncio.ensure_future(work)
        await asyncio.wait((task, self.gone), return_when=asyncio.FIRST_COMPLETED)
        if task.done() and not task.cancelled():
            return task.result()
        task.cancel()
        raise BleakError("disconnected")
