"""Processes and radios for the checks. Each process that a check starts is ended by its own process ID."""

import asyncio
import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PEERS = pathlib.Path(__file__).resolve().parent / "peers"
TIMEOUT = 30.0  # seconds
# Messages of Bumble's unmodified controller about commands that it does not know and does not answer.
KNOWN_COMPLAINTS = ("Async command handlers should return None",)


class CheckFailure(Exception):
    """A check found a result that differs from the expected one."""


def require(condition: bool, what: str) -> None:
    if not condition:
        raise CheckFailure(what)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Process:
    """A running program, and the lines of its output so far."""

    def __init__(self, name: str, child: asyncio.subprocess.Process) -> None:
        self.name = name
        self.child = child
        self.lines: list[str] = []
        self.errors: list[str] = []
        self.news = asyncio.Condition()
        self.readers = [
            asyncio.ensure_future(self.collect(child.stdout, self.lines)),
            asyncio.ensure_future(self.collect(child.stderr, self.errors)),
        ]

    @classmethod
    async def start(cls, name: str, *command: str, environment: dict | None = None) -> "Process":
        child = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=ROOT,
            limit=1 << 20,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **(environment or {})},
        )
        return cls(name, child)

    async def collect(self, stream: asyncio.StreamReader, lines: list[str]) -> None:
        while line := await stream.readline():
            lines.append(line.decode(errors="replace").rstrip("\n"))
            async with self.news:
                self.news.notify_all()
        async with self.news:
            self.news.notify_all()

    async def line(self, pattern: str, since: int = 0, timeout: float = TIMEOUT) -> str:
        """Waits for the first line of standard output, from index `since` on, that matches `pattern`, and returns it."""

        def found() -> str | None:
            return next((line for line in self.lines[since:] if re.search(pattern, line)), None)

        async def wait() -> None:
            async with self.news:
                await self.news.wait_for(lambda: found() is not None or self.readers[0].done())

        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(wait(), timeout)
        line = found()
        require(line is not None, f"{self.name} did not print {pattern!r}")
        return line

    async def error_line(self, pattern: str, timeout: float = TIMEOUT) -> None:
        """Waits for a line of standard error in which `pattern` is found."""

        def is_found() -> bool:
            return any(re.search(pattern, line) for line in self.errors)

        async def wait() -> None:
            async with self.news:
                await self.news.wait_for(lambda: is_found() or self.readers[1].done())

        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(wait(), timeout)
        require(is_found(), f"{self.name} did not report {pattern!r}")

    async def type(self, line: str) -> None:
        """Writes a line to its standard input."""
        self.child.stdin.write(line.encode() + b"\n")
        await self.child.stdin.drain()

    async def end(self, timeout: float = TIMEOUT) -> int:
        """Waits until it ends by itself, and returns its exit status."""
        self.child.stdin.close()
        try:
            await asyncio.wait_for(self.child.wait(), timeout)
        except TimeoutError:
            raise CheckFailure(f"{self.name} did not end within {timeout:g} s") from None
        await asyncio.gather(*self.readers)
        return self.child.returncode

    async def stop(self) -> None:
        """Interrupts it, and kills it if it does not exit within seconds."""
        if self.child.returncode is None:
            for number in (signal.SIGINT, signal.SIGKILL):
                with contextlib.suppress(ProcessLookupError):
                    self.child.send_signal(number)
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self.child.wait(), 5)
                    break
        await asyncio.gather(*self.readers)

    @property
    def output(self) -> str:
        return "\n".join(self.lines)

    @property
    def events(self) -> list[dict]:
        """The JSON lines among its output."""
        return [json.loads(line) for line in self.lines if line.startswith("{")]

    def event(self, name: str, **fields) -> dict:
        """The first event of that name with those fields."""
        for event in self.events:
            if event.get("event") == name and all(event.get(key) == value for key, value in fields.items()):
                return event
        raise CheckFailure(f"{self.name} did not report {name} {fields or ''}".rstrip())


class Scene:
    """One radio, and the processes around it."""

    def __init__(self, air, latchkey: pathlib.Path, keep: pathlib.Path | None) -> None:
        self.air = air
        self.latchkey = latchkey
        self.processes: list[Process] = []
        self.captures: list[pathlib.Path] = []
        self.temporary = tempfile.TemporaryDirectory(prefix="latchkey-interop-")
        self.folder = keep or pathlib.Path(self.temporary.name)

    async def __aenter__(self) -> "Scene":
        self.transport = await self.air.start(self) if self.air else None
        return self

    async def __aexit__(self, *_) -> None:
        for process in reversed(self.processes):
            await process.stop()
        self.temporary.cleanup()

    async def start(self, name: str, *command: str) -> Process:
        environment = {"LATCHKEY_STATE": str(self.folder / f"state-{name}")}
        process = await Process.start(name, *command, environment=environment)
        self.processes.append(process)
        return process

    async def peer(self, name: str, script: str, *arguments: str) -> Process:
        """One of the Python peers on this radio."""
        return await self.start(name, sys.executable, str(PEERS / script), self.transport, *arguments)

    async def ours(self, name: str, *arguments: str, capture: bool = True) -> Process:
        """Starts our program; unless `capture` is false, on this radio and with a capture of its HCI traffic."""
        require(self.latchkey.exists(), f"there is no {self.latchkey}: build it with `swift build --product latchkey`")
        command = [str(self.latchkey), *arguments]
        if capture:
            # Where our programs reach their controllers otherwise than peers do.
            own = getattr(self.air, "of_ours", None)
            transport = await own(self) if own else self.transport
            self.captures.append(self.folder / f"{len(self.captures)}-{name}.btsnoop")
            command += ["--hci", transport, "--trace", str(self.captures[-1])]
        return await self.start(name, *command)

    def complaints(self) -> list[str]:
        """Errors that the controllers raised because of a host's packets."""
        errors = [line for process in self.processes if process.name == "controllers" for line in process.errors]
        return [line for line in errors if not any(known in line for known in KNOWN_COMPLAINTS)]

    def transcript(self) -> str:
        """The last lines of every process, for a check that failed."""
        parts = []
        for process in self.processes:
            for kind, lines in (("", process.lines), (" (standard error)", process.errors)):
                parts += [f"    {process.name}{kind}: {line[:400]}" for line in lines[-25:]]
        return "\n".join(parts)
