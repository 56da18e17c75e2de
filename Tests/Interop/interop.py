"""Runs the checks: `Tests/Interop/run quick|all|NAME … [--radio NAME] [--keep FOLDER]`."""

import argparse
import asyncio
import fcntl
import pathlib
import socket
import struct
import sys
import time

import airs
import authority_checks  # noqa: F401  it registers its checks
import checks
import enrollment_checks  # noqa: F401  it registers its check
import espressif_checks
import acme_checks  # noqa: F401  it registers its check
import est_checks  # noqa: F401  it registers its check
import improv_checks  # noqa: F401  it registers its checks
import proxy_checks  # noqa: F401  it registers its checks
from harness import ROOT, CheckFailure, Scene

# Seconds; every check needs far fewer. A check that hangs fails.
CHECK_LIMIT = 120.0


def chosen(names: list[str]) -> list[tuple]:
    """Pairs of check and radio."""
    if names == ["quick"] or names == ["all"]:
        return [(check, air) for check in checks.CHECKS for air in getattr(check, names[0])]
    pairs = [(check, air) for check in checks.CHECKS if check.name in names for air in check.all]
    unknown = set(names) - {check.name for check in checks.CHECKS}
    if unknown:
        known = ", ".join(check.name for check in checks.CHECKS)
        raise SystemExit(f"interop: no such check: {', '.join(sorted(unknown))}; there are quick, all, {known}")
    return pairs


def start_loopback() -> None:
    """Switches the loopback interface on, which is off in a new network."""
    get_flags, set_flags, up = 0x8913, 0x8914, 0x1  # SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP of netdevice(7)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        flags = struct.unpack_from("16sH", fcntl.ioctl(control, get_flags, struct.pack("16s24x", b"lo")))[1]
        fcntl.ioctl(control, set_flags, struct.pack("16sH22x", b"lo", flags | up))


async def run(check, air, latchkey: pathlib.Path, keep: pathlib.Path | None) -> bool:
    title = f"{check.name} ({air.name})" if air else check.name
    begin = time.monotonic()
    folder = keep / title.replace(" ", "-").replace("'", "") if keep else None
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    scene = Scene(air, latchkey, folder)
    try:
        async with scene:
            await asyncio.wait_for(check.run(scene), CHECK_LIMIT)
            complaints = scene.complaints()
            if complaints:
                raise CheckFailure("a controller raised an error about a packet of a host: " + complaints[-1])
            # Captures are complete once their writers have ended.
            for process in scene.processes:
                await process.stop()
            await checks.captures_decode(scene)
    except (CheckFailure, TimeoutError, OSError) as error:
        print(f"failed  {title}: {error or type(error).__name__}\n{scene.transcript()}", flush=True)
        return False
    print(f"ok      {title}: {time.monotonic() - begin:.1f} s", flush=True)
    return True


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checks", nargs="+", metavar="quick|all|NAME")
    parser.add_argument("--latchkey", type=pathlib.Path, default=ROOT / ".build/debug/latchkey")
    parser.add_argument("--radio", help="only over the radios whose name has this in it, such as rootcanal")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for captures and state")
    parser.add_argument("--own-network", action="store_true", help="this process is alone in its network")
    arguments = parser.parse_args()
    pairs = chosen(arguments.checks)
    if arguments.radio:
        pairs = [(check, air) for check, air in pairs if air and arguments.radio in air.name]
    if arguments.own_network:
        start_loopback()
    elif airs.ROOTCANAL in (air for _, air in pairs):
        print("interop: rootcanal is skipped: it listens on every address, and `unshare --net` makes no network here")
        pairs = [(check, air) for check, air in pairs if air != airs.ROOTCANAL]
    if not espressif_checks.is_there():
        others = [pair for pair in pairs if pair[0].run.__module__ != espressif_checks.__name__]
        if len(others) < len(pairs):
            print("interop: esp_prov is skipped: ESP_PROV and IDF_PATH do not name it (espressif_checks.py)")
        pairs = others
    begin = time.monotonic()
    results = [
        await run(check, air, arguments.latchkey.resolve(), arguments.keep) for check, air in pairs
    ]
    failures = results.count(False)
    print(f"interop: {len(results)} checks, {failures} failed, {time.monotonic() - begin:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
