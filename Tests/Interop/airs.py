"""The radios that checks run over: Bumble's controllers in several shapes, and our own."""

import asyncio
import contextlib
import dataclasses
import importlib.resources
import platform
import socket
import sys

from harness import PEERS, TIMEOUT, Scene, free_port, require


@dataclasses.dataclass(frozen=True)
class BumbleControllers:
    """Bumble's controllers over TCP, started with these options."""

    name: str
    options: tuple[str, ...] = ()

    async def start(self, scene: Scene) -> str:
        server = await scene.start("controllers", sys.executable, str(PEERS / "controllers.py"), *self.options)
        return f"tcp-client:127.0.0.1:{await server.line('^[0-9]+$')}"

    @property
    def is_raw(self) -> bool:
        return "--raw" in self.options


@dataclasses.dataclass(frozen=True)
class SerialLines(BumbleControllers):
    """Bumble's controllers; each of our programs has its own at a serial line."""

    async def of_ours(self, scene: Scene) -> str:
        board = await scene.start("board", sys.executable, str(PEERS / "serial_board.py"), scene.transport)
        return f"serial:{await board.line('^/dev/')}"


@dataclasses.dataclass(frozen=True)
class LentControllers(BumbleControllers):
    """Bumble's controllers; each of our programs has its own from a `latchkey controller`."""

    async def of_ours(self, scene: Scene) -> str:
        path = scene.folder / f"lent-{len(scene.processes)}"
        lender = await scene.ours(
            "lender", "controller", "--json", "--hci", scene.transport, "--listen", f"unix-server:{path}", capture=False
        )
        await lender.line('"opened"')
        return f"unix-client:{path}"


@dataclasses.dataclass(frozen=True)
class OurRadio:
    """`latchkey radio`, which other stacks may join."""

    name: str

    is_raw = False

    async def start(self, scene: Scene) -> str:
        port = free_port()
        radio = await scene.ours("radio", "radio", "--listen", f"tcp-server:127.0.0.1:{port}", capture=False)
        # The first line of output means that it listens; its text is of no interest here.
        await radio.line(".")
        return f"tcp-client:127.0.0.1:{port}"


@dataclasses.dataclass(frozen=True)
class RootCanal:
    """Android's controllers, the strictest of all. They listen on every address: only in a network of the checks' own."""

    name: str

    is_raw = False
    # Not strict: in strict mode one unknown command ends all controllers. No commands of a vendor.
    CONFIGURATION = "tcp_server { tcp_port: %d configuration { strict: false vendor { csr: false } } }"

    @property
    def program(self) -> str:
        machine = f"{sys.platform}-{platform.machine()}"
        return str(importlib.resources.files("rootcanal").joinpath(f"bin/{machine}/rootcanal"))

    async def start(self, scene: Scene) -> str:
        port = free_port()
        others = [f"-{name}={free_port()}" for name in ("hci_port", "test_port", "link_port", "link_ble_port")]
        await scene.start("rootcanal", self.program, "-configuration", self.CONFIGURATION % port, *others)
        for _ in range(int(TIMEOUT / 0.1)):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT):
                return f"tcp-client:127.0.0.1:{port}"
            await asyncio.sleep(0.1)
        require(False, "rootcanal does not listen")


SMALL = BumbleControllers("Bumble's controllers, ACL 27 x 64", ("--acl-len", "27"))
LARGE = BumbleControllers("Bumble's controllers, ACL 251 x 64", ("--acl-len", "251"))
TIGHT = BumbleControllers("Bumble's controllers, ACL 27 x 1", ("--acl-len", "27", "--acl-buffers", "1"))
LEGACY = BumbleControllers("Bumble's controllers, legacy only", ("--no-extended",))
RAW = BumbleControllers("Bumble's unmodified controllers", ("--raw",))
RAW_LEGACY = BumbleControllers("Bumble's unmodified controllers, legacy only", ("--raw", "--no-extended"))
OURS = OurRadio("latchkey radio")
ROOTCANAL = RootCanal("rootcanal")
SERIAL = SerialLines("Bumble's controllers, ours at serial lines", ("--acl-len", "251"))
LENT = LentControllers("Bumble's controllers, ours from latchkey controller", ("--acl-len", "251"))

QUICK = (SMALL, OURS)
ALL = (SMALL, LARGE, TIGHT, LEGACY, RAW, RAW_LEGACY, ROOTCANAL, OURS, SERIAL, LENT)
