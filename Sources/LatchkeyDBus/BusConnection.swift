import Glibc
package import LatchkeySystem

/// A connection to a bus for one thread at a time: calls and signals, each wait limited by a deadline or a cancellation; and calls of
/// others to the object that it exports, which are answered during the waits.
package final class BusConnection {
  private let library: SystemBusLibrary
  private let bus: SystemBusLibrary.Bus
  /// The signals received while waiting for a reply.
  private var signals: [BusMessage] = []
  /// The object that another connection may call; nil: each call is refused.
  package var exported: BusObject?
  /// How many calls were refused.
  private var refusals = 0

  /// The address of the system's bus (D-Bus specification, "Well-known Message Bus Instances").
  package static let systemAddress = "unix:path=/run/dbus/system_bus_socket"

  /// Connects.
  ///
  /// - Parameter address: the bus in D-Bus's address syntax.
  package init(address: String) throws(BusFault) {
    let library = try SystemBusLibrary()
    var bus: SystemBusLibrary.Bus?
    var code = library.new(&bus)
    if let bus, code >= 0 { code = library.setAddress(bus, address) }
    if let bus, code >= 0 { code = library.setBusClient(bus, 1) }
    if let bus, code >= 0 { code = library.start(bus) }
    guard code >= 0, let bus else {
      if let bus { _ = library.close(bus) }
      throw .noBus(String(cString: strerror(-code)))
    }
    self.library = library
    self.bus = bus
  }

  deinit { _ = library.close(bus) }

  /// Calls a method and waits for its reply.
  ///
  /// - Parameter wakeUp: ends the wait when signaled; nil: only the deadline does.
  @discardableResult
  package func call(
    _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [],
    wakeUp: WakeUp?, within limit: Duration
  ) throws(BusFault) -> BusMessage {
    var message: SystemBusLibrary.Message?
    guard library.newCall(bus, &message, destination, path, interface, member) >= 0, let message else {
      throw .malformed("\(destination) \(path) is no place to call")
    }
    defer { _ = library.release(message) }
    let writer = BusWriter(library: library, message: message)
    for argument in arguments { try writer.append(argument) }
    var cookie: UInt64 = 0
    let code = library.send(bus, message, &cookie)
    guard code >= 0 else { throw .noBus(String(cString: strerror(-code))) }
    let deadline = ContinuousClock.now + limit
    while let incoming = try next(wakeUp, deadline) {
      guard let answered = incoming.replyCookie else {
        signals.append(incoming)
        guard signals.count <= Self.maximumSignals else { throw .malformed("a flood of signals") }
        continue
      }
      guard answered == cookie else { continue }
      if let refusal = incoming.refusal { throw .refused(name: refusal.name, text: refusal.text) }
      return incoming
    }
    throw .late
  }

  /// Asks the bus for signals (D-Bus specification, "Match Rules").
  package func subscribe(to rule: String, wakeUp: WakeUp?, within limit: Duration) throws(BusFault) {
    try call(
      Self.daemon, "/org/freedesktop/DBus", Self.daemon, "AddMatch", [.string(rule)], wakeUp: wakeUp, within: limit)
  }

  /// Receives the next signal, or another message that is not a reply; nil when the deadline has passed.
  ///
  /// - Parameter deadline: nil: only the `WakeUp` ends the wait.
  package func signal(until deadline: ContinuousClock.Instant?, wakeUp: WakeUp?) throws(BusFault) -> BusMessage? {
    if !signals.isEmpty { return signals.removeFirst() }
    while let incoming = try next(wakeUp, deadline) {
      if incoming.replyCookie == nil { return incoming }
    }
    return nil
  }

  /// Receives the next message; nil when the deadline has passed.
  private func next(_ wakeUp: WakeUp?, _ deadline: ContinuousClock.Instant?) throws(BusFault) -> BusMessage? {
    while true {
      // Checked each time: otherwise a service that never stops sending could not be canceled.
      if let wakeUp, Self.isReadable(wakeUp.descriptor) { throw .cancelled }
      if let deadline, ContinuousClock.now >= deadline { return nil }
      var message: SystemBusLibrary.Message?
      let code = library.process(bus, &message)
      guard code >= 0 else { throw .noBus(String(cString: strerror(-code))) }
      if let message {
        let incoming = BusMessage(message, library)
        guard incoming.isCall else { return incoming }
        answer(incoming)
        continue
      }
      if code > 0 { continue }
      try wait(wakeUp, deadline)
    }
  }

  /// Answers a call of another connection. An answer that cannot be sent is not: its caller waits no longer than the bus lets it.
  private func answer(_ call: BusMessage) {
    var refusal = BusRefusal.unknownObject
    if let exported {
      do throws(BusRefusal) {
        let values = try exported.answer(call)
        if (try? reply(to: call, values)) != nil { return }
        refusal = BusRefusal(name: "org.freedesktop.DBus.Error.Failed", text: "there is no answer")
      } catch {
        refusal = error
      }
    }
    refusals += 1
    // A caller beyond the limit gets nothing: answers that nobody reads would fill the queue.
    guard refusals <= Self.maximumRefusals, let message = call.refusal(refusal) else { return }
    send(message)
  }

  private func reply(to call: BusMessage, _ values: [BusValue]) throws(BusFault) {
    let message = try call.reply()
    let writer = BusWriter(library: library, message: message)
    do throws(BusFault) {
      for value in values { try writer.append(value) }
    } catch {
      _ = library.release(message)
      throw error
    }
    send(message)
  }

  private func send(_ message: SystemBusLibrary.Message) {
    var cookie: UInt64 = 0
    _ = library.send(bus, message, &cookie)
    _ = library.release(message)
  }

  private func wait(_ wakeUp: WakeUp?, _ deadline: ContinuousClock.Instant?) throws(BusFault) {
    let (descriptor, events) = (library.descriptor(bus), library.events(bus))
    guard descriptor >= 0, events >= 0 else { throw .noBus("the connection is closed") }
    var waited = [pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0)]
    if let wakeUp { waited.append(pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0)) }
    // At most one minute, so that the library's own deadlines are checked at that interval.
    var milliseconds = 60_000.0
    if let deadline { milliseconds = min(milliseconds, (deadline - ContinuousClock.now) / .milliseconds(1)) }
    // The library's deadline uses CLOCK_MONOTONIC, or is all ones for none; 0 is now.
    var libraryDeadline: UInt64 = 0
    if library.timeout(bus, &libraryDeadline) >= 0, libraryDeadline != .max {
      var now = timespec()
      clock_gettime(CLOCK_MONOTONIC, &now)
      let microseconds = Double(now.tv_sec) * 1e6 + Double(now.tv_nsec) / 1e3
      milliseconds = min(milliseconds, (Double(libraryDeadline) - microseconds) / 1e3)
    }
    let ready = poll(&waited, nfds_t(waited.count), CInt(max(0, milliseconds).rounded(.up)))
    guard ready >= 0 || errno == EINTR else { throw .noBus(String(cString: strerror(errno))) }
  }

  private static func isReadable(_ descriptor: CInt) -> Bool {
    var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&waited, 1, 0) > 0
  }

  package static let daemon = "org.freedesktop.DBus"
  /// The limit of signals before a reply; a service that sends more is given up.
  private static let maximumSignals = 1024
  /// The limit of calls that get an error.
  private static let maximumRefusals = 256
}
