"""The radios that checks run over: Bumble's controllers in several shapes, and our own."""

import dataclasses
import sys

from harness import PEERS, Scene, free_port


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


SMALL = BumbleControllers("Bumble's controllers, ACL 27 x 64", ("--acl-len", "27"))
LARGE = BumbleControllers("Bumble's controllers, ACL 251 x 64", ("--acl-len", "251"))
TIGHT = BumbleControllers("Bumble's controllers, ACL 27 x 1", ("--acl-len", "27", "--acl-buffers", "1"))
LEGACY = BumbleControllers("Bumble's controllers, legacy only", ("--no-extended",))
RAW = BumbleControllers("Bumble's unmodified controllers", ("--raw",))
RAW_LEGACY = BumbleControllers("Bumble's unmodified controllers, legacy only", ("--raw", "--no-extended"))
OURS = OurRadio("latchkey radio")

QUICK = (SMALL, OURS)
ALL = (SMALL, LARGE, TIGHT, LEGACY, RAW, RAW_LEGACY, OURS)
