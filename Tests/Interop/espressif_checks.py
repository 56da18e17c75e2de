"""Checks of Espressif's Unified Provisioning against Espressif's own tool, esp_prov, unchanged, over Bumble.

The tool is not on PyPI. Where it lies is told by two variables of the environment; without them the checks are skipped:

    ESP_PROV   the folder network_provisioning/tool/esp_prov of a checkout of espressif/idf-extra-components
    IDF_PATH   a checkout of espressif/esp-idf; only its components/protocomm/python is used
"""

import json
import os
import pathlib

import airs
import latchkey_cli as cli
from checks import check
from harness import Process, Scene, require

# Names travel in the scan response, which unmodified controllers do not deliver.
ALL = (airs.SMALL, airs.OURS)
NAME = "PROV_4C4B01"
CODE = "39284756"
# The tool sends Latin-1.
SSID, PASSWORD = "Cafe 2.4", "a password: with colons"


def is_there() -> bool:
    """Whether the tool is on this machine."""
    tool, framework = os.environ.get("ESP_PROV"), os.environ.get("IDF_PATH")
    return bool(
        tool
        and framework
        and (pathlib.Path(tool) / "esp_prov.py").exists()
        and (pathlib.Path(framework) / "components/protocomm/python/session_pb2.py").exists()
    )


async def started(scene: Scene, *steps: str, code: str = CODE) -> Process:
    """The tool, started."""
    folder = os.environ["ESP_PROV"]
    return await scene.peer("esp_prov", "espressif_client.py", folder, "--name", NAME, "--code", code, *steps)


async def ran(scene: Scene, *steps: str, code: str = CODE, status: int = 0) -> Process:
    """The tool, when its steps are done."""
    process = await started(scene, *steps, code=code)
    ended = await process.end()
    require(ended == status, f"the tool ended with {ended}, not {status}")
    return process


async def device(scene: Scene, *options: str, apply: str | None = None) -> Process:
    code = scene.folder / "code"
    code.write_text(CODE)
    process = await scene.ours("device", *cli.espressif_device(NAME, str(code), *options, apply=apply))
    await process.line('"advertising"')
    return process


def require_joined(process: Process, device: Process) -> None:
    require(process.event("config")["taken"] and process.event("apply")["taken"], "the device refused the network")
    state = process.event("status")["state"]
    require(state == "connected", f"the tool was told that the device is {state}")
    require(device.event("joined")["ssid"] == SSID, f"the device joined {device.event('joined')}")
    require(PASSWORD not in device.output, "the device printed the password")


@check(quick=(), all=ALL)
async def esp_prov_provisions_device(scene: Scene) -> None:
    """By Security 2 with counted nonces, the default of both: version, session, scan, network, status."""
    lamp = await device(scene)
    process = await ran(scene, "version", "session", "scan", "pages:1", f"config:{SSID}:{PASSWORD}", "apply", "status")
    version = process.event("version")["answer"]["prov"]
    require((version["sec_ver"], version["sec_patch_ver"]) == (2, 1), f"the device speaks {version}")
    require(process.event("session")["patch"] == 1, "the tool did not count nonces")
    networks = process.event("scan")["networks"]
    strengths = [network["rssi"] for network in networks]
    require(networks and strengths == sorted(strengths, reverse=True), f"the device saw {networks}")
    require(process.event("pages")["networks"] == networks, "pages of one had other networks than a page of four")
    require(all(-128 < rssi < 0 for rssi in strengths), f"the device saw {networks}")
    require_joined(process, lamp)
    lamp.event("opened", protocol="espressif")


@check(quick=(), all=(airs.OURS,))
async def esp_prov_provisions_with_mtu_23(scene: Scene) -> None:
    """The same without an MTU exchange: messages of more than 400 bytes are long writes and long reads."""
    lamp = await device(scene)
    process = await ran(scene, "--mtu", "23", "session", "scan", f"config:{SSID}:{PASSWORD}", "apply", "status")
    require_joined(process, lamp)


@check(quick=(), all=ALL)
async def esp_prov_provisions_by_security_1(scene: Scene) -> None:
    """By Security 1, which the device speaks only if it is asked to."""
    refusing = await device(scene)
    process = await ran(scene, "--security", "1", "session", status=1)
    require("error" in process.event("session"), "the device spoke Security 1")
    await refusing.stop()
    lamp = await device(scene, *cli.ESPRESSIF_SECURITY_1)
    process = await ran(
        scene, "--security", "1", "session", "scan", f"config:{SSID}:{PASSWORD}", "apply", "status"
    )
    require_joined(process, lamp)


@check(quick=(), all=(airs.OURS,))
async def esp_prov_is_refused_without_code(scene: Scene) -> None:
    """A wrong code is refused and counted, and the right one works afterwards; nothing can be set without a session."""
    lamp = await device(scene)
    for left in (9, 8):
        process = await ran(scene, "session", code="00000000", status=1)
        require("error" in process.event("session"), "the tool did not notice")
        lamp.event("wrongCode", protocol="espressif", attemptsLeft=left)
    process = await ran(scene, "session", f"config:{SSID}:{PASSWORD}", "apply", "status")
    require_joined(process, lamp)


@check(quick=(), all=(airs.OURS,))
async def esp_prov_learns_of_wrong_password(scene: Scene) -> None:
    """A network that refuses the password, and one that is not there, are told apart."""
    given = scene.folder / "given"
    program = scene.folder / "apply"
    program.write_text(
        f"#!/bin/sh\ncat >'{given}'\ngrep -q wrong '{given}' && exit {cli.WRONG_PASSWORD}\n"
        f"grep -q absent '{given}' && exit {cli.NO_NETWORK}\nexit 0\n"
    )
    program.chmod(0o700)
    # One device all along: a mistyped password must not need a restart.
    lamp = await device(scene, apply=str(program))
    for ssid, password, word in (("Home", "wrong password", "Incorrect Password"), ("absent", PASSWORD, "Incorrect SSID")):
        process = await ran(scene, "session", f"config:{ssid}:{password}", "apply", "status", "reset")
        status = process.event("status")
        require(status["state"] == "failed" and word in " ".join(status["words"]), f"the tool was told {status}")
        lamp.event("joinFailed", reason="wrongPassphrase" if ssid == "Home" else "networkNotFound")
    process = await ran(scene, "session", f"config:{SSID}:{PASSWORD}", "apply", "status")
    require_joined(process, lamp)
    require(json.loads(given.read_text()) == {"ssid": SSID, "password": PASSWORD}, "the program was given other values")


@check(quick=(), all=(airs.OURS,))
async def esp_prov_comes_back(scene: Scene) -> None:
    """A session ends with its connection: the next one needs a handshake, and then goes on."""
    lamp = await device(scene)
    process = await ran(scene, "session", "disconnect", "scan", status=1)
    require("error" in process.event("scan"), "a key outlived its connection")
    network = f"config:{SSID}:{PASSWORD}"
    process = await ran(scene, "session", network, "disconnect", "session", network, "apply", "status")
    require_joined(process, lamp)
