#!/usr/bin/env python3
"""Measures the enrollment server and its peers, alternating on one machine, by each side's own CPU time from /proc.

    enrollment_bench.py BIN-FOLDER [--rounds 5] [--seconds 5] [handshakes|requests|memory|sqlite|postgres …]

handshakes   full handshakes over mutual TLS a CPU-second, TLS 1.3, X25519, P-256, against nginx with one worker; both send
             session tickets, which the clients do not use
requests     authenticated keep-alive requests a CPU-second, against nginx's static answer
memory       memory of 10 000 idle connections over mutual TLS (VmRSS after minus before), against nginx
sqlite       signed, idempotent transfers a second, durable, 64 connections, against plain durable inserts by one writer
transfer     a server's CPU time for each such transfer, and how much of it are its parts alone: P-256, fields, TLS and HTTP
postgres     the same by two servers on one PostgreSQL, fsync on, against pgbench -s 100 -c 64 -j 2 on it; and the CPU time
             of servers and PostgreSQL for each
servers      the same by one, two, four and eight servers on one PostgreSQL, 64 connections in all

Ours is `enrollment-bench`, built for release:

    enrollment-bench prepare FOLDER                 authority, certificates and a store, all PEM
    enrollment-bench serve FOLDER PORT [--store URL] [--workers N]
    enrollment-bench sign FOLDER PORT COUNT FILE    so many signed transfers, ready to be sent
    enrollment-bench split FOLDER                   one line of JSON: the CPU time of parts of a transfer, each alone
    enrollment-bench inserts FOLDER SECONDS         one line of JSON: plain SQLite, one durable row after the other
"""

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

PEERS = pathlib.Path(__file__).resolve().parent
TICKS = os.sysconf("SC_CLK_TCK")
NGINX = """
worker_processes 1; daemon off; pid {home}/nginx.pid; error_log {home}/error.log; {user}
events {{ worker_connections 20000; }}
worker_rlimit_nofile 30000;
http {{
  access_log off; keepalive_requests 100000000; keepalive_timeout 3600;
  client_body_temp_path {home}; proxy_temp_path {home}; fastcgi_temp_path {home}; uwsgi_temp_path {home}; scgi_temp_path {home};
  server {{
    listen 127.0.0.1:{port} ssl backlog=4096;
    ssl_certificate {keys}/server.pem; ssl_certificate_key {keys}/server.key;
    ssl_client_certificate {keys}/ca.pem; ssl_verify_client on; ssl_verify_depth 2;
    ssl_protocols TLSv1.3; ssl_session_cache off; ssl_session_tickets on; ssl_ecdh_curve X25519;
    location / {{ default_type application/json; return 200 '{answer}'; }}
  }}
}}
"""
# As long as our response to the same request.
ANSWER = (
    '{"approvalKeyEvidence":"latchkey-software","device":"%s","hasApprovalKey":true,"name":"bench","notAfter":1790000000,'
    '"user":"bench"}' % ("0" * 32)
)


def load() -> str:
    return " ".join(f"{value:.2f}" for value in os.getloadavg())


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def processes(root: int) -> list[int]:
    found = [root]
    for pid in found:
        with contextlib.suppress(OSError):
            for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
                found += [int(child) for child in (task / "children").read_text().split()]
    return found


def cpu(root: int) -> float:
    total = 0
    for pid in processes(root):
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        total += int(fields[11]) + int(fields[12])
    return total / TICKS


def resident(root: int) -> int:
    total = 0
    for pid in processes(root):
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                total += int(line.split()[1])
    return total


def wait_for(port: int, process: subprocess.Popen) -> None:
    for _ in range(2000):
        if process.poll() is not None:
            raise SystemExit("enrollment_bench: a server did not start")
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port)).close()
            return
        time.sleep(0.01)
    raise SystemExit("enrollment_bench: a server does not listen")


@contextlib.contextmanager
def running(command: list, port: int, pinned: bool, **options):
    pin = ["taskset", "-c", "0"] if pinned else []
    process = subprocess.Popen([*pin, *map(str, command)], **options)
    try:
        wait_for(port, process)
        yield process
    finally:
        process.terminate()
        process.wait()


class Bench:
    def __init__(self, folder: str, home: str, rounds: int, seconds: float):
        self.tool = str(pathlib.Path(folder) / "enrollment-bench")
        self.home, self.rounds, self.seconds = pathlib.Path(home), rounds, seconds
        self.keys = self.home / "keys"
        self.generator = str(self.home / "mtls_load")
        subprocess.run(["cc", "-O2", "-Wall", "-o", self.generator, PEERS / "mtls_load.c", "-lssl", "-lcrypto"], check=True)
        subprocess.run([self.tool, "prepare", self.keys], check=True)

    def nginx(self, pinned=True):
        home = pathlib.Path(tempfile.mkdtemp(dir=self.home))
        port = free_port()
        user = "user root;" if os.geteuid() == 0 else ""
        (home / "nginx.conf").write_text(NGINX.format(home=home, port=port, keys=self.keys, answer=ANSWER, user=user))
        program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
        return port, running([program, "-p", home, "-e", home / "error.log", "-c", home / "nginx.conf"], port, pinned)

    def ours(self, pinned=True, store=None):
        port = free_port()
        command = [self.tool, "serve", self.keys, str(port), *(["--store", store] if store else [])]
        # One worker each, where nginx is the peer.
        command += ["--workers", "1"] if pinned else []
        return port, running(command, port, pinned)

    def generate(self, port: int, mode: str, connections: int, what: str, seconds: float | None = None, pinned=True) -> list:
        keys = self.keys
        pin = ["taskset", "-c", "1"] if pinned else []
        command = [*pin, self.generator, port, keys / "client.pem", keys / "client.key", keys / "ca.pem", mode]
        return [*map(str, command), str(connections), f"{seconds or self.seconds:g}", what]

    def measure(self, server: subprocess.Popen, command: list) -> tuple[float, float, int]:
        """Answers a CPU-second of the server, answers a second, failures."""
        before = cpu(server.pid)
        done = json.loads(subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout.splitlines()[-1])
        used = cpu(server.pid) - before
        return done["done"] / used, done["done"] / done["seconds"], done["failed"]

    def against_nginx(self, name: str, mode: str, title: str) -> None:
        print(f"\n{name}: {title}")
        ratios = []
        (our_port, ours), (their_port, theirs) = self.ours(), self.nginx()
        with ours as server, theirs as nginx:
            for number in range(1, self.rounds + 1):
                mine = self.measure(server, self.generate(our_port, mode, 64, "/v1/device"))
                peer = self.measure(nginx, self.generate(their_port, mode, 64, "/"))
                ratios.append(mine[0] / peer[0])
                print(
                    f"  round {number}: ours {mine[0]:.0f} a CPU-second ({mine[1]:.0f}/s, {mine[2]} failed), "
                    f"nginx {peer[0]:.0f} ({peer[1]:.0f}/s, {peer[2]} failed), ratio {ratios[-1]:.3g}, load {load()}",
                    flush=True,
                )
        print(f"  median of ratios: {statistics.median(ratios):.2f} x")

    def memory(self, connections=10_000) -> None:
        print(f"\nmemory: VmRSS that {connections} idle connections over mutual TLS add (goal: <= 1.8 x nginx)")
        held = {}
        for side, (port, context) in {"ours": self.ours(), "nginx": self.nginx()}.items():
            with context as server:
                # A few requests first, so that one-time setup is done.
                subprocess.run(self.generate(port, "requests", 8, "/v1/device", 0.5), check=True, stdout=subprocess.DEVNULL)
                before = resident(server.pid)
                command = self.generate(port, "idle", connections, "/v1/device")
                with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
                    if holder.stdout.readline().strip() != "ready":
                        raise SystemExit("enrollment_bench: the connections were not made")
                    time.sleep(1)
                    held[side] = resident(server.pid) - before
                    holder.stdin.write("\n")
                    holder.stdin.close()
                    done = json.loads(holder.stdout.readline())
                print(
                    f"  {side}: {held[side] / 1024:.0f} MiB more ({held[side] * 1024 / connections / 1024:.1f} KiB a connection), "
                    f"{done['done']} answered, {done['failed']} failed",
                    flush=True,
                )
        print(f"  ratio: {held['ours'] / held['nginx']:.2f} x")

    def transfers(self, ports: list[int], count: int, roots: tuple = ()) -> tuple[float, int, list[float]]:
        """Accepted transfers a second over 64 connections in all, until all are sent or the time is over; failures; and the
        CPU time in microseconds that each of these processes, with its children, took for a transfer."""
        share = []
        for number, port in enumerate(ports):
            file = self.home / f"transfers-{number}"
            subprocess.run([self.tool, "sign", self.keys, str(port), str(count), file], check=True)
            share.append(self.generate(port, "requests", 64 // len(ports), f"@{file}", pinned=False))
        before = [cpu(root) for root in roots]
        runs = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for command in share]
        results = [json.loads(run.communicate()[0].splitlines()[-1]) for run in runs]
        done = sum(r["done"] for r in results)
        used = [(cpu(root) - start) * 1e6 / done for root, start in zip(roots, before)]
        return sum(r["done"] / r["seconds"] for r in results), sum(r["failed"] for r in results), used

    def sqlite(self) -> None:
        print("\nsqlite: transfers/s, durable, 64 connections, against plain durable inserts by one writer (goal: >= 0.6 x)")
        ratios = []
        port, context = self.ours(pinned=False)
        with context:
            for number in range(1, self.rounds + 1):
                mine, refused, _ = self.transfers([port], int(6000 * self.seconds))
                plain = [self.tool, "inserts", self.keys, f"{self.seconds:g}"]
                peer = json.loads(subprocess.run(plain, check=True, text=True, stdout=subprocess.PIPE).stdout)["value"]
                ratios.append(mine / peer)
                print(
                    f"  round {number}: ours {mine:.0f}/s ({refused} failed), plain SQLite {peer:.0f}/s, "
                    f"ratio {ratios[-1]:.3g}, load {load()}",
                    flush=True,
                )
        print(f"  median of ratios: {statistics.median(ratios):.2f} x")

    def transfer(self) -> None:
        print("\ntransfer: CPU time of the server for a signed, idempotent transfer on SQLite (goal: <= 250 µs)")
        port, context = self.ours()
        with context as server:
            for number in range(1, self.rounds + 1):
                file = self.home / "transfers"
                subprocess.run([self.tool, "sign", self.keys, str(port), str(int(3000 * self.seconds)), file], check=True)
                rate, _, refused = self.measure(server, self.generate(port, "requests", 64, f"@{file}"))
                # The same connections and clients, and a response without a signature, a task or a statement.
                plain, _, _ = self.measure(server, self.generate(port, "requests", 64, "/v1/device"))
                split = json.loads(subprocess.run([self.tool, "split", self.keys], check=True, text=True, stdout=subprocess.PIPE).stdout)
                split = {"TLS and HTTP": 1e6 / plain, **split}
                rest = 1e6 / rate - sum(split.values())
                parts = ", ".join(f"{name} {value:.0f}" for name, value in {**split, "rest": rest}.items())
                print(
                    f"  round {number}: {1e6 / rate:.0f} µs ({refused} failed): {parts}, load {load()}",
                    flush=True,
                )

    def servers(self) -> None:
        print("\nservers: transfers/s by servers on one PostgreSQL, 64 connections in all")
        url = self.postgres_url()
        subprocess.run([self.tool, "prepare", self.keys, "--store", url], check=True)
        for number in range(1, self.rounds + 1):
            for count in (1, 2, 4, 8):
                with contextlib.ExitStack() as stack:
                    ports = []
                    for port, context in [self.ours(pinned=False, store=url) for _ in range(count)]:
                        stack.enter_context(context)
                        ports.append(port)
                    rate, refused, _ = self.transfers(ports, int(6000 * self.seconds) // count)
                print(f"  round {number}: {count} servers: {rate:.0f}/s ({refused} failed), load {load()}", flush=True)

    @staticmethod
    def postgres_url() -> str:
        url = os.environ.get("LATCHKEY_TEST_POSTGRES")
        if not url:
            raise SystemExit("enrollment_bench: run it under Scripts/with-postgres --durable")
        return url

    @staticmethod
    def postmaster(url: str) -> int:
        """The process whose children serve connections."""
        shown = subprocess.run(["psql", "-Atc", "SHOW data_directory", url], check=True, text=True, capture_output=True)
        return int((pathlib.Path(shown.stdout.strip()) / "postmaster.pid").read_text().split()[0])

    def postgres(self) -> None:
        print("\npostgres: transfers/s by two servers, against pgbench -s 100 -c 64 -j 2 on the same (goal: >= 0.5 x)")
        url = self.postgres_url()
        subprocess.run([self.tool, "prepare", self.keys, "--store", url], check=True)
        pgbench = shutil.which("pgbench") or max(map(str, pathlib.Path("/usr/lib/postgresql").glob("*/bin/pgbench")))
        subprocess.run([pgbench, "-i", "-q", "-s", "100", url], check=True, stderr=subprocess.DEVNULL)
        ratios = []
        (first, a), (second, b) = self.ours(pinned=False, store=url), self.ours(pinned=False, store=url)
        with a as one, b as other:
            roots = (one.pid, other.pid, self.postmaster(url))
            for number in range(1, self.rounds + 1):
                mine, refused, used = self.transfers([first, second], int(3000 * self.seconds), roots)
                command = [pgbench, "-n", "-c", "64", "-j", "2", "-T", f"{self.seconds:g}", url]
                text = subprocess.run(command, check=True, text=True, capture_output=True).stdout
                peer = float(next(line for line in text.splitlines() if line.startswith("tps")).split("=")[1].split()[0])
                ratios.append(mine / peer)
                print(
                    f"  round {number}: ours {mine:.0f}/s ({refused} failed; {used[0] + used[1]:.0f} µs of the servers and "
                    f"{used[2]:.0f} µs of PostgreSQL each), pgbench {peer:.0f}/s, ratio {ratios[-1]:.3g}, load {load()}",
                    flush=True,
                )
        print(f"  median of ratios: {statistics.median(ratios):.2f} x")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5)
    names = ["handshakes", "requests", "memory", "sqlite", "transfer", "postgres", "servers"]
    parser.add_argument("figures", nargs="*", metavar="FIGURE")
    arguments = parser.parse_intermixed_args()
    chosen = arguments.figures or names
    if unknown := set(chosen) - set(names):
        parser.error(f"no such figure: {', '.join(sorted(unknown))}")
    # On a disk: /tmp may be in memory, where nothing is durable.
    with tempfile.TemporaryDirectory(prefix="latchkey-bench-", dir=os.environ.get("TMPDIR", "/var/tmp")) as home:
        os.chmod(home, 0o755)
        bench = Bench(arguments.folder, home, arguments.rounds, arguments.seconds)
        for name in chosen:
            if name == "handshakes":
                bench.against_nginx(name, "handshake", "full mTLS handshakes and one request each (goal: >= 1.5 x)")
            elif name == "requests":
                bench.against_nginx(name, "requests", "authenticated keep-alive requests (goal: >= 0.3 x, better 0.45 x)")
            else:
                getattr(bench, name)()


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"enrollment_bench: {error}") from None
