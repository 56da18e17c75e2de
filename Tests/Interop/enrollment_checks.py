"""The check of the enrollment protocol: a client in Python, written from the pages alone, against `latchkey-server serve`."""

import shutil
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
    tokens = []
    for number, commands in enumerate(cli.enrollment_tokens(str(scene.folder / "server"), str(scene.folder))):
        for command in commands:
            made = await (await scene.start(f"operator {number}", str(program), *command)).end(timeout=60)
            require(made == 0, f"{command} ended with {made}")
        tokens.append(command[-1])
    client = await scene.start(
        "client", sys.executable, str(ROOT / "Tests/Interop/enrollment_client.py"), "--url", listening["url"], "--ca",
        listening["ca"], "--user", demo["user"], "--password-file", demo["passwordFile"], "--token-file", tokens[0], "--approved-token-file", tokens[1],
    )
    ended = await client.end(timeout=60)
    require(ended == 0, f"the client ended with {ended}: {client.lines[-1:]}")
    refused = sum(line.startswith("refused") for line in client.lines)
    require(refused >= 15, f"only {refused} refusals were tried")
    faults = [line for line in server.errors if " error " in line or " critical " in line]
    require(not faults, f"the server logged {faults[:3]}")


@check(quick=(None,), all=(None,))
async def request(scene: Scene) -> None:
    """nginx, http-message-signatures and openssl s_server accept `latchkey request`, and are refused what they refuse (request_peers.py)."""
    if shutil.which("nginx") is None and shutil.which("/usr/sbin/nginx") is None:
        return print("request: skipped, nginx is missing")
    program = scene.latchkey.with_name("latchkey-server")
    require(program.exists(), f"there is no {program}: build it with `swift build --product latchkey-server`")
    pin = scene.folder / "pin.pem"
    pin.write_text(examples.pin())
    server = await scene.start("server", str(program), *cli.enrollment_server(str(scene.folder / "server"), str(pin)))
    await server.line('"demo"')
    listening, demo = server.event("listening"), server.event("demo")
    peers = await scene.start(
        "peers", sys.executable, str(ROOT / "Tests/Interop/request_peers.py"), "--latchkey", str(scene.latchkey),
        "--folder", str(scene.folder), "--service", listening["url"], "--ca", listening["ca"], "--user", demo["user"],
        "--password-file", demo["passwordFile"],
    )
    ended = await peers.end(timeout=120)
    require(ended == 0, f"the peers ended with {ended}: {peers.errors[-3:]}")
