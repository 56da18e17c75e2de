"""Bumble's end of an L2CAP channel with credits: both ends send the same pattern, then Bumble closes the channel."""

import asyncio

from bumble.l2cap import LeCreditBasedChannelSpec

# Few credits, so that they run out often; an MPS that takes several of a controller's packets.
CREDITS = 10
MTU = 2048
MPS = 1024
CHUNK = 5000


def pattern(count: int) -> bytes:
    return bytes(index % 251 for index in range(count))


def spec(psm: int | None = None) -> LeCreditBasedChannelSpec:
    return LeCreditBasedChannelSpec(psm=psm, mtu=MTU, mps=MPS, max_credits=CREDITS)


class Exchange:
    """What one open channel has received."""

    def __init__(self, channel, count: int) -> None:
        self.channel = channel
        self.count = count
        self.received = bytearray()
        self.news = asyncio.Event()
        channel.sink = self.receive

    def receive(self, sdu: bytes) -> None:
        self.received += sdu
        self.news.set()

    async def run(self) -> dict:
        """Sends and receives everything, closes the channel, and describes the result."""
        data = pattern(self.count)
        for start in range(0, len(data), CHUNK):
            self.channel.write(data[start : start + CHUNK])
            await self.channel.drain()
        while len(self.received) < self.count:
            self.news.clear()
            await self.news.wait()
        await self.channel.disconnect()
        return {"received": len(self.received), "equal": bytes(self.received) == data}
