#!/usr/bin/python3
"""NetworkManager on a private bus: python-dbusmock's template, and what it lacks.

usage: networkmanager_double.py ADDRESS SCENARIO

SCENARIO is JSON; each key may be missing:
  "state": N              the state of the device wlan0; 0: there is no such device
  "accessPoints": [{"ssid": HEX, "strength": N, "frequency": N, "flags": N, "wpa": N, "rsn": N, "address": TEXT, "seen": N}, …]
  "scan": NAME            the error of RequestScan; "": LastScan changes; "silent": it does not
  "found": {…}            an access point that is there after a scan
  "attempts": [[STEP, …], …]   what each AddAndActivateConnection2 does after its answer
  "add": NAME             the error of AddAndActivateConnection2
  "update": NAME          the error of Update2
  "connectivity": N
STEP is ["device", STATE, REASON], ["active", STATE, REASON], ["stranger", STATE, REASON] (the former, of another
connection), ["flood", N], ["seen", N] (a scan has found the first access point after N seconds), ["exit"].
"""

import os

import dbus
from gi.repository import GLib
from service_double import forge, method, objects, own, refuse, report, run

MANAGER = "org.freedesktop.NetworkManager"
ROOT = "/org/freedesktop/NetworkManager"
DEVICE = MANAGER + ".Device"
WIRELESS = DEVICE + ".Wireless"
POINT = MANAGER + ".AccessPoint"
SETTINGS = MANAGER + ".Settings"
PROFILE = SETTINGS + ".Connection"
ACTIVE = MANAGER + ".Connection.Active"


class Double:
    def __init__(self, address, scenario):
        self.address, self.scenario = address, scenario
        self.bus = dbus.bus.BusConnection(address)
        main = own(self.bus, MANAGER, "/org/freedesktop", is_manager=True)
        main.AddTemplate("networkmanager", {"Connectivity": dbus.UInt32(scenario.get("connectivity", 4))})
        self.main, self.root, self.settings = main, objects[ROOT], objects[ROOT + "/Settings"]
        self.count, self.points = 0, 0
        self.profiles = {}
        self.device = None
        state = scenario.get("state", 30)
        main.AddEthernetDevice("eth0", "eth0", 100)
        if state:
            self.device = main.AddWiFiDevice("wlan0", "wlan0", state)
            wlan = objects[self.device]
            wlan.AddProperty(WIRELESS, "LastScan", dbus.Int64(-1))
            wlan.AddProperty(WIRELESS, "ActiveAccessPoint", dbus.ObjectPath("/"))
            wlan.AddProperty(DEVICE, "Ip4Config", dbus.ObjectPath(ROOT + "/IP4Config/1"))
            wlan.AddMethod(WIRELESS, "RequestScan", "a{sv}", "", method(self.scan))
            self.main.AddObject(ROOT + "/IP4Config/1", MANAGER + ".IP4Config", {
                "AddressData": dbus.Array([dbus.Dictionary(
                    {"address": dbus.String("192.168.7.5"), "prefix": dbus.UInt32(24)}, signature="sv")],
                    signature="a{sv}")}, [])
            for point in scenario.get("accessPoints", []):
                self.add_point(point)
        self.root.AddMethod(MANAGER, "AddAndActivateConnection2", "a{sa{sv}}ooa{sv}", "ooa{sv}", method(self.activate))
        self.root.AddMethod(MANAGER, "DeactivateConnection", "o", "", method(self.deactivate))
        self.settings.AddMethod(SETTINGS, "ListConnections", "", "ao", lambda _: dbus.Array(
            [dbus.ObjectPath(path) for path in self.profiles], signature="o"))
        self.settings.AddMethod(SETTINGS, "GetConnectionByUuid", "s", "o", method(self.by_uuid))

    def add_point(self, point):
        self.points += 1
        path = self.main.AddAccessPoint(
            self.device, "Point%d" % self.points, "", point.get("address", "02:00:00:00:00:01"), 2,
            point.get("frequency", 2412), 54, point.get("strength", 50), 0)
        if self.points == 1:
            self.first = path
        properties = objects[path].props[POINT]
        properties["LastSeen"] = dbus.Int32(point.get("seen", 100))
        properties["Ssid"] = dbus.ByteArray(bytes.fromhex(point["ssid"]))
        properties["Flags"] = dbus.UInt32(point.get("flags", 1))
        properties["WpaFlags"] = dbus.UInt32(point.get("wpa", 0))
        properties["RsnFlags"] = dbus.UInt32(point.get("rsn", 0x100))

    def scan(self, wlan, options):
        report("scan")
        error = self.scenario.get("scan", "")
        if error and error != "silent":
            refuse(error)
        if "found" in self.scenario:
            self.add_point(self.scenario.pop("found"))
        if not error:
            GLib.timeout_add(5, lambda: wlan.UpdateProperties(WIRELESS, {"LastScan": dbus.Int64(1234)}))

    def activate(self, _, settings, device, point, options):
        if "add" in self.scenario:
            refuse(self.scenario["add"])
        self.count += 1
        profile = "%s/Settings/%d" % (ROOT, self.count)
        active = "%s/ActiveConnection/%d" % (ROOT, self.count)
        wireless, security = settings["802-11-wireless"], settings.get("802-11-wireless-security", {})
        report("add %s %s %s %s ap %s%s" % (
            bytes(wireless["ssid"]).hex(), security.get("key-mgmt", "open"),
            security.get("psk", security.get("wep-key0", "-")), options.get("persist"), str(point).rsplit("/", 1)[1] or "none",
            " hidden" if wireless.get("hidden") else ""))
        public = {section: dbus.Dictionary(
            {key: value for key, value in values.items() if key != "psk"}, signature="sv")
            for section, values in settings.items()}
        self.profiles[profile] = public
        self.main.AddObject(profile, PROFILE, {}, [])
        made = objects[profile]
        made.AddMethod(PROFILE, "GetSettings", "", "a{sa{sv}}", lambda _: dbus.Dictionary(public, signature="sa{sv}"))
        made.AddMethod(PROFILE, "Update2", "a{sa{sv}}ua{sv}", "a{sv}", method(self.update))
        made.AddMethod(PROFILE, "Delete", "", "", method(self.delete))
        attempts = self.scenario.get("attempts", [])
        steps = attempts.pop(0) if attempts else []
        GLib.timeout_add(2, lambda: self.play(steps, device, active, point))
        return (dbus.ObjectPath(profile), dbus.ObjectPath(active), dbus.Dictionary({}, signature="sv"))

    def play(self, steps, device, active, point):
        if not steps:
            return False
        what, *numbers = steps.pop(0)
        values = [dbus.UInt32(number) for number in numbers]
        if what == "device":
            new, reason = values
            wlan = objects[device]
            old = wlan.props[DEVICE]["State"]
            wlan.props[DEVICE]["State"] = new
            if new == 100:
                wlan.props[WIRELESS]["ActiveAccessPoint"] = dbus.ObjectPath(point)
            wlan.EmitSignal(DEVICE, "StateChanged", "uuu", [new, dbus.UInt32(old), reason])
        elif what == "active":
            self.main.EmitSignalDetailed(ACTIVE, "StateChanged", "uu", values, {"path": active})
        elif what == "stranger":
            forge(self.address, device, DEVICE, "StateChanged", "uuu", [*values, values[-1]])
        elif what == "flood":
            for number in range(numbers[0]):
                objects[device].EmitSignal(DEVICE, "StateChanged", "uuu", [dbus.UInt32(40), dbus.UInt32(30), dbus.UInt32(0)])
        elif what == "seen":
            objects[self.first].props[POINT]["LastSeen"] = dbus.Int32(numbers[0])
        elif what == "exit":
            os._exit(0)
        return True

    def deactivate(self, _, active):
        report("deactivate " + str(active).rsplit("/", 1)[1])

    def update(self, profile, settings, flags, arguments):
        report("update %s flags %d" % (profile.path.rsplit("/", 1)[1], flags))
        if "update" in self.scenario:
            refuse(self.scenario["update"])
        return dbus.Dictionary({}, signature="sv")

    def delete(self, profile):
        report("delete " + profile.path.rsplit("/", 1)[1])
        del self.profiles[profile.path]
        # The object goes after its answer.
        GLib.idle_add(lambda: objects.pop(profile.path).remove_from_connection())

    def by_uuid(self, _, uuid):
        for path, settings in self.profiles.items():
            if settings["connection"].get("uuid") == uuid:
                return dbus.ObjectPath(path)
        refuse(SETTINGS + ".InvalidConnection")

    def left(self):
        return "%d" % len(self.profiles)


run(Double)
