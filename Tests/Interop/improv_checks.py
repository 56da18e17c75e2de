"""Checks of Improv against Home Assistant's own client (py-improv-ble-client from PyPI, unchanged, over Bumble)."""

import airs
import latchkey_cli as cli
from checks import PASSWORD, SSID, check
from harness import Process, Scene, require

# The name travels in the scan response, which unmodified controllers do not deliver.
ALL = (airs.SMALL, airs.LARGE, airs.TIGHT, airs.LEGACY, airs.ROOTCANAL, airs.OURS)
NETWORK = "Home"
SECOND_ADDRESS = "F0:F1:F2:F3:F4:F6"
UUID = "00467768-6228-2272-4663-277478268000"


async def client(scene: Scene, *steps: str) -> Process:
    """The library's client, started."""
    return await scene.peer("improv client", "improv_client.py", "--name", "Lamp", *steps)


async def ran(scene: Scene, *steps: str) -> Process:
    """The library's client, when its steps are done."""
    process = await client(scene, *steps)
    ended = await process.end()
    require(ended == 0, f"the library's client ended with {ended}")
    return process


async def lamp(scene: Scene, *options, **named) -> Process:
    device = await scene.ours("device", *cli.improv_device("Lamp", *options, **named))
    await device.line('"advertising"')
    return device


def require_outcome(process: Process, step: str, failed: str | None) -> None:
    """The step ended with that error by the library's name, or without one."""
    event = process.event(step.split(":")[0], step=step)
    require(event["failed"] == failed, f"{step} ended with {event['failed']}, not {failed}")
    require(failed is not None or event["states"][:1] == ["PROVISIONING"], f"{step} went through {event['states']}")


def program(scene: Scene, script: str) -> str:
    """A program for --apply."""
    path = scene.folder / "apply"
    path.write_text("#!/bin/sh\n" + script)
    path.chmod(0o700)
    return str(path)


@check(quick=(airs.OURS,), all=ALL)
async def improv_client_provisions_device(scene: Scene) -> None:
    """The client discovers the device by service and service data, learns what it is and what it sees, and provisions it."""
    device = await lamp(scene)
    provision = f"provision:{SSID}:{PASSWORD}"
    process = await ran(scene, "find", "need-authorization", "info", "identify", "scan", "hostname", provision, "absent")
    found = process.event("find")
    # State Authorized; identify, device information and scan; four reserved bytes.
    require((found["data"], found["services"]) == ("020700000000", [UUID]), f"the device advertised {found}")
    require(process.event("need-authorization")["needed"] is False, "the device wanted authorization")
    information = process.event("info")["values"]
    require(len(information) == 4 and information[3] == "Lamp", f"the device is {information}")
    require(not process.event("hostname")["offered"], "the device offered its host name")
    networks = process.event("scan")["networks"]
    strengths = [int(rssi) for _, rssi, _ in networks]
    require(networks and strengths == sorted(strengths, reverse=True), f"the device saw {networks}")
    require_outcome(process, provision, None)
    # The state comes before the result, so that a client that leaves with the result has seen it.
    states = process.event("provision")["states"]
    require(states == ["PROVISIONING", "PROVISIONED"], f"the client saw the states {states}")
    await device.line('"joined"')
    require(device.event("joined")["ssid"] == SSID, f"the device joined {device.event('joined')}")
    device.event("identify")
    require(PASSWORD not in device.output, "the device printed the password")


@check(quick=(airs.OURS,), all=(airs.SMALL, airs.OURS))
async def improv_client_provisions_with_mtu_23(scene: Scene) -> None:
    """The same without an MTU exchange: credentials come as a long write, and each result fits one notification."""
    device = await lamp(scene)
    ssid, password = "n" * 32, "p" * 63
    process = await ran(scene, "--mtu", "23", "find", "info", "scan", f"provision:{ssid}:{password}")
    require(len(process.event("info")["values"]) == 4, "the client did not get four strings")
    require_outcome(process, f"provision:{ssid}:{password}", None)
    await device.line('"joined"')


@check(quick=(airs.OURS,), all=(airs.SMALL, airs.OURS))
async def improv_client_learns_of_wrong_password(scene: Scene) -> None:
    """A network that refuses the password is the error that the client knows, and the next attempt works."""
    apply = program(scene, f"grep -q wrong && exit {cli.WRONG_PASSWORD}\nexit 0\n")
    device = await lamp(scene, apply)
    wrong, right = f"provision:{NETWORK}:wrong", f"provision:{NETWORK}:right"
    process = await ran(scene, "find", wrong, right)
    require_outcome(process, wrong, "UNABLE_TO_CONNECT")
    require_outcome(process, right, None)
    device.event("joinFailed", reason="wrongPassphrase")


@check(quick=(airs.OURS,), all=(airs.SMALL, airs.OURS))
async def improv_client_waits_for_button(scene: Scene) -> None:
    """Until somebody presses the button the client is told that it is not authorized; then it is told that it is."""
    button = str(scene.folder / "button")
    device = await lamp(scene, button=button)
    provision = f"provision:{NETWORK}:password"
    process = await ran(scene, "find", "need-authorization", "identify", "info", "scan", provision)
    data = process.event("find")["data"]
    require(data == "010700000000", f"the device advertised {data}")
    require(process.event("need-authorization")["needed"] is True, "the device let the client in")
    require_outcome(process, provision, "NOT_AUTHORIZED")
    require(process.event("provision")["states"] == [], "the device began to provision")
    waiting = await client(scene, "find", "need-authorization", "await:AUTHORIZED", provision)
    await waiting.line('"need-authorization"')
    press = await scene.ours("press", *cli.press(button), capture=False)
    require(await press.end() == 0, "the button could not be pressed")
    require(await waiting.end() == 0, "the client did not see that it is authorized")
    require_outcome(waiting, provision, None)
    await device.line('"joined"')


@check(quick=(), all=(airs.SMALL, airs.OURS))
async def improv_client_loses_connection(scene: Scene) -> None:
    """A connection that is lost while the device joins ends nothing: the client that comes back waits until the attempt is over."""
    gate = scene.folder / "gate"
    gate.mkdir()
    apply = program(scene, f"cat >/dev/null\nwhile [ -d '{gate}' ]; do sleep 0.1; done\nexit {cli.WRONG_PASSWORD}\n")
    device = await lamp(scene, apply)
    process = await ran(scene, "find", f"abandon:{NETWORK}:password")
    # The library connects again and repeats the command, which a device that is provisioning refuses.
    require_outcome(process, f"abandon:{NETWORK}:password", "NOT_AUTHORIZED")
    # The client ends its connection after an error, and the device is still at work.
    await ran(scene, "absent")
    gate.rmdir()
    await device.line('"joinFailed"')
    (scene.folder / "apply").write_text("#!/bin/sh\ncat >/dev/null\n")
    process = await ran(scene, "find", f"provision:{NETWORK}:password")
    require_outcome(process, f"provision:{NETWORK}:password", None)


@check(quick=(airs.OURS,), all=(airs.SMALL, airs.OURS))
async def two_improv_clients(scene: Scene) -> None:
    """Of two clients at once both see what the device does; the one that comes second is refused while the first provisions."""
    gate = scene.folder / "gate"
    gate.mkdir()
    device = await lamp(scene, program(scene, f"cat >/dev/null\nwhile [ -d '{gate}' ]; do sleep 0.1; done\n"))
    late = await client(scene, "--address", SECOND_ADDRESS, "find", "await:PROVISIONING", "provision:Other:password")
    await late.line('"find"')
    early = await client(scene, "find", "need-authorization", f"provision:{NETWORK}:password")
    require(await late.end() == 0, "the second client failed")
    require_outcome(late, "provision:Other:password", "NOT_AUTHORIZED")
    gate.rmdir()
    require(await early.end() == 0, "the first client failed")
    require_outcome(early, f"provision:{NETWORK}:password", None)
    await device.line('"joined"')
    joined = [event["ssid"] for event in device.events if event.get("event") == "joining"]
    require(joined == [NETWORK], f"the device joined {joined}")
