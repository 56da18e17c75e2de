"""Recomputes the worked transcripts of the page, which a fixture has in full, and looks each value of the page up in it."""
import hashlib
import json
import pathlib
import re

from .framing import Info
from .handshake import AppHandshake, DeviceHandshake, channel, generator, isk, prs
from .primitives import Cipher, Randomness, x25519
from .resumption import AppResumption, device_resumption

ROOT = pathlib.Path(__file__).resolve().parents[3]
FILE = ROOT / "Tests/LatchkeyProvisioningProtocolTests/Fixtures/secure_transcript.json"
PAGE = ROOT / "Sources/LatchkeyProvisioning/LatchkeyProvisioning.docc/SecureProtocol.md"
DIGITS = "31415926"


def same(name, computed, values):
    assert computed.hex() == values[name], f"{name} is {computed.hex()}, not {values[name]}"


def handshake(suite, values):
    given = {name: bytes.fromhex(value) for name, value in values.items()}
    fixed = {"sid": given["sid"], "ya": given["ya"], "yb": given["yb"]}
    if suite == 1:
        fixed |= {"d": given["seed"][:32], "z": given["seed"][32:]}
    random, info, password = Randomness(fixed), Info(given["INFO"]), prs(DIGITS)
    ci = channel(info, suite)
    app = AppHandshake(info, suite, password, random)
    finish, keys, _, into = app.finish(given["reply"], given["request"])
    ct = given.get("ct", b"")
    k = x25519(app.ya, given["Yb"])
    computed = {
        "PRS": password, "CI": ci, "g": generator(password, ci, app.sid), "Ya": app.Ya, "K": k,
        "ISK": isk(app.sid, k, app.Ya, app.ek, given["Yb"], ct), "TH": keys.th, "PRK": keys.prk, "a2d": keys.a2d, "d2a": keys.d2a,
        "confirmD": keys.key("confirm d", 32), "confirmA": keys.key("confirm a", 32), "resume": keys.ticket + keys.psk, "Td": keys.td,
        "Ta": keys.ta, "hello": app.hello, "finish": finish,
    }
    for name, value in computed.items():
        same(name, value, values)
    assert into.open(given["record"][3:], given["record"][:3]) == given["response"]
    # ct depends on randomness that a fixture cannot fix for all implementations.
    if suite == 2:
        device = DeviceHandshake(info, password, app.hello, random)
        same("reply", device.reply, values)
        plain, out, _ = device.accept(finish)
        assert plain == given["request"]
        same("record", given["record"][:3] + out.seal(given["response"], given["record"][:3]), values)


def resumption(info, values):
    given = {name: bytes.fromhex(value) for name, value in values.items()}
    random = Randomness({"e app": given["ei"], "e device": given["er"]})
    app = AppResumption(info, given["ticket"], given["psk"], random)
    same("resume", app.resume, values)
    resumed, out, into, *following = device_resumption(info, app.resume, given["psk"], random)
    same("resumed", resumed, values)
    _, _, *app_following = app.accept(resumed)
    assert following == app_following
    same("next", b"".join(following), values)
    same("h", app.state.h, values)
    k1, k2 = app.state.split()
    same("k1", k1, values)
    same("k2", k2, values)
    assert into.open(given["appRecord"][3:], given["appRecord"][:3]) == given["request"]
    same("appRecord", given["appRecord"][:3] + Cipher(k1).seal(given["request"], given["appRecord"][:3]), values)
    same("deviceRecord", given["deviceRecord"][:3] + out.seal(given["response"], given["deviceRecord"][:3]), values)


def page(fixture):
    """How many values of 16 bytes and more the page has; each of them stands in the fixture, whole or as a hash."""
    text = re.search(r"^## A worked transcript$(.*?)(?=^## |\Z)", PAGE.read_text(), re.M | re.S)[1]
    blocks = re.findall(r"^```$(.*?)^```$", text, re.M | re.S)
    # A line that begins with blanks goes on with the value above.
    lines = "\n".join(re.sub(r"\n +", "", block) for block in blocks).splitlines()
    digits = [line.split()[-1] for line in lines if re.search(r"(^|\s)[0-9a-f]{32,}$", line)]
    known = {value for values in fixture.values() for value in values.values()}
    ek = bytes.fromhex(fixture["hybrid"]["hello"])[52:]
    known |= {hashlib.sha256(part).hexdigest() for part in (ek, bytes.fromhex(fixture["hybrid"]["ct"]))}
    unknown = [value for value in digits if value not in known]
    assert len(digits) > 30 and not unknown, f"the page has values that the fixture lacks: {unknown}"


def check():
    fixture = json.loads(FILE.read_text())
    handshake(2, fixture["classical"])
    handshake(1, fixture["hybrid"])
    resumption(Info(bytes.fromhex(fixture["classical"]["INFO"])), fixture["resumption"])
    page(fixture)
