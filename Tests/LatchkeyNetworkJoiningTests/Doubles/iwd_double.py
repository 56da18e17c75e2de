#!/usr/bin/python3
"""iwd on a private bus, by python-dbusmock, with an object manager and agents.

usage: iwd_double.py ADDRESS SCENARIO

SCENARIO is JSON; each key may be missing:
  "stations": [NAME, …]   "wlan0" alone
  "networks": [{"ssid": HEX, "type": TEXT, "signal": N, "known": B, "connected": B}, …]
  "hidden": {"ssid": HEX, "type": TEXT}   a network that ConnectHiddenNetwork finds
  "found": {…}            a network that is there after a scan
  "scan": NAME            the error of Scan
  "attempts": [{"ask": B, "for": PATH, "arguments": "types", "stranger": B, "error": NAME, "gone": B, "exit": B, "hang": B}, …]
                          what each Connect does; without "ask", iwd asks for unknown networks with a passphrase
  "passphrase": TEXT      the right one, "secret123"
  "hostile": TEXT         "types": the object manager gives other types; "many": ten thousand networks
"""

import os

import dbus
import dbus.lowlevel
from gi.repository import GLib
from service_double import method, objects, own, refuse, report, run

SERVICE = "net.connman.iwd"
ROOT = "/net/connman/iwd"
STATION = SERVICE + ".Station"
DEVICE = SERVICE + ".Device"
NETWORK = SERVICE + ".Network"
KNOWN = SERVICE + ".KnownNetwork"
AGENT = SERVICE + ".Agent"
MANAGER = "org.freedesktop.DBus.ObjectManager"


class Double:
    def __init__(self, address, scenario):
        self.address, self.scenario = address, scenario
        self.bus = dbus.bus.BusConnection(address)
        self.main = own(self.bus, SERVICE, "/")
        self.agent = None
        # dbusmock does not say who calls.
        self.bus.add_message_filter(self.overhear)
        self.main.AddObject(ROOT, SERVICE + ".AgentManager", {}, [("RegisterAgent", "o", "", "")])
        self.networks, self.known, self.station = {}, [], None
        for number, name in enumerate(scenario.get("stations", ["wlan0"])):
            path = "%s/0/%d" % (ROOT, 3 + number)
            self.main.AddObject(path, DEVICE, {"Name": dbus.String(name), "Powered": dbus.Boolean(True)}, [])
            made = objects[path]
            made.AddProperties(STATION, {"State": dbus.String("disconnected"), "Scanning": dbus.Boolean(False)})
            made.AddMethod(STATION, "Scan", "", "", method(self.scan))
            made.AddMethod(STATION, "Disconnect", "", "", method(self.disconnect))
            made.AddMethod(STATION, "GetOrderedNetworks", "", "a(on)", method(self.ordered))
            made.AddMethod(STATION, "ConnectHiddenNetwork", "s", "", method(self.connect_hidden))
            self.station = self.station or path
        for network in scenario.get("networks", []):
            self.add_network(network)
        self.main.AddMethod(MANAGER, "GetManagedObjects", "", "a{oa{sa{sv}}}", method(self.managed))
        self.made = None

    def overhear(self, _, message):
        if message.is_method_call(SERVICE + ".AgentManager", "RegisterAgent"):
            self.agent = (message.get_sender(), message.get_args_list()[0])
        attempts = self.scenario.get("attempts", [])
        if message.is_method_call(NETWORK, "Connect") and attempts and attempts[0].get("hang"):
            # No answer comes, and everything else goes on.
            attempts.pop(0)
            report("connect %s" % self.networks[message.get_path()]["ssid"])
            return dbus.lowlevel.HANDLER_RESULT_HANDLED
        return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED

    def add_network(self, network):
        path = "%s/%s_%s" % (self.station, network["ssid"], network.get("type", "psk"))
        self.networks[path] = network
        self.main.AddObject(path, NETWORK, {
            "Name": dbus.String(bytes.fromhex(network["ssid"]).decode()), "Type": dbus.String(network.get("type", "psk")),
            "Connected": dbus.Boolean(False), "Device": dbus.ObjectPath(self.station)}, [])
        objects[path].AddMethod(NETWORK, "Connect", "", "", method(self.connect))
        if network.get("known"):
            self.remember(path)
        if network.get("connected"):
            self.enter(path)
        return path

    def remember(self, path):
        known = ROOT + "/" + path.rsplit("/", 1)[1]
        if known not in self.known:
            self.known.append(known)
            self.main.AddObject(known, KNOWN, {"Name": self.property(path, "Name")}, [])
            objects[known].AddMethod(KNOWN, "Forget", "", "", method(self.forget))
        objects[path].props[NETWORK]["KnownNetwork"] = dbus.ObjectPath(known)

    def property(self, path, name):
        return objects[path].props[NETWORK][name]

    def enter(self, path):
        objects[path].props[NETWORK]["Connected"] = dbus.Boolean(True)
        props = objects[self.station].props[STATION]
        props["ConnectedNetwork"], props["State"] = dbus.ObjectPath(path), dbus.String("connected")

    def leave(self):
        props = objects[self.station].props[STATION]
        path = props.pop("ConnectedNetwork", None)
        props["State"] = dbus.String("disconnected")
        if path in self.networks:
            objects[path].props[NETWORK]["Connected"] = dbus.Boolean(False)

    def managed(self, _):
        hostile = self.scenario.get("hostile")
        if hostile == "types":
            wrong = dbus.Dictionary({name: dbus.Int32(7) for name in ("Name", "Type", "Device")}, signature="sv")
            return dbus.Dictionary({dbus.ObjectPath(self.station): dbus.Dictionary({
                STATION: wrong, DEVICE: wrong, NETWORK: wrong}, signature="sa{sv}")}, signature="oa{sa{sv}}")
        if hostile == "many":
            if self.made is None:
                self.made = {"%s/%s_psk" % (self.station, ("N%05d" % number).encode().hex()): "N%05d" % number
                             for number in range(10000)}
        paths = {path: objects[path].props for path in [*self.networks, *self.known] if path in objects}
        if self.station:
            paths[self.station] = objects[self.station].props
        reply = {dbus.ObjectPath(path): dbus.Dictionary(
            {name: dbus.Dictionary(values, signature="sv") for name, values in props.items()}, signature="sa{sv}")
            for path, props in paths.items()}
        for path, name in (self.made or {}).items():
            reply[dbus.ObjectPath(path)] = dbus.Dictionary({NETWORK: dbus.Dictionary({
                "Name": name, "Type": "psk", "Connected": False, "Device": dbus.ObjectPath(self.station)},
                signature="sv")}, signature="sa{sv}")
        return dbus.Dictionary(reply, signature="oa{sa{sv}}")

    def ordered(self, _):
        if self.scenario.get("hostile") == "types":
            return dbus.Array([], signature="(on)")
        order = sorted(self.networks.items(), key=lambda item: -item[1].get("signal", -5000))
        entries = [(dbus.ObjectPath(path), dbus.Int16(network.get("signal", -5000))) for path, network in order]
        entries += [(dbus.ObjectPath(path), dbus.Int16(-9000)) for path in self.made or {}]
        return dbus.Array(entries, signature="(on)")

    def scan(self, station):
        report("scan")
        if "scan" in self.scenario:
            refuse(self.scenario["scan"])
        station.props[STATION]["Scanning"] = dbus.Boolean(True)

        def done():
            if "found" in self.scenario:
                self.add_network(self.scenario.pop("found"))
            station.UpdateProperties(STATION, {"Scanning": dbus.Boolean(False)})
        GLib.timeout_add(5, done)

    def disconnect(self, _):
        report("disconnect")
        self.leave()

    def connect_hidden(self, _, name):
        report("hidden %s" % str(name).encode().hex())
        if "hidden" not in self.scenario:
            refuse(SERVICE + ".NotFound")
        self.attempt(self.add_network(self.scenario.pop("hidden")))

    def connect(self, network):
        report("connect %s" % self.networks[network.path]["ssid"])
        self.attempt(network.path)

    def ask(self, sender, path, *arguments, bus=None):
        try:
            agent = dbus.Interface((bus or self.bus).get_object(sender, path, introspect=False), AGENT)
            answer = str(agent.RequestPassphrase(*arguments, timeout=5))
        except dbus.exceptions.DBusException as error:
            answer = error.get_dbus_name()
        report("asked " + answer)
        return answer

    def attempt(self, path):
        attempts = self.scenario.get("attempts", [])
        step = attempts.pop(0) if attempts else {}
        network = self.networks[path]
        if step.get("exit"):
            os._exit(0)
        if step.get("gone"):
            del self.networks[path]
        sender, agent = self.agent or (None, None)
        if step.get("stranger"):
            other = dbus.bus.BusConnection(self.address)
            self.ask(sender, agent, dbus.ObjectPath(path), bus=other)
            other.close()
        if step.get("arguments") == "types":
            self.ask(sender, agent, dbus.Int32(7))
        if "for" in step:
            self.ask(sender, agent, dbus.ObjectPath(step["for"]))
        needs = network.get("type", "psk") == "psk" and "KnownNetwork" not in objects[path].props[NETWORK]
        if step.get("ask", needs):
            if self.ask(sender, agent, dbus.ObjectPath(path)) != self.scenario.get("passphrase", "secret123"):
                self.leave()
                refuse(SERVICE + ".Failed")
        if "error" in step:
            self.leave()
            refuse(step["error"])
        self.leave()
        self.enter(path)
        self.remember(path)

    def forget(self, known):
        report("forget %s" % known.path.rsplit("/", 1)[1].rsplit("_", 1)[0])
        self.known.remove(known.path)
        for path in list(self.networks):
            props = objects[path].props[NETWORK]
            if props.get("KnownNetwork") == known.path:
                del props["KnownNetwork"]
                if props["Connected"]:
                    self.leave()
        GLib.idle_add(lambda: objects.pop(known.path).remove_from_connection())

    def left(self):
        """The known networks, with `*` for the one that the station is in."""
        connected = objects[self.station].props[STATION].get("ConnectedNetwork", "/") if self.station else "/"
        return " ".join(["%d" % len(self.known)] + [
            known.rsplit("/", 1)[1].rsplit("_", 1)[0]
            + ("*" if connected.rsplit("/", 1)[1] == known.rsplit("/", 1)[1] else "") for known in self.known])


run(Double)
