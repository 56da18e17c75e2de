"""The checks. Each gets a scene with a radio, starts the processes it needs, and raises for an unexpected result."""

import asyncio
import dataclasses
import json
import sys
from collections.abc import Awaitable, Callable

import airs
import latchkey_cli as cli
from harness import PEERS, CheckFailure, Scene, require

sys.path.insert(0, str(PEERS))
import channels  # noqa: E402  Bumble's end of a channel
import legacy_protocol  # noqa: E402  the peers' own implementation of the protocol, compared with ours

THIRD = "4C4B{:04X}-7463-686B-6579-696E7465726F"
LONG_VALUE = bytes(index % 251 for index in range(300))
SSID, PASSWORD = "客厅 Wi-Fi", 'a:colon "quote" 口令'


@dataclasses.dataclass(frozen=True)
class Check:
    name: str
    run: Callable[[Scene], Awaitable[None]]
    quick: tuple
    all: tuple


CHECKS: list[Check] = []


def check(quick: tuple = airs.QUICK, all: tuple = airs.ALL):
    """Registers a check and the radios it runs over; a None among them means that it needs none."""

    def register(function):
        CHECKS.append(Check(function.__name__.replace("_", "-"), function, quick, all))
        return function

    return register


async def central(scene: Scene, *arguments: str, status: int = 0):
    """Runs Bumble's central to its end."""
    process = await scene.peer("central", "central.py", *arguments)
    ended = await process.end()
    require(ended == status, f"central ended with {ended}, not {status}")
    return process


async def explored_peripheral(scene: Scene):
    # Raw controllers deliver no scan responses, so the name is in the advertisement there.
    where = ["--name-in-advertisement"] if scene.air.is_raw else []
    peripheral = await scene.peer("peripheral", "peripheral.py", "--name", "Explored", *where, "explore")
    await peripheral.line('"advertising"')
    return peripheral


def require_values(process, steps: dict[str, bytes]) -> None:
    for step, value in steps.items():
        got = process.event(step.split(":")[0], step=step).get("value")
        require(got == value.hex(), f"{step} gave {got}, not {value.hex()}")


@check(quick=(airs.SMALL, airs.OURS))
async def bumble_both_ends(scene: Scene) -> None:
    """Bumble explores Bumble: the scripts work, and a radio connects two hosts that are not ours."""
    peripheral = await explored_peripheral(scene)
    long, counted, refused = THIRD.format(2), THIRD.format(3), THIRD.format(6)
    process = await central(
        scene,
        "--name",
        "Explored",
        "explore",
        "read:FFE1",
        "write:FFF2:c3a4",
        "read:FFF2",
        "write:FFF2:" + LONG_VALUE.hex(),
        "read-descriptor:FFF1:2901",
        f"read:{long}",
        f"command:{counted}:0102030405",
        f"read:{THIRD.format(4)}",
        "subscribe:FFF1:3",
        f"subscribe:{THIRD.format(5)}:2",
        f"read:{refused}",
        f"write:{refused}:00",
        status=1,  # the two refusals
    )
    require_values(
        process,
        {
            "read:FFE1": b"read 1",
            "read:FFF2": b"\xc3\xa4",
            "read-descriptor:FFF1:2901": b"notified values",
            f"read:{long}": LONG_VALUE,
            f"read:{THIRD.format(4)}": (5).to_bytes(4, "little"),
        },
    )
    require(len(process.event("subscribe", kind="notify")["values"]) == 3, "three notifications")
    require(len(process.event("subscribe", kind="indicate")["values"]) == 2, "two indications")
    require(process.event("read", step=f"read:{refused}").get("code") == 0x80, "a read refused with 0x80")
    require(process.event("write", step=f"write:{refused}:00").get("code") == 0x81, "a write refused with 0x81")
    peripheral.event("write", value=LONG_VALUE.hex())


@check(quick=(None,), all=(None,))
async def legacy_pieces(scene: Scene) -> None:
    """`latchkey legacy` and the peers' own implementation of the protocol agree on fresh keys and texts."""
    for text in ("", "x" * 16, "{\"ssid\":\"客厅\"}"):
        app, lamp = legacy_protocol.KeyPair(), legacy_protocol.KeyPair()
        secret = await legacy(
            scene, "ecdh", "--private", f"{app.scalar:064x}", "--public", "04" + lamp.public.hex().upper()
        )
        require(secret == lamp.shared(app.public).hex(), "ecdh disagrees")
        encrypted = await legacy(scene, "encrypt", "--key", secret, text=text)
        require(encrypted == legacy_protocol.encrypt(bytes.fromhex(secret), text.encode()).hex(), "encrypt disagrees")
        decrypted = await legacy(scene, "decrypt", "--key", secret, text=encrypted)
        require(decrypted == text, "decrypt disagrees")


async def legacy(scene: Scene, *arguments: str, text: str = "") -> str:
    process = await scene.ours("legacy", "legacy", *arguments, capture=False)
    process.child.stdin.write(text.encode())
    ended = await process.end()
    require(ended == 0, f"legacy {arguments[0]} ended with {ended}")
    return process.output


async def require_received(device) -> None:
    """The device reports the credentials that were sent."""
    await device.line('"received"')
    received = device.event("received")
    require((received["ssid"], received["password"]) == (SSID, PASSWORD), f"the device received {received}")


@check(quick=(*airs.QUICK, airs.SERIAL))
async def bumble_provisions_device(scene: Scene) -> None:
    """Bumble finds `latchkey device` by its service and goes through the whole documented exchange."""
    device = await scene.ours("device", *cli.device("Lamp"))
    process = await central(scene, "--service", "F200", "explore", f"provision:{SSID}:{PASSWORD}")
    answers = [json.loads(answer) for answer in process.event("provision")["answers"]]
    require(answers[:1] == [{"code": 0}], f"the device answered {answers}")
    await require_received(device)
    services = {service["uuid"] for service in process.event("explore")["services"]}
    require("F200" in services and "F100" not in services, f"the device serves {sorted(services)}")


@check(quick=(airs.SMALL,))
async def bumble_provisions_device_with_mtu_23(scene: Scene) -> None:
    """The same without an MTU exchange: every frame is cut into values of 20 bytes."""
    device = await scene.ours("device", *cli.device("Lamp"))
    process = await central(scene, "--service", "F200", "--mtu", "23", f"provision:{SSID}:{PASSWORD}")
    require(json.loads(process.event("provision")["answers"][0]) == {"code": 0}, "the device refused")
    await require_received(device)


@check()
async def bumble_is_refused_pairing(scene: Scene) -> None:
    """A Pairing Request is answered at once by Pairing Not Supported (Core 6.0 Vol 3 Part H 3.5.5), and the link stays up."""
    device = await scene.ours("device", *cli.device("Lamp"))
    process = await central(scene, "--service", "F200", "pair", "pair", f"provision:{SSID}:{PASSWORD}")
    refusals = [event["refused"] for event in process.events if event.get("event") == "pair"]
    require(refusals == [5, 5], f"pairing was refused with {refusals}")
    require(json.loads(process.event("provision")["answers"][0]) == {"code": 0}, "the device refused")
    await require_received(device)


VIOLATIONS = {
    "unknown-type": 0x80,
    "long-key": 0x80,
    "ragged-ciphertext": 0x80,
    "data-first": 0x81,
    "second-key": 0x81,
    "device-type": 0x81,
    "key-off-curve": 0x82,
    "zero-key": 0x82,
    "not-text": 0x83,
}


@check(quick=(airs.SMALL,), all=(airs.SMALL, airs.LARGE, airs.TIGHT, airs.OURS))
async def device_refuses_violations(scene: Scene) -> None:
    """Each violation is answered by its code, and the next valid attempt works."""
    await scene.ours("device", *cli.device("Lamp"))
    for violation, code in VIOLATIONS.items():
        process = await central(scene, "--service", "F200", f"misuse:{violation}")
        got = process.event("misuse")["code"]
        require(got == code, f"{violation} was answered by {got:#04x}, not {code:#04x}")
    process = await central(scene, "--service", "F200", f"provision:{SSID}:{PASSWORD}")
    require(json.loads(process.event("provision")["answers"][0]) == {"code": 0}, "the device refused a valid app")


@check()
async def provision_provisions_bumble(scene: Scene) -> None:
    """`latchkey provision` goes through the exchange with a device that Bumble serves, in short notifications."""
    where = ["--name-in-advertisement"] if scene.air.is_raw else []
    peripheral = await scene.peer(
        "peripheral", "peripheral.py", "--name", "Lamp", *where, "--notify-size", "20", "provisioning"
    )
    await peripheral.line('"advertising"')
    provision = await scene.ours("provision", *cli.provision("Lamp", SSID, password_file(scene)))
    ended = await provision.end()
    require(ended == 0, f"provision ended with {ended}")
    received = peripheral.event("received")["text"]
    require(cli.is_payload(received, SSID, PASSWORD), f"the device received {received}")
    require(PASSWORD not in provision.output, "provision printed the password")


def password_file(scene: Scene) -> str:
    path = scene.folder / "password"
    path.write_text(PASSWORD)
    return str(path)


# A raw controller never delivers a name in the scan response.
@check(all=(airs.SMALL, airs.LARGE, airs.TIGHT, airs.LEGACY, airs.OURS))
async def three_terminals(scene: Scene) -> None:
    """`latchkey provision` finds `latchkey device` by name and provisions it, each in a process of its own."""
    device = await scene.ours("device", *cli.device("Lamp"))
    provision = await scene.ours("provision", *cli.provision("Lamp", SSID, password_file(scene)))
    ended = await provision.end()
    require(ended == 0, f"provision ended with {ended}")
    await require_received(device)


@check(quick=(airs.SMALL,), all=(airs.SMALL, airs.OURS))
async def device_applies_credentials(scene: Scene) -> None:
    """`device --apply` hands the credentials to a program, and its exit status comes back to the app."""
    for status, ended in ((0, 0), (1, cli.COULD_NOT_JOIN)):
        given = scene.folder / f"given-{status}"
        program = scene.folder / f"apply-{status}"
        program.write_text(f"#!/bin/sh\ncat >'{given}'\nexit {status}\n")
        program.chmod(0o700)
        name = f"Lamp {status}"
        device = await scene.ours(f"device-{status}", *cli.device(name, apply=str(program)))
        provision = await scene.ours(f"provision-{status}", *cli.provision(name, SSID, password_file(scene)))
        got = await provision.end()
        require(got == ended, f"provision ended with {got}, not {ended}, when the program ended with {status}")
        require(cli.is_payload(given.read_text(), SSID, PASSWORD), f"the program was given {given.read_text()}")
        await device.stop()


@check(quick=(airs.SMALL,), all=(airs.SMALL, airs.LARGE, airs.LEGACY, airs.ROOTCANAL, airs.OURS))
async def bumble_pairs_with_ours(scene: Scene) -> None:
    """Bumble pairs with `latchkey ble serve`, by Secure Connections and by legacy pairing, reads what is protected, and
    encrypts the next connection with the key of that pairing."""
    for kind, options in (("secure", []), ("legacy", ["--legacy"])):
        served = await scene.ours(f"serve-{kind}", *cli.serve("Safe", "protected"))
        await served.line('"advertising"')
        steps = ("read:FFF1", "pair", "read:FFF1", "reconnect", "encrypt", "read:FFF1")
        process = await central(scene, "--name", "Safe", *options, *steps, status=1)
        reads = [event for event in process.events if event.get("event") == "read"]
        require(reads[0].get("code") == 5, f"the first read was answered by {reads[0]}")
        values = [event.get("value") for event in reads[1:]]
        require(values == [b"protected".hex()] * 2, f"the reads gave {values}")
        require(process.event("pair")["refused"] is None, "the pairing was refused")
        require(process.event("encrypt")["failed"] is None, "the connection was not encrypted")
        await served.stop()


@check(quick=(airs.SMALL,), all=(airs.SMALL, airs.LARGE, airs.LEGACY, airs.ROOTCANAL, airs.OURS))
async def explore_pairs_with_bumble(scene: Scene) -> None:
    """`latchkey ble explore` pairs with a device of Bumble's once a read needs it, encrypts the next connection without a
    pairing, also in another process, and reports a device that lost its key."""
    for kind, options in (("secure", []), ("legacy", ["--legacy"])):
        peripheral = await scene.peer(
            f"peripheral-{kind}", "peripheral.py", "--name", "Safe", *options, "--forgets-after", "3", "protected"
        )
        await peripheral.line('"advertising"')
        # Of legacy pairing Bumble's peripheral remembers the wrong key: it answers with the one that it received.
        connections_each = (2, 1, 1) if kind == "secure" else (1,)
        if scene.air == airs.ROOTCANAL:
            # It does not tell a central that the peripheral refused the key.
            connections_each = connections_each[:2]
        for connections in connections_each:
            explore = await scene.ours(f"explore-{kind}", *cli.explore())
            user = Typist(explore)
            await explore.line("Safe")
            for number in range(connections):
                lost = len([line for line in peripheral.lines if '"disconnected"' in line]) == 3
                if lost:
                    await explore.type(cli.CONNECT.format(name="Safe"))
                    await explore.error_line(cli.KEY_MISSING)
                    break
                await user.type(cli.CONNECT.format(name="Safe"), "FFF3")
                await user.read("FFF3", "protected")
                since = len(peripheral.lines)
                await user.type(cli.DISCONNECT, cli.DISCONNECTED)
                await peripheral.line('"disconnected"', since)
            await explore.type(cli.QUIT)
            await explore.end()
        pairings = len([line for line in peripheral.lines if '"paired"' in line])
        require(pairings == 1, f"there were {pairings} pairings")
        await peripheral.stop()


@check()
async def scan_sees_bumble(scene: Scene) -> None:
    """`latchkey ble scan` lists a peripheral of Bumble's by name."""
    await explored_peripheral(scene)
    scan = await scene.ours("scan", *cli.scan())
    await scan.line("Explored")


@check(quick=(airs.SMALL,), all=(airs.SMALL, airs.ROOTCANAL, airs.OURS))
async def explore_reaches_extended_advertiser(scene: Scene) -> None:
    """`latchkey ble explore` finds a peripheral of Bumble's that advertises by extended advertising alone, and reads it."""
    peripheral = await scene.peer("peripheral", "peripheral.py", "--name", "Explored", "--extended", "explore")
    await peripheral.line('"advertising"')
    explore = await scene.ours("explore", *cli.explore())
    user = Typist(explore)
    await explore.line("Explored")
    await user.type(cli.CONNECT.format(name="Explored"), THIRD.format(6))
    await user.read("FFE1", "read 1")
    # It advertises again, and is found again.
    await user.type(cli.DISCONNECT, cli.DISCONNECTED)
    await peripheral.line('"disconnected"')
    await user.type(cli.CONNECT.format(name="Explored"), THIRD.format(6))
    await user.read("FFE1", "read 2")


@check(quick=(airs.SMALL,), all=(airs.SMALL, airs.ROOTCANAL, airs.OURS))
async def bumble_reaches_extended_advertiser(scene: Scene) -> None:
    """Bumble finds `latchkey ble serve` where that advertises by extended advertising alone, and reads it, twice."""
    serve = await scene.ours("serve", *cli.serve_extended("Extended", "hex:2a", "1M"))
    await serve.line('"advertising"')
    for _ in range(2):
        process = await central(scene, "--name", "Extended", "read:FFF1")
        require_values(process, {"read:FFF1": b"\x2a"})


@check(quick=(), all=(airs.ROOTCANAL, airs.OURS))
async def every_layer(scene: Scene) -> None:
    """Our central reads our device where that advertises on each physical layer."""
    for phy in ("1M", "2M", "coded"):
        serve = await scene.ours(f"serve-{phy}", *cli.serve_extended(f"Lamp {phy}", "text:" + phy, phy))
        await serve.line('"advertising"')
        explore = await scene.ours(f"explore-{phy}", *cli.explore())
        user = Typist(explore)
        await explore.line(f"Lamp {phy}")
        await user.type(cli.CONNECT.format(name=f"Lamp {phy}"), "FFF1")
        await user.read("FFF1", phy.encode().hex())
        await explore.type(cli.QUIT)
        require(await explore.end() == 0, "explore failed")
        await serve.stop()


@check(quick=(), all=(airs.LEGACY,))
async def serve_reports_missing_layer(scene: Scene) -> None:
    """`latchkey ble serve --phy` ends with the cause where the controller has no extended advertising."""
    serve = await scene.ours("serve", *cli.serve_extended("Extended", "hex:2a", "1M"))
    status = await serve.end()
    require(status == cli.UNAVAILABLE, f"serve ended with {status}")
    require("does not advertise" in serve.output, "serve did not report why")


class Typist:
    """A user of `ble explore`."""

    def __init__(self, explore) -> None:
        self.explore = explore

    async def type(self, line: str, expected: str) -> str:
        """Types a line, and waits for the expected output."""
        since = len(self.explore.lines)
        await self.explore.type(line)
        return await self.explore.line(expected, since)

    async def write(self, uuid: str, value: bytes) -> None:
        await self.type(cli.WRITE.format(uuid=uuid, hexadecimal=value.hex()), cli.WRITTEN.format(uuid=uuid))

    async def command(self, uuid: str, value: bytes) -> None:
        await self.type(cli.COMMAND.format(uuid=uuid, hexadecimal=value.hex()), cli.SENT.format(uuid=uuid))

    async def read(self, uuid: str, expected: str) -> None:
        await self.type(cli.READ.format(uuid=uuid), expected)


@check(quick=(*airs.QUICK, airs.SERIAL, airs.LENT))
async def explore_explores_bumble(scene: Scene) -> None:
    """`latchkey ble explore` discovers Bumble's services, reads, writes and subscribes, by the commands that a user types."""
    peripheral = await explored_peripheral(scene)
    explore = await scene.ours("explore", *cli.explore())
    user = Typist(explore)
    await explore.line("Explored")
    # The last characteristic of the last service: everything before it has been discovered then.
    await user.type(cli.CONNECT.format(name="Explored"), THIRD.format(6))
    for wanted in ("FFF0", "FFF1", "2901", "FFF2", "FFE0", "FFE1", THIRD.format(1)):
        require(wanted in explore.output, f"explore did not list {wanted}")
    await user.read("FFE1", "read 1")
    await user.read("FFE1", "read 2")
    await user.read("FFF1:2901", "notified values")
    await user.write("FFF2", b"\xc3\xa4")
    await user.read("FFF2", "c3a4.*ä")
    await user.write("FFF2", LONG_VALUE)
    await peripheral.line(f'"write".*"{LONG_VALUE.hex()}"')
    await user.read(THIRD.format(2), LONG_VALUE.hex())
    await user.command(THIRD.format(3), bytes(range(5)))
    await user.command(THIRD.format(3), bytes(range(15)))
    await user.read(THIRD.format(4), "14000000")
    await user.type(cli.SUBSCRIBE.format(uuid="FFF1"), "notification 3")
    await user.type(cli.UNSUBSCRIBE.format(uuid="FFF1"), cli.UNSUBSCRIBED.format(uuid="FFF1"))
    await peripheral.line('"unsubscribed".*"FFF1"')
    await user.type(cli.SUBSCRIBE.format(uuid=THIRD.format(5)), "indication 2")
    await peripheral.line(f'"published".*"{THIRD.format(5)}"')
    await explore.type(cli.QUIT)
    ended = await explore.end()
    require(ended == 0, f"explore ended with {ended}")
    await peripheral.line('"disconnected"')


@check(quick=(airs.SMALL,), all=(airs.SMALL, airs.OURS))
async def explore_reports_refusals(scene: Scene) -> None:
    """The peer's application codes reach the user, and the exit status reports that a command failed."""
    await explored_peripheral(scene)
    explore = await scene.ours("explore", *cli.explore(), "--json")
    user = Typist(explore)
    await user.type(cli.CONNECT.format(name="Explored"), THIRD.format(6))
    await user.read(THIRD.format(6), '"failed".*128')
    await user.type(cli.WRITE.format(uuid=THIRD.format(6), hexadecimal="00"), '"failed".*129')
    await user.read("FFE1", '"value".*"read 1"')
    await explore.type(cli.QUIT)
    ended = await explore.end()
    require(ended == cli.EXPLORE_FAILED, f"explore ended with {ended}")


async def exchange_with_peripheral(scene: Scene, count: int) -> None:
    """Our central opens a channel to Bumble's peripheral; both ends send `count` bytes at once, and Bumble closes it."""
    where = ["--name-in-advertisement"] if scene.air.is_raw else []
    peripheral = await scene.peer(
        "peripheral", "peripheral.py", "--name", "Explored", *where, "--channel", str(count), "explore"
    )
    await peripheral.line('"advertising"')
    psm = peripheral.event("serving")["psm"]
    file = scene.folder / "received"
    opener = await scene.ours("channel", *cli.open_channel("Explored", psm, str(file)))
    opener.child.stdin.write(channels.pattern(count))
    await peripheral.line('"channel"', timeout=CHANNEL_TIMEOUT)
    result = peripheral.event("channel")
    require((result["received"], result["equal"]) == (count, True), f"Bumble received {result}")
    await require_channel(opener, file, count)


async def exchange_with_central(scene: Scene, count: int) -> None:
    """The same with a channel that we publish and Bumble opens."""
    file = scene.folder / "received"
    publisher = await scene.ours("channel", *cli.publish_channel("Lamp", str(file)))
    await publisher.line('"published"')
    psm = publisher.event("published")["psm"]
    process = await scene.peer(
        "central", "central.py", "--name", "Lamp", "--timeout", str(CHANNEL_TIMEOUT), f"channel:{psm}:{count}"
    )
    await process.line('"ready"')
    publisher.child.stdin.write(channels.pattern(count))
    ended = await process.end(CHANNEL_TIMEOUT)
    require(ended == 0, f"central ended with {ended}")
    result = process.event("channel")
    require((result["received"], result["equal"]) == (count, True), f"Bumble received {result}")
    await require_channel(publisher, file, count)


CHANNEL_TIMEOUT = 100.0  # seconds


async def require_channel(process, file, count: int) -> None:
    """Our program ends when Bumble has closed the channel, and has received the pattern."""
    ended = await process.end()
    require(ended == 0, f"our program ended with {ended}")
    closed = process.event("closed")
    require((closed["sent"], closed["received"]) == (count, count), f"our program reported {closed}")
    require(file.read_bytes() == channels.pattern(count), "other bytes arrived than were sent")


@check(quick=(airs.SMALL, airs.OURS), all=(airs.SMALL,))
async def channels_exchange_bytes(scene: Scene) -> None:
    """100 kB each way at once, over a channel that we open."""
    await exchange_with_peripheral(scene, 100_000)


@check(quick=(airs.SMALL,), all=(airs.SMALL,))
async def published_channels_exchange_bytes(scene: Scene) -> None:
    """100 kB each way at once, over a channel that we publish."""
    await exchange_with_central(scene, 100_000)


@check(quick=(), all=(airs.SMALL, airs.LARGE, airs.OURS, airs.SERIAL, airs.LENT))
async def channels_exchange_a_megabyte(scene: Scene) -> None:
    """1 MB each way at once, over a channel that we open."""
    await exchange_with_peripheral(scene, 1_000_000)


@check(quick=(), all=(airs.SMALL, airs.LARGE, airs.OURS, airs.SERIAL, airs.LENT))
async def published_channels_exchange_a_megabyte(scene: Scene) -> None:
    """1 MB each way at once, over a channel that we publish."""
    await exchange_with_central(scene, 1_000_000)


@check(quick=(None,), all=(None,))
async def secure_peer_holds_to_the_page(scene: Scene) -> None:
    """The second implementation of the secure protocol: published values, both roles against each other, and refusals."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(PEERS.parent / "secure_peer.py"), "--self-test",
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
    output, _ = await process.communicate()
    require(process.returncode == 0, output.decode(errors="replace"))


SECURE_CODE = "39284756"


def config(ssid: str, password: str) -> str:
    """A request of the secure protocol that joins a network at once."""
    name, secret = ssid.encode(), password.encode()
    return f"config:010200{'00' * 6}{len(name):02x}{name.hex()}{len(secret):02x}{secret.hex()}"


def code_file(scene: Scene, code: str = SECURE_CODE) -> str:
    path = scene.folder / "code"
    path.write_text(code)
    return str(path)


@check(quick=(airs.SMALL,), all=(airs.SMALL, airs.LARGE, airs.OURS))
async def secure_peer_provisions_device(scene: Scene) -> None:
    """The app of secure_peer.py provisions `latchkey device --secure` over Bumble, after one with a wrong code."""
    device = await scene.ours("device", *cli.secure_device("Lamp", code_file(scene)))
    await device.line('"advertising"')
    stranger = await scene.peer("stranger", "secure_ends.py", "app", "Lamp", "39284757")
    require(await stranger.end() == 1, "a wrong code opened the device")
    await device.line('"wrongCode"')
    # The next try has to wait for a second.
    await asyncio.sleep(1.1)
    app = await scene.peer("app", "secure_ends.py", "app", "Lamp", SECURE_CODE, config(SSID, PASSWORD), "status")
    require(await app.end() == 0, "the session ended early")
    require(app.event("opened")["suite"] == 1, "suite 01 was not used")
    answers = [(event["name"], event["status"]) for event in app.events if event["event"] == "response"]
    require(answers == [("status", 0), ("config", 0), ("status", 0)], f"the device answered {answers}")
    await device.line('"joined"')
    require(device.event("joined")["ssid"] == SSID, "another network was joined")
    require(device.event("opened")["assurance"] == "codeAndPostQuantum", f"{device.event('opened')}")
    require(PASSWORD not in device.output, "the device printed the password")


@check(quick=(airs.SMALL,), all=(airs.SMALL, airs.LARGE, airs.OURS))
async def provision_provisions_secure_peer(scene: Scene) -> None:
    """`latchkey provision` provisions the device of secure_peer.py, which Bumble serves."""
    where = ["--name-in-advertisement"] if scene.air.is_raw else []
    device = await scene.peer("device", "secure_ends.py", "device", "Lamp", SECURE_CODE, *where)
    await device.line('"advertising"')
    provision = await scene.ours(
        "provision", *cli.secure_provision("Lamp", "Home", password_file(scene), code_file(scene)))
    ended = await provision.end()
    require(ended == 0, f"provision ended with {ended}")
    require(provision.event("result")["ssid"] == "Home", f"{provision.event('result')}")
    require(PASSWORD not in provision.output, "provision printed the password")


async def captures_decode(scene: Scene) -> None:
    """Runs after every check that passed: Wireshark decodes latchkey's captures."""
    captures = [str(path) for path in scene.captures if path.exists()]
    require(len(captures) == len(scene.captures), "a capture was asked for and not written")
    if not captures:
        return
    child = await asyncio.create_subprocess_exec(
        str(PEERS.parent / "check-capture"),
        *(["--sent"] if scene.air and scene.air.is_raw else []),
        *captures,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await child.communicate()
    if child.returncode != 0:
        raise CheckFailure(output.decode())
