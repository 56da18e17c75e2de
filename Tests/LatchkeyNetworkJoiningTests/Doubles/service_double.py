"""What the doubles of network services share: a private bus, a log of lines, and the end.

A double is started with the address of its bus and a scenario in JSON. Each call that changes something is a line of output; "ready"
comes first. A line of input asks for a last line, which begins with "profiles" and says what is left.
"""

import json
import os
import sys

import dbus
import dbus.lowlevel
import dbus.mainloop.glib
import dbus.service
import dbusmock.mockobject
from gi.repository import GLib

objects = dbusmock.mockobject.objects


def report(line):
    print(line, flush=True)


def method(bound):
    # dbusmock calls functions, and takes anything else for text.
    return lambda *arguments: bound(*arguments)


def refuse(name, text="no"):
    raise dbus.exceptions.DBusException(text, name=name)


def own(bus, name, path, is_manager=False):
    """The mock object at the root of a service."""
    owned = dbus.service.BusName(name, bus, do_not_queue=True)
    main = dbusmock.mockobject.DBusMockObject(owned, path, name, {}, os.devnull, is_manager)
    objects[path] = main
    return main


def forge(address, path, interface, member, signature, values):
    """Sends a signal from another connection, to each connection by its name: rules of a match let through only the service's."""
    other = dbus.bus.BusConnection(address)
    for name in other.list_names():
        signal = dbus.lowlevel.SignalMessage(path, interface, member)
        signal.append(*values, signature=signature)
        signal.set_destination(name)
        other.send_message(signal)
    other.flush()
    other.close()


def run(make):
    """Runs the double that `make` gives for an address and a scenario; its method `left` says what is left."""
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    loop = GLib.MainLoop()
    double = make(sys.argv[1], json.loads(sys.argv[2]))

    def command(*_):
        if not sys.stdin.readline():
            loop.quit()
            return False
        report("profiles " + double.left())
        return True

    GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, command)
    report("ready")
    loop.run()
