"""The parts of latchkey's command line that the checks use, in one place: arguments, and lines of output."""

import json


def device(name: str, apply: str | None = None) -> list[str]:
    return ["device", "--name", name, "--show-secrets", "--json", *(["--apply", apply] if apply else [])]


def provision(name: str, ssid: str, password_file: str) -> list[str]:
    """The password comes from a file: the program warns about one on the command line."""
    return ["provision", "--legacy", "--name", name, "--ssid", ssid, "--password", f"@{password_file}"]


def improv_device(name: str, apply: str | None = None, button: str | None = None) -> list[str]:
    """A device that speaks Improv, and with `button` waits for it."""
    return [
        "device",
        "--improv",
        "--name",
        name,
        "--json",
        *(["--apply", apply] if apply else []),
        *(["--button", f"unix-server:{button}"] if button else []),
    ]


def secure_device(name: str, code_file: str) -> list[str]:
    return ["device", "--secure", "--name", name, "--code", f"@{code_file}", "--json"]


def secure_provision(name: str, ssid: str, password_file: str, code_file: str) -> list[str]:
    return [
        "provision", "--name", name, "--code", f"@{code_file}", "--ssid", ssid, "--password", f"@{password_file}", "--json"
    ]


def espressif_device(name: str, code_file: str, *options: str, apply: str | None = None) -> list[str]:
    """A device that speaks Espressif's protocol."""
    code = ["--code", f"@{code_file}"]
    return ["device", "--espressif", "--name", name, *code, *options, "--json", *(["--apply", apply] if apply else [])]


# Speaks Security 1, too.
ESPRESSIF_SECURITY_1 = ["--espressif-security-1"]


def press(button: str) -> list[str]:
    return ["device", "press", button]


# The exit statuses of a program of --apply that says that the password is wrong, and that there is no such network.
WRONG_PASSWORD, NO_NETWORK = 65, 69

# The exit status of `provision` if the device could not join the network: sysexits' EX_TEMPFAIL.
COULD_NOT_JOIN = 75


def serve(name: str, value: str) -> list[str]:
    """A device whose one value, FFF1 in FFF0, only paired devices get."""
    return ["ble", "serve", "--name", name, "--value", value, "--protected", "--json"]


def serve_extended(name: str, value: str, phy: str) -> list[str]:
    """The same for everybody, by extended advertising."""
    return ["ble", "serve", "--name", name, "--value", value, "--phy", phy, "--json"]


def scan() -> list[str]:
    return ["ble", "scan"]


def explore() -> list[str]:
    return ["ble", "explore"]


def open_channel(name: str, psm: int, file: str) -> list[str]:
    return ["ble", "channel", "--name", name, "--psm", str(psm), "--output", file, "--json"]


def publish_channel(name: str, file: str) -> list[str]:
    return ["ble", "channel", "--publish", "--name", name, "--output", file, "--json"]


# Commands of `ble explore`, and the lines that confirm them.
CONNECT = "connect {name}"
DISCONNECT, DISCONNECTED = "disconnect", "^disconnected"
KEY_MISSING = "removed pairing information"
READ = "read {uuid}"
WRITE, WRITTEN = "write {uuid} hex:{hexadecimal}", "^written {uuid}"
COMMAND, SENT = "command {uuid} hex:{hexadecimal}", "^sent {uuid}"
SUBSCRIBE = "subscribe {uuid}"
UNSUBSCRIBE, UNSUBSCRIBED = "unsubscribe {uuid}", "^unsubscribed {uuid}"
QUIT = "quit"

# The exit status of `ble explore` after a command failed, and of commands whose radio cannot do it: sysexits' EX_UNAVAILABLE.
EXPLORE_FAILED = UNAVAILABLE = 69


def is_payload(text: str, ssid: str, password: str) -> bool:
    try:
        return json.loads(text) == {"ssid": ssid, "password": password}
    except ValueError:
        return False


def est_server(state: str) -> list[str]:
    """A server on loopback with the user of the demo, and a plain listener for OCSP that certificates name."""
    # The port stands in certificates, so it is known before: the checks have a network of their own.
    public = ["--public-listen", "127.0.0.1:18889", "--public-url", "http://127.0.0.1:18889"]
    return ["serve", "--listen", "127.0.0.1:0", "--state", state, "--json", "--logins-per-minute", "1000", *public]


def enrollment_server(state: str, pin: str) -> list[str]:
    """A server on loopback with the user of the demo, whose transfers of 100.00 and more are approved; one address may do much. `pin`
    is a file with a TPM's attestation key that it trusts."""
    limits = ["--logins-per-minute", "1000", "--approval-from", "100.00", "--attestation-pin", pin]
    return ["serve", "--sample-bank", "--listen", "127.0.0.1:0", "--state", state, "--json", *limits]


def enrollment_tokens(state: str, folder: str) -> list[list[list[str]]]:
    """The operator's commands for two tokens, whose files are the last words: one that names its device, and one whose device is
    approved by another."""
    named, watched = f"{folder}/named.token", f"{folder}/watched.token"
    create = ["token", "create", "--state", state, "--user", "demo"]
    return [
        [[*create, "--device-name", "sensor", "--output", named]],
        [
            ["profile", "add", "watched", "--approval", "device", "--allow-name", "dns:*.devices.example", "--state", state],
            [*create, "--profile", "watched", "--output", watched],
        ],
    ]
