"""The device's side of the documented provisioning protocol, on Bumble."""

from legacy_protocol import APP_DATA, APP_KEY, DEVICE_DATA, DEVICE_KEY, FrameStream, KeyPair, decrypt, encrypt, frame
from peer_host import say

from bumble import att
from bumble.core import UUID
from bumble.gatt import Characteristic, CharacteristicValue, Service

ANSWERS = (b'{"code":0}', b'{"status":"connected"}')
KINDS = (APP_KEY, DEVICE_KEY, APP_DATA, DEVICE_DATA)
MALFORMED, OUT_OF_PLACE, INVALID_KEY = 0x80, 0x81, 0x82


class Session:
    """The state of one connection."""

    def __init__(self) -> None:
        self.stream = FrameStream()
        self.secret: bytes | None = None
        self.latest = b""


class Provisioned:
    """F200 with F201 and F202; a session for each connection."""

    def __init__(self, device, notify_size: int) -> None:
        self.device = device
        self.notify_size = notify_size
        self.sessions: dict = {}

    def services(self) -> list[Service]:
        properties = Characteristic.Properties
        writes = Characteristic(
            UUID("F201"),
            properties.WRITE | properties.WRITE_WITHOUT_RESPONSE,
            Characteristic.WRITEABLE,
            CharacteristicValue(write=self.written),
        )
        self.reads = Characteristic(
            UUID("F202"),
            properties.READ | properties.NOTIFY,
            Characteristic.READABLE,
            CharacteristicValue(read=lambda connection: self.session(connection).latest),
        )
        return [Service(UUID("F200"), [writes, self.reads])]

    def session(self, connection) -> Session:
        if connection not in self.sessions:
            self.sessions[connection] = Session()
            connection.on("disconnection", lambda _reason: self.sessions.pop(connection, None))
        return self.sessions[connection]

    async def written(self, connection, value: bytes) -> None:
        session = self.session(connection)
        for kind, body in session.stream.feed(value):
            try:
                await self.handle(connection, session, kind, body)
            except att.ATT_Error:
                self.sessions[connection] = Session()
                raise

    async def handle(self, connection, session: Session, kind: int, body: bytes) -> None:
        if kind == APP_KEY and session.secret is None:
            keys = KeyPair()
            try:
                session.secret = keys.shared(body)
            except ValueError:
                raise att.ATT_Error(INVALID_KEY) from None
            say("keyed")
            await self.answer(connection, session, frame(DEVICE_KEY, keys.public))
        elif kind == APP_DATA and session.secret is not None:
            if len(body) == 0 or len(body) % 16:
                raise att.ATT_Error(MALFORMED)
            say("received", text=decrypt(session.secret, body).decode())
            for text in ANSWERS:
                await self.answer(connection, session, frame(DEVICE_DATA, encrypt(session.secret, text)))
        else:
            raise att.ATT_Error(OUT_OF_PLACE if kind in KINDS else MALFORMED)

    async def answer(self, connection, session: Session, data: bytes) -> None:
        session.latest = data
        size = self.notify_size or connection.att_mtu - 3
        for start in range(0, len(data), size):
            await self.device.notify_subscriber(connection, self.reads, data[start : start + size])
