#!/usr/bin/python3
"""A double of fprintd's D-Bus interface (net.reactivated.Fprint, fprintd 1.94), for tests on a private bus.

usage: fprintd_double.py ADDRESS SCENARIO

SCENARIO is JSON: {"fingers": [NAME, …], "name": TEXT, "device": BOOL, "claimError": NAME, "starts": [[STEP, …], …]}.
Each VerifyStart removes the first list of "starts" and, after its reply, performs its steps one by one:
  [RESULT, DONE]     the signal VerifyStatus
  {"garbage": N}     a VerifyStatus of other types
  {"forge": RESULT}  a VerifyStatus from another connection, sent to the caller alone
  {"flood": N}       N signals without a meaning
  {"exit": true}     the service ends
Each call is written to standard output, a line each; "ready" comes first. Lines on standard input:
  fingers JSON       sets the enrolled fingers
"""

import json
import sys

import dbus
import dbus.lowlevel
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

DEVICE = "net.reactivated.Fprint.Device"
PATH = "/net/reactivated/Fprint/Device/0"


class Refusal(dbus.DBusException):
    def __init__(self, name, text):
        super().__init__(text)
        self._dbus_error_name = "net.reactivated.Fprint.Error." + name


def report(line):
    print(line, flush=True)


class Manager(dbus.service.Object):
    def __init__(self, bus, scenario):
        super().__init__(bus, "/net/reactivated/Fprint/Manager")
        self.scenario = scenario

    @dbus.service.method("net.reactivated.Fprint.Manager", out_signature="o")
    def GetDefaultDevice(self):
        if not self.scenario.get("device", True):
            raise Refusal("NoSuchDevice", "No devices available")
        return dbus.ObjectPath(PATH)


class Device(dbus.service.Object):
    def __init__(self, bus, scenario, loop, address):
        super().__init__(bus, PATH)
        self.bus, self.scenario, self.loop, self.address = bus, scenario, loop, address
        self.claimer = None
        self.starts = list(scenario.get("starts", []))

    @dbus.service.method(DEVICE, in_signature="s", out_signature="as")
    def ListEnrolledFingers(self, user):
        if not self.scenario["fingers"]:
            raise Refusal("NoEnrolledPrints", "Failed to discover prints")
        return dbus.Array(self.scenario["fingers"], signature="s")

    @dbus.service.method(dbus.PROPERTIES_IFACE, in_signature="ss", out_signature="v")
    def Get(self, interface, name):
        return {"name": self.scenario.get("name", "Double"), "scan-type": "press"}[name]

    @dbus.service.method(dbus.PROPERTIES_IFACE, in_signature="s", out_signature="a{sv}")
    def GetAll(self, interface):
        return {"name": self.scenario.get("name", "Double"), "scan-type": "press"}

    @dbus.service.method(DEVICE, in_signature="s", sender_keyword="sender")
    def Claim(self, user, sender):
        report("Claim")
        if "claimError" in self.scenario:
            raise Refusal(self.scenario["claimError"], "no")
        if self.claimer not in (None, sender):
            raise Refusal("AlreadyInUse", "Device was already claimed")
        self.claimer = sender

    @dbus.service.method(DEVICE)
    def Release(self):
        report("Release")
        self.claimer = None

    @dbus.service.method(DEVICE)
    def VerifyStop(self):
        report("VerifyStop")

    @dbus.service.method(DEVICE, in_signature="s", sender_keyword="sender")
    def VerifyStart(self, finger, sender):
        report("VerifyStart " + finger)
        if not self.scenario["fingers"]:
            raise Refusal("NoEnrolledPrints", "no prints")
        steps = self.starts.pop(0) if self.starts else []
        # The reply is sent when this returns; clients ignore signals before it.
        GLib.idle_add(self.play, steps, sender)

    @dbus.service.signal(DEVICE, signature="sb")
    def VerifyStatus(self, result, done):
        pass

    @dbus.service.signal(DEVICE, signature="s")
    def VerifyFingerSelected(self, finger):
        pass

    def play(self, steps, caller):
        self.VerifyFingerSelected("any")
        for step in steps:
            if isinstance(step, list):
                self.VerifyStatus(step[0], step[1])
            elif "garbage" in step:
                message = dbus.lowlevel.SignalMessage(PATH, DEVICE, "VerifyStatus")
                message.append(dbus.UInt32(step["garbage"]), signature="u")
                self.bus.send_message(message)
            elif "forge" in step:
                forger = dbus.bus.BusConnection(self.address)
                message = dbus.lowlevel.SignalMessage(PATH, DEVICE, "VerifyStatus")
                message.append(step["forge"], True, signature="sb")
                message.set_destination(caller)
                forger.send_message(message)
                forger.flush()
                # A reply to a call means that the bus has delivered the messages before it.
                forger.get_name_owner("org.freedesktop.DBus")
            elif "flood" in step:
                for _ in range(step["flood"]):
                    self.VerifyStatus("verify-nothing", False)
            elif "exit" in step:
                self.bus.flush()
                self.loop.quit()
        report("played")
        return False


def main():
    address, scenario = sys.argv[1], json.loads(sys.argv[2])
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.bus.BusConnection(address)
    loop = GLib.MainLoop()
    name = dbus.service.BusName("net.reactivated.Fprint", bus, do_not_queue=True)
    objects = [Manager(bus, scenario), Device(bus, scenario, loop, address)]

    def command(source, condition):
        line = sys.stdin.readline()
        if not line:
            loop.quit()
            return False
        word, _, rest = line.partition(" ")
        if word == "fingers":
            scenario["fingers"] = json.loads(rest)
            report("fingers")
        return True

    GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, command)
    report("ready")
    loop.run()
    del name, objects


main()
