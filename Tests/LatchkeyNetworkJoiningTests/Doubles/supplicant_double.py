#!/usr/bin/python3
"""wpa_supplicant on a private bus, by python-dbusmock.

usage: supplicant_double.py ADDRESS SCENARIO

SCENARIO is JSON; each key may be missing:
  "interfaces": [NAME, …]   "wlan0" alone
  "accessPoints": [{"ssid": HEX, "signal": N, "frequency": N, "wpa": [NAME, …], "rsn": [NAME, …], "privacy": B, "mode": TEXT}, …]
  "found": {…}            an access point that is there after a scan
  "scan": NAME            the error of Scan
  "networks": [{"ssid": HEX, "enabled": B, "current": B, "mark": TEXT}, …]
  "sae": B                whether it has WPA3; the capabilities do not say it, as those of version 2.10
  "attempts": [[STEP, …], …]   what each SelectNetwork of a network that was added does after its answer
  "add": NAME, "select": NAME  the errors of AddNetwork and SelectNetwork
  "save": TEXT            the text of SaveConfig's error
  "hostile": TEXT         "types": all properties have other types; "many": ten thousand access points; "answer": AddNetwork
                          adds one, and answers with another type
STEP is ["change", {NAME: VALUE, …}], ["foreign", {…}] (the same, of another connection), ["scanDone"], ["mismatch"],
["removed"], ["gone"] (no access point is left), ["types"] (a change of other types), ["flood", N], ["exit"].
"""

import os

import dbus
from gi.repository import GLib
from service_double import forge, method, objects, own, refuse, report, run

SERVICE = "fi.w1.wpa_supplicant1"
ROOT = "/fi/w1/wpa_supplicant1"
INTERFACE = SERVICE + ".Interface"
NETWORK = SERVICE + ".Network"
POINT = SERVICE + ".BSS"
PROPERTIES = "org.freedesktop.DBus.Properties"


def typed(name, value):
    if name in ("CurrentNetwork", "CurrentBSS"):
        return dbus.ObjectPath(value)
    return dbus.Int32(value) if isinstance(value, int) else dbus.String(value)


class Double:
    def __init__(self, address, scenario):
        self.address, self.scenario = address, scenario
        self.hostile = scenario.get("hostile")
        self.main = own(dbus.bus.BusConnection(address), SERVICE, ROOT)
        paths = []
        self.points, self.networks, self.count = [], {}, 0
        for number, name in enumerate(scenario.get("interfaces", ["wlan0"])):
            path = "%s/Interfaces/%d" % (ROOT, number)
            paths.append(dbus.ObjectPath(path))
            self.main.AddObject(path, INTERFACE, {
                "Ifname": dbus.String(name), "State": dbus.String("inactive"), "Scanning": dbus.Boolean(False),
                "CurrentBSS": dbus.ObjectPath("/"), "CurrentNetwork": dbus.ObjectPath("/"),
                "BSSs": dbus.Array([], signature="o"), "Networks": dbus.Array([], signature="o"),
                "DisconnectReason": dbus.Int32(0), "AuthStatusCode": dbus.Int32(0),
                "Capabilities": dbus.Dictionary({"Scan": dbus.Array(["active"], signature="s")}, signature="sv"),
            }, [])
            made = objects[path]
            made.AddMethod(INTERFACE, "Scan", "a{sv}", "", method(self.scan))
            made.AddMethod(INTERFACE, "AddNetwork", "a{sv}", "u" if self.hostile == "answer" else "o", method(self.add))
            made.AddMethod(INTERFACE, "SelectNetwork", "o", "", method(self.select))
            made.AddMethod(INTERFACE, "RemoveNetwork", "o", "", method(self.remove))
            made.AddMethod(INTERFACE, "SaveConfig", "", "", method(self.save))
        self.main.AddProperties(SERVICE, {
            "Interfaces": dbus.Array(paths, signature="o"), "Capabilities": dbus.Array(["ap"], signature="s")})
        self.path = paths[0] if paths else None
        self.wlan = objects[self.path] if paths else None
        for point in scenario.get("accessPoints", []):
            self.add_point(point)
        if self.hostile == "many":
            for number in range(10000):
                self.add_point({"ssid": ("N%d" % number).encode().hex(), "signal": -50})
        for network in scenario.get("networks", []):
            path = self.make_network(network["ssid"], network.get("enabled", True), network.get("mark", ""))
            if network.get("current"):
                self.set_property("CurrentNetwork", dbus.ObjectPath(path))
        if self.hostile == "types":
            self.wlan.props[INTERFACE]["BSSs"] = dbus.String("none")
            self.wlan.props[INTERFACE]["Networks"] = dbus.UInt64(7)
            self.wlan.props[INTERFACE]["CurrentNetwork"] = dbus.Array([], signature="i")

    def set_property(self, name, value):
        self.wlan.props[INTERFACE][name] = value

    def add_point(self, point):
        path = "%s/BSSs/%d" % (self.path, len(self.points))
        self.points.append(dbus.ObjectPath(path))

        def element(names):
            return dbus.Dictionary({"KeyMgmt": dbus.Array(names, signature="s")} if names else {}, signature="sv")

        self.main.AddObject(path, POINT, {
            "SSID": dbus.ByteArray(bytes.fromhex(point["ssid"])), "BSSID": dbus.ByteArray(bytes([2, 0, 0, 0, 0, 1])),
            "Signal": dbus.Int16(point.get("signal", -50)), "Frequency": dbus.UInt16(point.get("frequency", 2412)),
            "Privacy": dbus.Boolean(point.get("privacy", True)), "Mode": dbus.String(point.get("mode", "infrastructure")),
            "WPA": element(point.get("wpa", [])), "RSN": element(point.get("rsn", ["wpa-psk"])),
        }, [])
        self.set_property("BSSs", dbus.Array(self.points, signature="o"))

    def make_network(self, ssid, enabled, mark, quoted=False):
        self.count += 1
        path = "%s/Networks/%d" % (self.path, self.count)
        self.networks[path] = ssid
        text = bytes.fromhex(ssid).decode(errors="ignore")
        quoted = quoted and text.encode().hex() == ssid
        self.main.AddObject(path, NETWORK, {
            "Enabled": dbus.Boolean(enabled),
            "Properties": dbus.Dictionary({
                "ssid": '"%s"' % text if quoted else ssid, "id_str": '"%s"' % mark},
                signature="sv"),
        }, [])
        self.publish()
        return path

    def publish(self):
        self.set_property("Networks", dbus.Array([dbus.ObjectPath(path) for path in self.networks], signature="o"))

    def scan(self, _, options):
        ssids = options.get("SSIDs", [])
        report(" ".join(["scan"] + [bytes(ssid).hex() or "any" for ssid in ssids]))
        if "scan" in self.scenario:
            refuse(self.scenario["scan"])
        if "found" in self.scenario:
            self.add_point(self.scenario.pop("found"))
        GLib.timeout_add(5, lambda: self.wlan.EmitSignal(INTERFACE, "ScanDone", "b", [dbus.Boolean(True)]))

    def add(self, _, settings):
        if "add" in self.scenario:
            refuse(self.scenario["add"])
        if not self.scenario.get("sae", True) and "SAE" in settings["key_mgmt"]:
            refuse(SERVICE + ".InvalidArgs")

        def text(value):
            return bytes(value).hex() if isinstance(value, dbus.Array) else str(value)

        report("add " + " ".join("%s=%s" % (name, text(settings[name])) for name in sorted(settings)))
        # wpa_supplicant shows names that are text in quotation marks.
        path = dbus.ObjectPath(self.make_network(bytes(settings["ssid"]).hex(), False, settings.get("id_str", ""), True))
        return dbus.UInt32(7) if self.hostile == "answer" else path

    def select(self, _, network):
        if "select" in self.scenario:
            refuse(self.scenario["select"])
        report("select %s" % self.networks[network])
        for path in self.networks:
            objects[path].props[NETWORK]["Enabled"] = dbus.Boolean(path == network)
        self.set_property("CurrentNetwork", dbus.ObjectPath(network))
        attempts = self.scenario.get("attempts", [])
        steps = attempts.pop(0) if attempts else []
        GLib.timeout_add(2, lambda: self.play(steps))

    def remove(self, _, network):
        if network not in self.networks:
            refuse(SERVICE + ".NetworkUnknown")
        report("remove %s" % self.networks.pop(network))
        if self.wlan.props[INTERFACE]["CurrentNetwork"] == network:
            self.set_property("CurrentNetwork", dbus.ObjectPath("/"))
        self.publish()

    def save(self, _):
        if "save" in self.scenario:
            refuse(SERVICE + ".UnknownError", self.scenario["save"])
        report("save")

    def play(self, steps):
        if not steps:
            return False
        what, *rest = steps.pop(0)
        if what == "change":
            values = {name: typed(name, value) for name, value in rest[0].items()}
            if values.get("State") == "completed" and self.points:
                self.set_property("CurrentBSS", self.points[0])
            self.wlan.UpdateProperties(INTERFACE, values)
        elif what == "foreign":
            values = dbus.Dictionary({name: typed(name, value) for name, value in rest[0].items()}, signature="sv")
            forge(self.address, self.path, PROPERTIES, "PropertiesChanged", "sa{sv}as", [INTERFACE, values, []])
        elif what == "scanDone":
            self.wlan.EmitSignal(INTERFACE, "ScanDone", "b", [dbus.Boolean(True)])
        elif what == "mismatch":
            self.wlan.EmitSignal(INTERFACE, "PskMismatch", "", [])
        elif what == "removed":
            self.main.EmitSignal(SERVICE, "InterfaceRemoved", "o", [self.path])
        elif what == "gone":
            self.set_property("BSSs", dbus.Array([], signature="o"))
        elif what == "types":
            self.wlan.EmitSignal(PROPERTIES, "PropertiesChanged", "i", [dbus.Int32(1)])
            self.wlan.EmitSignal(PROPERTIES, "PropertiesChanged", "sa{sv}as", [
                dbus.String(INTERFACE), dbus.Dictionary({"State": dbus.Int32(9), "DisconnectReason": "x"}, signature="sv"),
                dbus.Array([], signature="s")])
        elif what == "flood":
            for _ in range(rest[0]):
                self.wlan.EmitSignal(INTERFACE, "BSSAdded", "oa{sv}", [self.path, dbus.Dictionary({}, signature="sv")])
        elif what == "exit":
            os._exit(0)
        return True

    def left(self):
        """The networks: each name, `+` if it is enabled, `*` if it is selected."""
        current = self.wlan.props[INTERFACE]["CurrentNetwork"] if self.wlan else "/"
        return " ".join(["%d" % len(self.networks)] + [
            ssid + ("+" if objects[path].props[NETWORK]["Enabled"] else "-") + ("*" if path == current else "")
            for path, ssid in self.networks.items()])


run(Double)
