#!/usr/bin/python3
"""A central of BlueZ on hci0, over D-Bus: finds a device by its name, connects, and performs steps.

    gatt_central.py NAME STEP …

A step is read:UUID, write:UUID:HEX, subscribe:UUID, notified (waits for a value), pair, or disconnect. Prints a line for each; the first
failure ends with 1.
"""

import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

BLUEZ = "org.bluez"
PROPERTIES = "org.freedesktop.DBus.Properties"
DEVICE, CHARACTERISTIC = "org.bluez.Device1", "org.bluez.GattCharacteristic1"
LIMIT = 40


def full(uuid):
    return uuid.lower() if len(uuid) > 4 else f"0000{uuid.lower()}-0000-1000-8000-00805f9b34fb"


class Agent(dbus.service.Object):
    """The user, who says yes."""

    @dbus.service.method("org.bluez.Agent1", in_signature="ou")
    def RequestConfirmation(self, device, digits):
        print("asked", f"{digits:06d}", flush=True)

    @dbus.service.method("org.bluez.Agent1", in_signature="o")
    def RequestAuthorization(self, device):
        pass

    @dbus.service.method("org.bluez.Agent1", in_signature="os")
    def AuthorizeService(self, device, uuid):
        pass

    @dbus.service.method("org.bluez.Agent1")
    def Cancel(self):
        pass

    @dbus.service.method("org.bluez.Agent1")
    def Release(self):
        pass


class Central:
    def __init__(self, name):
        dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
        self.bus = dbus.SystemBus()
        self.name = name
        self.loop = GLib.MainLoop()
        self.agent = Agent(self.bus, "/latchkey/agent")
        agents = dbus.Interface(self.bus.get_object(BLUEZ, "/org/bluez"), "org.bluez.AgentManager1")
        agents.RegisterAgent("/latchkey/agent", "DisplayYesNo")
        agents.RequestDefaultAgent("/latchkey/agent")
        adapter = self.bus.get_object(BLUEZ, "/org/bluez/hci0")
        dbus.Interface(adapter, PROPERTIES).Set("org.bluez.Adapter1", "Powered", dbus.Boolean(True))
        self.adapter = dbus.Interface(adapter, "org.bluez.Adapter1")

    def objects(self):
        return dbus.Interface(self.bus.get_object(BLUEZ, "/"), "org.freedesktop.DBus.ObjectManager").GetManagedObjects()

    def until(self, what, find):
        """Runs the main loop until `find` returns something."""
        found = []

        def look():
            value = find()
            if value is None:
                return True
            found.append(value)
            self.loop.quit()
            return False

        GLib.timeout_add(200, look)
        guard = GLib.timeout_add_seconds(LIMIT, self.loop.quit)
        self.loop.run()
        if not found:
            raise RuntimeError(f"{what} did not come")
        GLib.source_remove(guard)
        return found[0]

    def connect(self):
        self.adapter.SetDiscoveryFilter({"Transport": "le"})
        self.adapter.StartDiscovery()

        def named():
            for path, interfaces in self.objects().items():
                if interfaces.get(DEVICE, {}).get("Name") == self.name:
                    return path
            return None

        path = self.until("the device", named)
        print("found", flush=True)
        self.adapter.StopDiscovery()
        self.device = self.bus.get_object(BLUEZ, path)
        dbus.Interface(self.device, DEVICE).Connect(timeout=LIMIT)
        properties = dbus.Interface(self.device, PROPERTIES)
        self.until("its services", lambda: properties.Get(DEVICE, "ServicesResolved") or None)
        print("connected", flush=True)

    def characteristic(self, uuid):
        for path, interfaces in self.objects().items():
            if path.startswith(self.device.object_path) and interfaces.get(CHARACTERISTIC, {}).get("UUID") == full(uuid):
                return self.bus.get_object(BLUEZ, path)
        raise RuntimeError(f"no characteristic {uuid}")

    def perform(self, step):
        kind, _, rest = step.partition(":")
        uuid, _, value = rest.partition(":")
        if kind == "read":
            value = dbus.Interface(self.characteristic(uuid), CHARACTERISTIC).ReadValue({}, timeout=LIMIT)
            print("value", uuid, bytes(value).hex(), flush=True)
        elif kind == "write":
            data = dbus.Array(bytes.fromhex(value), signature="y")
            dbus.Interface(self.characteristic(uuid), CHARACTERISTIC).WriteValue(
                data, {"type": "request"}, timeout=LIMIT
            )
            print("written", uuid, flush=True)
        elif kind == "subscribe":
            self.notified = []
            target = self.characteristic(uuid)
            target.connect_to_signal(
                "PropertiesChanged",
                lambda _interface, changed, _gone: self.notified.append(bytes(changed["Value"])) if "Value" in changed else None,
                dbus_interface=PROPERTIES,
            )
            dbus.Interface(target, CHARACTERISTIC).StartNotify(timeout=LIMIT)
            print("subscribed", uuid, flush=True)
        elif kind == "notified":
            value = self.until("a notification", lambda: self.notified.pop(0) if self.notified else None)
            print("notified", value.hex(), flush=True)
        elif kind == "pair":
            # The agent answers meanwhile.
            ends = []
            dbus.Interface(self.device, DEVICE).Pair(
                timeout=LIMIT, reply_handler=lambda: ends.append(None), error_handler=ends.append
            )
            error = self.until("the end of the pairing", lambda: (ends[0],) if ends else None)[0]
            if error is not None:
                raise RuntimeError(f"not paired: {error}")
            print("paired", flush=True)
        elif kind == "disconnect":
            dbus.Interface(self.device, DEVICE).Disconnect(timeout=LIMIT)
            print("disconnected", flush=True)
        else:
            raise RuntimeError(f"no step {step}")


try:
    central = Central(sys.argv[1])
    central.connect()
    for step in sys.argv[2:]:
        central.perform(step)
except Exception as error:  # noqa: BLE001
    print("failed", error, flush=True)
    sys.exit(1)
