"""What the Bumble peers share: a host on a transport, and JSON lines."""

import asyncio
import contextlib
import json

from bumble.device import Device, DeviceConfiguration
from bumble.hci import Address
from bumble.transport import open_transport

HOST_TIMEOUT = 20.0


def say(event: str, **fields) -> None:
    print(json.dumps({"event": event} | fields, ensure_ascii=False), flush=True)


@contextlib.asynccontextmanager
async def start_device(transport: str, name: str, address: str):
    """A powered Bumble host over an HCI transport such as `tcp-client:127.0.0.1:9000`."""
    async with await open_transport(transport) as hci:
        configuration = DeviceConfiguration(name=name, address=Address(address))
        device = Device.from_config_with_hci(configuration, hci.source, hci.sink)
        await asyncio.wait_for(device.power_on(), HOST_TIMEOUT)
        yield device
