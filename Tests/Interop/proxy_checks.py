"""The checks of load balancers: HAProxy and nginx pass TLS through to `latchkey-server serve`, as the page *Run it* says."""

import asyncio
import contextlib
import pathlib
import re
import shutil
import signal
import socket
import ssl

from checks import check
from est_checks import Tools
from harness import ROOT, TIMEOUT, Scene, free_port, require

PAGE = ROOT / "Sources/LatchkeyEnrollmentServer/LatchkeyEnrollmentServer.docc/RunningTheServer.md"
STREAM_MODULES = [pathlib.Path(folder) / "nginx/modules/ngx_stream_module.so" for folder in ("/usr/lib", "/usr/lib64")]


def block(name: str, *replacements: tuple[str, str]) -> str:
    """The page's block under the comment with this name, with other addresses, each of which must be there."""
    found = re.search(rf"<!-- {re.escape(name)} -->\n```[a-z]*\n(.*?)```\n", PAGE.read_text(), re.DOTALL)
    require(found is not None, f"the page has no block {name}")
    text = found[1]
    for old, new in replacements:
        require(old in text, f"the page's {name} has no {old!r}")
        text = text.replace(old, new)
    return text


def program(name: str) -> str | None:
    return shutil.which(name) or shutil.which(f"/usr/sbin/{name}")


class Servers:
    """Servers of one store in SQLite, each with a state folder, a name and ports of its own."""

    def __init__(self, scene: Scene) -> None:
        self.scene, self.program = scene, str(scene.latchkey.with_name("latchkey-server"))
        self.first = scene.folder / "a"
        self.ports: dict[str, tuple[int, int]] = {}
        self.tools: Tools | None = None

    async def start(self, node: str, *words: str):
        """Starts a server, or starts it again on its ports."""
        state = self.scene.folder / node
        if node != "a":
            words += ("--store", f"sqlite:{self.first}/server.db")
            state.mkdir(mode=0o700)
            for file in self.first.glob("*.pem"):
                shutil.copy(file, state)
        port, admin = self.ports.setdefault(node, (free_port(), free_port()))
        server = await self.scene.start(
            f"server {node}", self.program, "serve", "--sample-bank", "--json", "--node", node, "--state", str(state), "--listen", f"127.0.0.1:{port}", "--admin-listen", f"127.0.0.1:{admin}",
            "--logins-per-minute", "4", *words,
        )
        await server.line('"listening"')
        if not self.tools:
            await server.line('"demo"')
            self.tools = Tools(self.scene.folder, {"public": None, **server.event("listening")}, server.event("demo"))
        return server

    def through(self, port: int) -> Tools:
        """curl and OpenSSL against a load balancer's port."""
        self.tools.url = f"https://localhost:{port}"
        return self.tools


def enroll(tools: Tools) -> None:
    """A certificate from the server behind the load balancer, as the files `pump.pem` and `pump.key`."""
    tools.key("pump")
    status, body, _ = tools.est("simpleenroll", "-u", tools.login, *tools.request("pump", "pump", "-subj", "/CN=pump"))
    require(status == 200, f"an enrollment through the load balancer: {status} {body!r}")
    tools.certificate(body, "pump")


async def status(tools: Tools, *words: str) -> str:
    """The status of a request over TLS with the device's certificate, on a connection of its own; what went wrong, else."""
    child = await asyncio.create_subprocess_exec(
        "curl", "-sS", "--cacert", tools.ca, "--cert", "pump.pem", "--key", "pump.key", "-o", "/dev/null", "-w", "%{http_code}",
        "--max-time", "20", *words, f"{tools.url}/v1/device", cwd=tools.folder, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    return (await child.communicate())[0].decode()


def login(tools: Tools, address: str) -> int:
    """The status of a login with a name that nobody has, from an address of loopback."""
    return tools.est("simpleenroll", "--interface", address, "-u", "nobody:wrong password", *tools.request("none", "pump", "-subj", "/CN=x"))[0]


def handshake(port: int, ca: str, source: str, first: bytes, name: str = "localhost") -> bool:
    """Whether a server of that name finishes a handshake of TLS behind these bytes."""
    context = ssl.create_default_context(cafile=ca)
    with contextlib.closing(socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT, source_address=(source, 0))) as plain:
        plain.sendall(first)
        try:
            with context.wrap_socket(plain, server_hostname=name):
                return True
        except (ssl.SSLError, ConnectionError):
            return False


def header(client: str) -> bytes:
    """A PROXY header, version 2, of a connection by TCP over IPv4 (section 2.2)."""
    addresses = socket.inet_aton(client) + socket.inet_aton("127.0.0.1") + (40000).to_bytes(2) + (443).to_bytes(2)
    return b"\r\n\r\n\0\r\nQUIT\n" + bytes([0x21, 0x11]) + len(addresses).to_bytes(2) + addresses


class Balancer:
    """What HAProxy says of its servers, on its socket."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path

    def states(self) -> dict[str, str]:
        with contextlib.closing(socket.socket(socket.AF_UNIX)) as connection:
            connection.connect(str(self.path))
            connection.sendall(b"show stat\n")
            text = b"".join(iter(lambda: connection.recv(1 << 16), b"")).decode()
        rows = [line.split(",") for line in text.splitlines() if line]
        place = rows[0].index("status")
        return {row[1]: row[place] for row in rows if row[0] == "servers" and row[1] != "BACKEND"}

    async def wait(self, server: str, state: str) -> None:
        """Waits until a server is UP or DOWN."""
        found = None
        for _ in range(int(TIMEOUT / 0.1)):
            with contextlib.suppress(FileNotFoundError, ConnectionError):
                found = self.states()
                if found.get(server, "").split(" ")[0] == state:
                    return
            await asyncio.sleep(0.1)
        require(False, f"HAProxy does not take {server} for {state}: {found}")


async def restart(servers: Servers, server, balancer: Balancer, tools: Tools) -> None:
    """A server ends and starts again, and a client goes on."""
    statuses: list[str] = []

    async def ask() -> None:
        while True:
            statuses.append(await status(tools, "--interface", "127.0.0.5"))

    client = asyncio.ensure_future(ask())
    try:
        while len(statuses) < 4:
            await asyncio.sleep(0.02)
        server.child.send_signal(signal.SIGTERM)
        require(await server.end() == 0, "server a did not end by itself")
        await balancer.wait("a", "DOWN")
        seen = len(statuses)
        server = await servers.start("a", "--proxy-from", "127.0.0.1")
        await balancer.wait("a", "UP")
        while len(statuses) < seen + 4:
            await asyncio.sleep(0.02)
    finally:
        client.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await client
    # The server may close what HAProxy has given to it and it has not accepted yet: one request at most, since the client sends one after
    # the other. Without `redispatch` all are lost that HAProxy gives to a server whose end the checks have not noticed.
    lost = [status for status in statuses if status != "200"]
    require(len(lost) <= 1 and all("curl: (" in status for status in lost), f"a client saw {lost} among {len(statuses)} statuses")


@check(quick=(None,), all=(None,))
async def haproxy(scene: Scene) -> None:
    """Two servers of one store behind HAProxy: mutual TLS, the clients' addresses, forged headers, health, and a restart."""
    haproxy = program("haproxy")
    if haproxy is None:
        return print("haproxy: skipped, HAProxy is missing")
    servers = Servers(scene)
    server = await servers.start("a", "--proxy-from", "127.0.0.1")
    await servers.start("b", "--proxy-from", "127.0.0.1")
    port = free_port()
    text = block(
        "haproxy.cfg", ("bind :8443", f"bind 127.0.0.1:{port}"),
        ("10.0.0.11:8443 send-proxy-v2 check port 9090", "127.0.0.1:{} send-proxy-v2 check port {}".format(*servers.ports["a"])),
        ("10.0.0.12:8443 send-proxy-v2 check port 9090", "127.0.0.1:{} send-proxy-v2 check port {}".format(*servers.ports["b"])),
    )
    control = scene.folder / "haproxy.sock"
    configuration = scene.folder / "haproxy.cfg"
    configuration.write_text(f"global\n  stats socket {control}\n\n{text}")
    await scene.start("haproxy", haproxy, "-db", "-f", str(configuration))
    balancer = Balancer(control)
    for node in "ab":
        await balancer.wait(node, "UP")
    tools = servers.through(port)
    enroll(tools)
    for _ in range(4):
        require(await status(tools) == "200", "a device is not known through HAProxy")

    # Each server counts 4 logins a minute of an address: of the client's, and not of HAProxy's.
    seen = [login(tools, "127.0.0.7") for _ in range(12)]
    require(seen[:4] == [401] * 4 and seen[-1] == 429, f"logins from one address: {seen}")
    require(login(tools, "127.0.0.8") == 401, "another client shares the limit of the first one")

    direct, ca = servers.ports["b"][0], tools.ca
    expected = [
        ("127.0.0.1", header("192.0.2.1"), True, "a header from HAProxy's address is refused"),
        ("127.0.0.1", b"", False, "a connection without a header from HAProxy's address is accepted"),
        ("127.0.0.1", b"PROXY TCP4 192.0.2.1 127.0.0.1 40000 443\r\n", False, "a header of version 1 is accepted"),
        ("127.0.0.9", header("192.0.2.1"), False, "a header from an address that is not named is accepted"),
        ("127.0.0.9", b"", True, "a client that comes past HAProxy is refused"),
    ]
    for source, first, is_answered, fault in expected:
        require(await asyncio.to_thread(handshake, direct, ca, source, first) == is_answered, fault)
    await restart(servers, server, balancer, tools)


@check(quick=(None,), all=(None,))
async def nginx_stream(scene: Scene) -> None:
    """nginx passes TLS on by the name that clients ask for; its PROXY header, version 1, is refused."""
    nginx = program("nginx")
    module = next((path for path in STREAM_MODULES if path.exists()), None)
    if nginx is None or module is None:
        return print("nginx-stream: skipped, nginx or its stream module is missing")
    servers = Servers(scene)
    await servers.start("a")
    await servers.start("b", "--proxy-from", "127.0.0.1")
    port, other, first = free_port(), free_port(), free_port()
    text = block(
        "nginx.conf", ("enroll.example.org 10.0.0.11:8443", f"localhost 127.0.0.1:{servers.ports['a'][0]}"),
        ("default 10.0.0.20:443", f"default 127.0.0.1:{other}"), ("listen 443;", f"listen 127.0.0.1:{port};"),
    )
    # A second port, whose connections begin with nginx's header.
    header = f"listen 127.0.0.1:{first}; proxy_protocol on; proxy_pass 127.0.0.1:{servers.ports['b'][0]};"
    configuration = scene.folder / "nginx.conf"
    log = f"{scene.folder}/nginx.log"
    configuration.write_text(
        f"daemon off;\nmaster_process off;\npid {scene.folder}/nginx.pid;\nerror_log {log};\nload_module {module};\nevents {{}}\n"
        + text.rstrip().removesuffix("}") + f"  server {{ {header} }}\n}}\n"
    )
    await scene.start("nginx", nginx, "-c", str(configuration), "-e", log)
    await listening(port)
    tools = servers.through(port)
    enroll(tools)
    require(await status(tools) == "200", "a device is not known through nginx")
    require(not await asyncio.to_thread(handshake, first, tools.ca, "127.0.0.1", b""), "nginx's header is accepted")

    # Another name is another server's.
    arrived = asyncio.get_running_loop().create_future()

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        arrived.set_result(await reader.read(1 << 14))
        writer.close()

    async with await asyncio.start_server(take, "127.0.0.1", other):
        await asyncio.to_thread(handshake, port, tools.ca, "127.0.0.1", b"", "other.example.org")
        require(b"other.example.org" in await asyncio.wait_for(arrived, TIMEOUT), "another name is not another server's")


async def listening(port: int) -> None:
    """Waits until somebody listens on a port of loopback."""
    for _ in range(int(TIMEOUT / 0.05)):
        with contextlib.suppress(ConnectionError):
            return socket.create_connection(("127.0.0.1", port), timeout=1).close()
        await asyncio.sleep(0.05)
    require(False, f"nobody listens on {port}")
