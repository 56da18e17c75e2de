import Glibc
import LatchkeyKeychainModel
import LatchkeySystem

/// A D-Bus connection for use by one thread at a time: calls and signals, each wait limited by a deadline or a cancellation.
final class BusConnection {
  /// The reasons for which a call fails.
  enum Fault: Error, Hashable {
    /// The call was canceled.
    case cancelled
    /// The bus is missing, or the connection was lost.
    case noBus(String)
    /// The deadline passed without a reply.
    case late
    /// The reply is an error.
    case refused(name: String, text: String)
    /// The service runs as this user instead of the required one.
    case stranger(UInt32)
    /// The message violates the interface.
    case malformed(String)
  }

  private let library: BusLibrary
  private let bus: BusLibrary.Bus
  /// The signals received while waiting for a reply.
  private var signals: [BusMessage] = []

  /// Connects.
  ///
  /// - Parameter address: the bus in D-Bus's address syntax.
  init(_ library: BusLibrary, address: String) throws(Fault) {
    var bus: BusLibrary.Bus?
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
  func call(
    _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [String] = [],
    wakeUp: WakeUp?, within limit: Duration
  ) throws(Fault) -> BusMessage {
    var message: BusLibrary.Message?
    guard library.newCall(bus, &message, destination, path, interface, member) >= 0, let message else {
      throw .malformed("\(destination) \(path) is no place to call")
    }
    defer { _ = library.release(message) }
    for argument in arguments {
      guard argument.withCString({ library.append(message, CChar(UInt8(ascii: "s")), $0) }) >= 0 else {
        throw .malformed("an argument of \(member) is no text")
      }
    }
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

  /// Receives the next signal, or another message that is not a reply.
  func signal(_ wakeUp: WakeUp) throws(Fault) -> BusMessage {
    if !signals.isEmpty { return signals.removeFirst() }
    while true {
      if let incoming = try next(wakeUp, nil), incoming.replyCookie == nil { return incoming }
    }
  }

  /// Receives the next message; nil when the deadline has passed.
  private func next(_ wakeUp: WakeUp?, _ deadline: ContinuousClock.Instant?) throws(Fault) -> BusMessage? {
    while true {
      // Checked each time: otherwise a service that never stops sending could not be canceled.
      if let wakeUp, Self.isReadable(wakeUp.descriptor) { throw .cancelled }
      if let deadline, ContinuousClock.now >= deadline { return nil }
      var message: BusLibrary.Message?
      let code = library.process(bus, &message)
      guard code >= 0 else { throw .noBus(String(cString: strerror(-code))) }
      if let message { return BusMessage(message, library) }
      if code > 0 { continue }
      try wait(wakeUp, deadline)
    }
  }

  private func wait(_ wakeUp: WakeUp?, _ deadline: ContinuousClock.Instant?) throws(Fault) {
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

  /// The limit of signals before a reply; a service that sends more is given up.
  private static let maximumSignals = 256
}
