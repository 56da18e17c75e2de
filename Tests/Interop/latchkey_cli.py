"""What the checks know of latchkey's command line, in one place: arguments, and the texts that are waited for."""

import json


def device(name: str) -> list[str]:
    return ["device", "--name", name, "--show-secrets"]


def provision(name: str, ssid: str, password_file: str) -> list[str]:
    """The password comes from a file: on the command line it would be warned about."""
    return ["provision", "--name", name, "--ssid", ssid, "--password", f"@{password_file}"]


def scan() -> list[str]:
    return ["ble", "scan"]


def explore() -> list[str]:
    return ["ble", "explore"]


# What is typed into `ble explore`, and the text that must appear, after it was typed, before the next line is.
CONNECT = "connect {name}"
READ = "read {uuid}"
WRITE = "write {uuid} {hexadecimal}"
COMMAND = "command {uuid} {hexadecimal}"
SUBSCRIBE = "subscribe {uuid}"
UNSUBSCRIBE = "unsubscribe {uuid}"
QUIT = "quit"




def is_payload(text: str, ssid: str, password: str) -> bool:
    try:
        return json.loads(text) == {"ssid": ssid, "password": password}
    except ValueError:
        return False
