#!/usr/bin/python3
"""A GATT server of BlueZ on hci0, over D-Bus: the service F200 with F201 (write) and F202 (read, notify).

Prints "advertising", "subscribed", and "written HEX" for each write. A write to F201 is the next value of F202, and is notified.
"""

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

BLUEZ = "org.bluez"
PROPERTIES = "org.freedesktop.DBus.Properties"
SERVICE, CHARACTERISTIC = "org.bluez.GattService1", "org.bluez.GattCharacteristic1"
ADVERTISEMENT = "org.bluez.LEAdvertisement1"
UUID = "0000{}-0000-1000-8000-00805f9b34fb"


class Node(dbus.service.Object):
    """An object with properties."""

    def __init__(self, bus, path, interface, properties):
        self.path, self.interface, self.properties = path, interface, properties
        super().__init__(bus, path)

    @dbus.service.method(PROPERTIES, in_signature="s", out_signature="a{sv}")
    def GetAll(self, interface):
        return self.properties

    @dbus.service.signal(PROPERTIES, signature="sa{sv}as")
    def PropertiesChanged(self, interface, changed, invalidated):
        pass


class Characteristic(Node):
    def __init__(self, bus, path, uuid, flags, value=b""):
        self.value, self.is_notifying, self.written = value, False, None
        super().__init__(
            bus,
            path,
            CHARACTERISTIC,
            {
                "UUID": UUID.format(uuid),
                "Service": dbus.ObjectPath("/latchkey/service"),
                "Flags": dbus.Array(flags, signature="s"),
            },
        )

    @dbus.service.method(CHARACTERISTIC, in_signature="a{sv}", out_signature="ay")
    def ReadValue(self, options):
        return dbus.Array(self.value[int(options.get("offset", 0)) :], signature="y")

    @dbus.service.method(CHARACTERISTIC, in_signature="aya{sv}")
    def WriteValue(self, value, options):
        self.written(bytes(value))

    @dbus.service.method(CHARACTERISTIC)
    def StartNotify(self):
        self.is_notifying = True
        print("subscribed", flush=True)

    @dbus.service.method(CHARACTERISTIC)
    def StopNotify(self):
        self.is_notifying = False

    def change(self, value):
        self.value = value
        if self.is_notifying:
            self.PropertiesChanged(CHARACTERISTIC, {"Value": dbus.Array(value, signature="y")}, [])


class Application(dbus.service.Object):
    def __init__(self, bus, nodes):
        self.nodes = nodes
        super().__init__(bus, "/latchkey")

    @dbus.service.method("org.freedesktop.DBus.ObjectManager", out_signature="a{oa{sa{sv}}}")
    def GetManagedObjects(self):
        return {dbus.ObjectPath(node.path): {node.interface: node.properties} for node in self.nodes}


class Advertisement(Node):
    @dbus.service.method(ADVERTISEMENT)
    def Release(self):
        pass


def main():
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.SystemBus()
    adapter = bus.get_object(BLUEZ, "/org/bluez/hci0")
    dbus.Interface(adapter, PROPERTIES).Set("org.bluez.Adapter1", "Powered", dbus.Boolean(True))
    service = Node(
        bus, "/latchkey/service", SERVICE, {"UUID": UUID.format("f200"), "Primary": dbus.Boolean(True)}
    )
    command = Characteristic(bus, "/latchkey/service/command", "f201", ["write", "write-without-response"])
    state = Characteristic(bus, "/latchkey/service/state", "f202", ["read", "notify"], b"ready")

    def written(value):
        print("written", value.hex(), flush=True)
        # After the answer to the write.
        GLib.idle_add(state.change, value)

    command.written = written
    application = Application(bus, [service, command, state])
    advertisement = Advertisement(
        bus,
        "/latchkey/advertisement",
        ADVERTISEMENT,
        {
            "Type": "peripheral",
            "LocalName": "BlueZ",
            "ServiceUUIDs": dbus.Array([UUID.format("f200")], signature="s"),
        },
    )
    loop = GLib.MainLoop()

    def fail(error):
        print("failed", error, flush=True)
        loop.quit()

    dbus.Interface(adapter, "org.bluez.GattManager1").RegisterApplication(
        "/latchkey",
        {},
        reply_handler=lambda: dbus.Interface(adapter, "org.bluez.LEAdvertisingManager1").RegisterAdvertisement(
            advertisement.path, {}, reply_handler=lambda: print("advertising", flush=True), error_handler=fail
        ),
        error_handler=fail,
    )
    loop.run()


main()
