#!/usr/bin/env python3
"""Espressif's own provisioning tool, esp_prov unchanged, over Bumble. Prints one JSON line for each step.

    espressif_client.py TRANSPORT FOLDER --name NAME [--security 2] [--user wifiprov] [--code CODE] [--mtu 517] STEP…

    version                       what proto-ver answers
    session                       a session of that security scheme
    scan                          the networks, in pages of four
    pages:COUNT                   those of the last scan, in pages of so many
    config:SSID:PASSWORD          sets them; whether the device took them
    apply, status, reset          as the tool does; status until it is no longer "connecting"
    custom:ENDPOINT:TEXT          text to an endpoint of the device's own, and the answer
    disconnect                    ends the connection, and connects again

FOLDER holds esp_prov.py and its modules (network_provisioning/tool/esp_prov of espressif/idf-extra-components), and IDF_PATH names a folder
with components/protocomm/python (espressif/esp-idf). The exit status is 0 if every step did what its name says, 1 if one did not.
"""

import argparse
import asyncio
import contextlib
import io
import json
import logging
import sys
import warnings

import bleak_on_bumble
from peer_host import HOST_TIMEOUT, say, start_device

POLL = 0.2  # seconds


class Steps:
    """The tool's functions, one for each step."""

    def __init__(self, tool, arguments) -> None:
        self.tool = tool
        self.arguments = arguments
        self.transport = None
        self.security = None

    async def connect(self) -> None:
        self.transport = await self.tool.get_transport("ble", self.arguments.name)
        if self.transport is None:
            raise LookupError(f"no device {self.arguments.name}")

    async def do_version(self) -> dict:
        return {"answer": json.loads(await self.tool.get_version(self.transport))}

    async def do_session(self) -> dict:
        patch = await self.tool.get_sec_patch_ver(self.transport) if self.arguments.security == 2 else 0
        security = self.tool.get_security(
            self.arguments.security, patch, self.arguments.user, self.arguments.code, self.arguments.code
        )
        if not await self.tool.establish_session(self.transport, security):
            raise PermissionError("no session")
        self.security = security
        return {"patch": patch}

    async def do_scan(self) -> dict:
        networks = await self.tool.scan_wifi_APs("ble", self.transport, self.security)
        if networks is None:
            raise OSError("the scan failed")
        return {"networks": networks}

    async def do_pages(self, count: str) -> dict:
        modules = self.tool.prov
        answer = await self.transport.send_data("prov-scan", modules.scan_status_request("wifi", self.security))
        total, networks = modules.scan_status_response(self.security, answer)["count"], []
        while len(networks) < total:
            message = modules.scan_result_request("wifi", self.security, len(networks), min(int(count), total - len(networks)))
            page = modules.scan_result_response(self.security, await self.transport.send_data("prov-scan", message))
            if not page:
                raise OSError("an empty page")
            networks += page
        return {"networks": networks}

    async def do_config(self, ssid: str, password: str) -> dict:
        return {"taken": bool(await self.tool.send_wifi_config(self.transport, self.security, ssid, password))}

    async def do_apply(self) -> dict:
        return {"taken": bool(await self.tool.apply_wifi_config(self.transport, self.security))}

    async def do_status(self) -> dict:
        while (state := await self.tool.get_wifi_config(self.transport, self.security)) == "connecting":
            await asyncio.sleep(POLL)
        return {"state": state}

    async def do_reset(self) -> dict:
        await self.tool.reset_wifi(self.transport, self.security)
        return {}

    async def do_custom(self, endpoint: str, text: str) -> dict:
        message = self.security.encrypt_data(text.encode()).decode("latin-1")
        answer = await self.transport.send_data(endpoint, message)
        return {"answer": self.security.decrypt_data(answer.encode("latin-1")).decode("latin-1")}

    async def do_disconnect(self) -> dict:
        await self.transport.disconnect()
        await self.connect()
        return {}


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("transport")
    parser.add_argument("folder")
    parser.add_argument("--name", required=True)
    parser.add_argument("--security", type=int, default=2)
    parser.add_argument("--user", default="wifiprov")
    parser.add_argument("--code", default="")
    parser.add_argument("--mtu", type=int, default=bleak_on_bumble.MTU)
    parser.add_argument("steps", nargs="+", metavar="STEP")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.ERROR)
    # The tool names its adapter in a way that bleak warns of.
    warnings.simplefilter("ignore", DeprecationWarning)
    sys.path.insert(0, arguments.folder)
    async with start_device(arguments.transport, "Espressif's tool", "F0:F1:F2:F3:F4:F5") as host:
        with bleak_on_bumble.installed(host, arguments.mtu):
            import esp_prov

            esp_prov.config_throw_except = True
            steps, talk = Steps(esp_prov, arguments), io.StringIO()
            # What the tool says of itself, such as why a network was not joined.
            for step in ("connect", *arguments.steps):
                name, *rest = step.split(":", 1)
                function = getattr(steps, "do_" + name, steps.connect)
                parameters = rest[0].split(":", 1) if rest else []
                try:
                    with contextlib.redirect_stdout(talk):
                        result = await asyncio.wait_for(function(*parameters), HOST_TIMEOUT)
                except Exception as error:
                    say(name, step=step, error=type(error).__name__, message=str(error))
                    return 1
                finally:
                    words = [line for line in talk.getvalue().splitlines() if line.startswith("----")]
                    talk.seek(0)
                    talk.truncate()
                say(name, step=step, words=words, **(result or {}))
            with contextlib.redirect_stdout(talk):
                await steps.transport.disconnect()
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
