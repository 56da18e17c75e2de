#!/usr/bin/env python3
"""Virtual controllers by Bumble, H4 over TCP: every client gets a controller of its own, all on one radio.

    controllers.py [--port 0] [--raw] [--acl-len 27] [--acl-buffers 64] [--no-extended]

The first line on standard output is the port. --raw serves Bumble's unmodified controller.
"""

import argparse
import asyncio
import logging
import socket

from mended_controller import MendedController, MendedLink

from bumble import hci
from bumble.controller import Controller
from bumble.link import LocalLink
from bumble.transport.common import StreamPacketSource


class HostSocket(asyncio.Protocol):
    """One host: its bytes to its controller, the controller's packets to it."""

    def __init__(self, radio: "Radio") -> None:
        self.radio = radio
        self.source = StreamPacketSource()

    def connection_made(self, transport) -> None:
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.transport = transport
        self.controller = self.radio.controller()
        self.controller.set_packet_sink(self)
        self.source.set_packet_sink(self.controller)

    def data_received(self, data: bytes) -> None:
        self.source.data_received(data)

    def connection_lost(self, _error) -> None:
        if isinstance(self.controller, MendedController):
            self.controller.unplug()
        else:
            self.controller.set_packet_sink(None)

    def on_packet(self, packet: bytes) -> None:
        if not self.transport.is_closing():
            self.transport.write(packet)


class Radio:
    """Creates controllers on one link."""

    def __init__(self, arguments) -> None:
        self.arguments = arguments
        self.count = 0
        self.link = LocalLink() if arguments.raw else MendedLink()

    def controller(self) -> Controller:
        self.count += 1
        address = f"C0:FF:EE:00:00:{self.count % 256:02X}"
        if self.arguments.raw:
            controller = Controller(f"C{self.count}", link=self.link, public_address=address)
            controller.le_acl_data_packet_length = self.arguments.acl_len
            controller.total_num_le_acl_data_packets = self.arguments.acl_buffers
        else:
            controller = MendedController(
                f"C{self.count}", self.link, address, self.arguments.acl_len, self.arguments.acl_buffers
            )
        if self.arguments.no_extended:
            controller.le_features &= ~hci.LeFeatureMask.LE_EXTENDED_ADVERTISING
            controller.le_features &= ~hci.LeFeatureMask.LE_PERIODIC_ADVERTISING
        return controller


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--raw", action="store_true")
    parser.add_argument("--acl-len", type=int, default=27)
    parser.add_argument("--acl-buffers", type=int, default=64)
    parser.add_argument("--no-extended", action="store_true")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.ERROR)
    radio = Radio(arguments)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: HostSocket(radio), "127.0.0.1", arguments.port)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        pass
