#!/usr/bin/env python3
"""Home Assistant's Improv client, py-improv-ble-client (PyPI) unchanged, over Bumble. Prints one JSON line for each step.

    improv_client.py TRANSPORT --name NAME [--address ADDRESS] [--mtu 517] STEP…

    find                          until the library takes the device for one that can be provisioned
    absent                        no advertisement of the device that the library takes, for two seconds
    need-authorization            whether the device wants somebody to act
    await:STATE                   until the state, by the library's name, was reported
    info, identify, scan, hostname, hostname:NAME
    provision:SSID:PASSWORD       the page, if any, the states on the way, and the library's error if it failed
    abandon:SSID:PASSWORD         the same, but the connection is lost once the device provisions: the library connects and asks again
    disconnect                    ends the connection

The exit status is 0 if every step did what its name says; `provision` may fail: its line says so.
"""

import argparse
import asyncio
import contextlib
import logging
import sys

import bleak_on_bumble
from peer_host import HOST_TIMEOUT, say, start_device

from bleak import BleakScanner
from bumble.hci import HCI_Error
from improv_ble_client import SERVICE_DATA_UUID, ImprovBLEClient, State, device_filter, errors

ABSENCE = 2.0  # seconds


class Steps:
    """The library's client, and the steps with it."""

    def __init__(self, name: str, host) -> None:
        self.name = name
        self.host = host
        self.client = None
        self.states: list[str] = []
        self.news = asyncio.Condition()
        self.subscribed = False

    async def step(self, step: str) -> dict:
        name, *rest = step.split(":", 1)
        function = getattr(self, "do_" + name.replace("-", "_"))
        if name in ("provision", "abandon"):
            return await function(*rest[0].split(":", 1))
        return await function(*rest)

    async def do_find(self) -> dict:
        async with BleakScanner() as scanner:
            async for device, advertisement in scanner.advertisement_data():
                if device_filter(advertisement) and device.name == self.name:
                    break
        self.client = ImprovBLEClient(device, advertisement)
        return {"data": advertisement.service_data[SERVICE_DATA_UUID].hex(), "services": advertisement.service_uuids}

    async def do_absent(self) -> dict:
        seen: dict[str, bool] = {}
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(ABSENCE), BleakScanner() as scanner:
                async for device, advertisement in scanner.advertisement_data():
                    if advertisement.local_name == self.name:
                        seen[self.name] = seen.get(self.name, False) or device_filter(advertisement)
        if any(seen.values()):
            raise AssertionError("the library still takes the device for one that can be provisioned")
        return {}

    async def watch(self) -> None:
        """States are collected from the first connection on."""
        if self.subscribed:
            return
        self.subscribed = True

        def changed(state) -> None:
            self.states.append(state.name)
            asyncio.ensure_future(self.notify())

        await self.client.subscribe_state_updates(changed)

    async def notify(self) -> None:
        async with self.news:
            self.news.notify_all()

    async def do_need_authorization(self) -> dict:
        await self.watch()
        return {"needed": await self.client.need_authorization()}

    async def do_await(self, state: str) -> dict:
        await self.watch()
        async with self.news:
            await self.news.wait_for(lambda: state in self.states)
        return {"states": self.states}

    async def do_info(self) -> dict:
        await self.client.ensure_connected()
        result = await self.client.get_device_info()
        return {
            "values": [
                value.decode()
                for value in (result.firmware_name, result.firmware_version, result.hardware_chip, result.device_name)
            ]
        }

    async def do_identify(self) -> dict:
        await self.client.ensure_connected()
        await self.client.identify()
        return {}

    async def do_scan(self) -> dict:
        await self.client.ensure_connected()
        return {"networks": [[part.decode() for part in network] for network in (await self.client.scan_wifi()).networks]}

    async def do_hostname(self, name: str | None = None) -> dict:
        await self.client.ensure_connected()
        if not self.client.can_set_hostname:
            return {"offered": False}
        got = await (self.client.get_hostname() if name is None else self.client.set_hostname(name))
        return {"offered": True, "hostname": got}

    async def do_provision(self, ssid: str, password: str, changed=lambda state: None) -> dict:
        states: list[str] = []

        def record(state) -> None:
            states.append(state.name)
            changed(state)

        try:
            page = await self.client.provision(ssid, password, record)
        except errors.ProvisioningFailed as error:
            # After an error the library ends its connection, later, and must not be asked for anything before.
            while self.host.connections:
                await asyncio.sleep(0.01)
            return {"failed": error.error.name, "states": states}
        return {"failed": None, "page": page, "states": states}

    async def do_abandon(self, ssid: str, password: str) -> dict:
        def changed(state) -> None:
            if state == State.PROVISIONING:
                asyncio.ensure_future(self.do_disconnect())

        return await self.do_provision(ssid, password, changed)

    async def do_disconnect(self) -> dict:
        for connection in list(self.host.connections.values()):
            # The library may be ending it, too.
            with contextlib.suppress(HCI_Error):
                await connection.disconnect()
        return {}


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("transport")
    parser.add_argument("--name", required=True)
    parser.add_argument("--address", default="F0:F1:F2:F3:F4:F5")
    parser.add_argument("--mtu", type=int, default=bleak_on_bumble.MTU)
    parser.add_argument("steps", nargs="+", metavar="STEP")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.ERROR)
    async with start_device(arguments.transport, "Home", arguments.address) as host:
        with bleak_on_bumble.installed(host, arguments.mtu):
            steps = Steps(arguments.name, host)
            for step in arguments.steps:
                name = step.split(":")[0]
                try:
                    result = await asyncio.wait_for(steps.step(step), HOST_TIMEOUT)
                except Exception as error:
                    say(name, step=step, error=type(error).__name__, message=str(error))
                    return 1
                say(name, step=step, **result)
            await steps.do_disconnect()
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
