"""Runs the checks: `Tests/Interop/run quick|all|NAME … [--keep FOLDER]`."""

import argparse
import asyncio
import pathlib
import sys
import time

import checks
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
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for captures and state")
    arguments = parser.parse_args()
    begin = time.monotonic()
    results = [
        await run(check, air, arguments.latchkey.resolve(), arguments.keep) for check, air in chosen(arguments.checks)
    ]
    failures = results.count(False)
    print(f"interop: {len(results)} checks, {failures} failed, {time.monotonic() - begin:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
