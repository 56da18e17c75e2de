"""The app's side of the documented provisioning protocol, on Bumble, and violations of it that a device must refuse."""

import asyncio

from legacy_protocol import APP_DATA, APP_KEY, DEVICE_DATA, DEVICE_KEY, FrameStream, KeyPair, decrypt, encrypt, frame

from bumble import att
from bumble.core import UUID
from bumble.gatt import Characteristic

SERVICE, WRITE, NOTIFY = UUID("F200"), UUID("F201"), UUID("F202")


class App:
    """One session: a key exchange, then encrypted text in both directions."""

    def __init__(self, peer) -> None:
        self.peer = peer
        self.frames: asyncio.Queue = asyncio.Queue()
        self.stream = FrameStream()
        self.keys = KeyPair()

    async def start(self) -> None:
        services = self.peer.get_services_by_uuid(SERVICE)
        if not services:
            raise LookupError("no service F200")
        found = {characteristic.uuid: characteristic for characteristic in services[0].characteristics}
        self.writes, self.reads = found[WRITE], found[NOTIFY]
        expected = Characteristic.Properties
        if not expected.WRITE | expected.WRITE_WITHOUT_RESPONSE in self.writes.properties:
            raise LookupError("F201 must offer both kinds of write")
        if not expected.READ | expected.NOTIFY in self.reads.properties:
            raise LookupError("F202 must offer read and notify")
        await self.reads.subscribe(self.received)

    def received(self, value: bytes) -> None:
        for item in self.stream.feed(value):
            self.frames.put_nowait(item)

    async def send(self, data: bytes, size: int | None = None) -> None:
        """In as many writes as the MTU, or `size`, asks for."""
        size = size or self.peer.gatt_client.mtu - 3
        for start in range(0, len(data), size):
            await self.writes.write_value(data[start : start + size], with_response=True)

    async def frame(self, kind: int, timeout: float = 5) -> bytes:
        got, body = await asyncio.wait_for(self.frames.get(), timeout)
        if got != kind:
            raise ValueError(f"got a frame of type {got:02x}, not {kind:02x}")
        return body

    async def agree(self) -> bytes:
        await self.start()
        await self.send(frame(APP_KEY, self.keys.public))
        return self.keys.shared(await self.frame(DEVICE_KEY))

    async def provision(self, text: str) -> dict:
        secret = await self.agree()
        await self.send(frame(APP_DATA, encrypt(secret, text.encode())))
        answers = [decrypt(secret, await self.frame(DEVICE_DATA)).decode()]
        # A second answer, the status, follows only if the device knows one; reading returns the latest whole frame.
        try:
            answers.append(decrypt(secret, await self.frame(DEVICE_DATA, timeout=1)).decode())
        except TimeoutError:
            pass
        latest = FrameStream().feed(await self.reads.read_value())
        return {"answers": answers, "latest": [decrypt(secret, body).decode() for _, body in latest]}

    async def misuse(self, name: str) -> dict:
        """Violates the protocol, and reports the ATT error code of the response, 0 without an error."""
        try:
            await getattr(self, "misuse_" + name.replace("-", "_"))()
        except att.ATT_Error as error:
            return {"violation": name, "code": int(error.error_code)}
        return {"violation": name, "code": 0}

    async def misuse_unknown_type(self) -> None:
        await self.start()
        await self.send(frame(0x7E, bytes(16)))

    async def misuse_long_key(self) -> None:
        await self.start()
        await self.send(frame(APP_KEY, b"\x04" + self.keys.public))

    async def misuse_key_off_curve(self) -> None:
        await self.start()
        await self.send(frame(APP_KEY, self.keys.public[:-1] + bytes([self.keys.public[-1] ^ 1])))

    async def misuse_zero_key(self) -> None:
        await self.start()
        await self.send(frame(APP_KEY, bytes(47) + b"\x01"))

    async def misuse_data_first(self) -> None:
        await self.start()
        await self.send(frame(APP_DATA, bytes(16)))

    async def misuse_second_key(self) -> None:
        await self.agree()
        await self.send(frame(APP_KEY, KeyPair().public))

    async def misuse_ragged_ciphertext(self) -> None:
        await self.agree()
        await self.send(frame(APP_DATA, bytes(17)))

    async def misuse_device_type(self) -> None:
        await self.agree()
        await self.send(frame(DEVICE_DATA, bytes(16)))

    async def misuse_not_text(self) -> None:
        secret = await self.agree()
        await self.send(frame(APP_DATA, encrypt(secret, b"\xff\xfe")))
