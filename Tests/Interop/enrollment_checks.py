"""The check of the enrollment protocol: a client in Python, written from the pages alone, against `latchkey-server serve`."""

import sys

import latchkey_cli as cli
from checks import check
from enrollment import examples
from harness import ROOT, Scene, require


@check(quick=(None,), all=(None,))
async def enrollment(scene: Scene) -> None:
    """It enrolls, approves, transfers, renews and revokes, and is refused what the pages refuse (enrollment_client.py)."""
    program = scene.latchkey.with_name("latchkey-server")
    require(program.exists(), f"there is no {program}: build it with `swift build --product latchkey-server`")
    pin = scene.folder / "pin.pem"
    pin.write_text(examples.pin())
    server = await scene.start("server", str(program), *cli.enrollment_server(str(scene.folder / "server"), str(pin)))
    await server.line('"demo"')
    listening, demo = server.event("listening"), server.event("demo")
    client = await scene.start(
        "client", sys.executable, str(ROOT / "Tests/Interop/enrollment_client.py"), "--url", listening["url"], "--ca",
        listening["ca"], "--user", demo["user"], "--password-file", demo["passwordFile"],
    )
    ended = await client.end(timeout=60)
    require(ended == 0, f"the client ended with {ended}: {client.lines[-1:]}")
    refused = sum(line.startswith("refused") for line in client.lines)
    require(refused >= 15, f"only {refused} refusals were tried")
    faults = [line for line in server.errors if " error " in line or " critical " in line]
    require(not faults, f"the server logged {faults[:3]}")
