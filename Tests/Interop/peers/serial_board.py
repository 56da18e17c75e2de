#!/usr/bin/env python3
"""A board on a serial line: a pseudoterminal whose other end is a controller behind TCP, H4.

    serial_board.py tcp-client:HOST:PORT

The first line on standard output is the path of the serial device. The controller is there as long as the device is open.
"""

import asyncio
import os
import sys
import tty


async def main(host: str, port: int) -> None:
    master, slave = os.openpty()
    # Raw from the start: what a line echoes before its program has set it would be a command to the controller.
    tty.setraw(slave)
    path = os.ttyname(slave)
    reader, writer = await asyncio.open_connection(host, port)
    loop = asyncio.get_running_loop()
    os.set_blocking(master, False)
    ended = loop.create_future()

    def from_host() -> None:
        try:
            data = os.read(master, 65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            writer.write(data)
        elif not ended.done():
            ended.set_result(None)

    async def to_host() -> None:
        while data := await reader.read(4096):
            while data:
                try:
                    data = data[os.write(master, data) :]
                except BlockingIOError:
                    writable = loop.create_future()
                    loop.add_writer(master, lambda: writable.done() or writable.set_result(None))
                    await writable
                    loop.remove_writer(master)

    loop.add_reader(master, from_host)
    pump = asyncio.create_task(to_host())
    print(path, flush=True)
    await asyncio.wait({pump, ended}, return_when=asyncio.FIRST_COMPLETED)
    writer.close()
    os.close(master)
    # Open until here: while nobody has it open, reading from its other end fails.
    os.close(slave)


if __name__ == "__main__":
    kind, host, port = sys.argv[1].split(":")
    if kind != "tcp-client":
        raise SystemExit("serial_board.py: give tcp-client:HOST:PORT")
    try:
        asyncio.run(main(host, int(port)))
    except KeyboardInterrupt:
        pass
