"""What the checks know of latchkey's command line, in one place: arguments, and the texts that are waited for."""

import json


def device(name: str, apply: str | None = None) -> list[str]:
    return ["device", "--name", name, "--show-secrets", "--json", *(["--apply", apply] if apply else [])]


def provision(name: str, ssid: str, password_file: str) -> list[str]:
    """The password comes from a file: on the command line it would be warned about."""
    return ["provision", "--name", name, "--ssid", ssid, "--password", f"@{password_file}"]


# How `provision` ends if the device could not join the network: sysexits' EX_TEMPFAIL.
COULD_NOT_JOIN = 75


def scan() -> list[str]:
    return ["ble", "scan"]


def explore() -> list[str]:
    return ["ble", "explore"]


# What is typed into `ble explore`, and what it says when that is done.
CONNECT = "connect {name}"
READ = "read {uuid}"
WRITE, WRITTEN = "write {uuid} hex:{hexadecimal}", "^written {uuid}"
COMMAND, SENT = "command {uuid} hex:{hexadecimal}", "^sent {uuid}"
SUBSCRIBE = "subscribe {uuid}"
UNSUBSCRIBE, UNSUBSCRIBED = "unsubscribe {uuid}", "^unsubscribed {uuid}"
QUIT = "quit"

# How `ble explore` ends if a line could not be done: sysexits' EX_UNAVAILABLE.
EXPLORE_FAILED = 69




def is_payload(text: str, ssid: str, password: str) -> bool:
    try:
        return json.loads(text) == {"ssid": ssid, "password": password}
    except ValueError:
        return False
