import Glibc
import LatchkeyKeychainModel

/// A connection to a D-Bus, for one thread at a time: calls and signals, none of which can be waited for beyond a deadline
/// or a cancellation.
final class BusConnection {
  /// Why a call came to nothing.
  enum Fault: Error, Hashable {
    /// It was cancelled.
    case cancelled
    /// There is no bus, or it is gone.
    case noBus(String)
    /// No answer in time.
    case late
    /// The answer is an error.
    case refused(name: String, text: String)
    /// The service is this user's, and not whose it must be.
    case stranger(UInt32)
    /// What came is not what the interface promises.
    case malformed(String)
  }

  private let library: BusLibrary
  private let bus: BusLibrary.Bus
  /// Signals that came while an answer was waited for.
  private var signals: [BusMessage] = []

  /// Connects.
  ///
  /// - Parameter address: D-Bus's way to name a bus.
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

  /// Calls a method and waits for its answer.
  ///
  /// - Parameter wakeUp: ends the wait when it is signaled; nil: the deadline alone does.
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

  /// The next signal, or another message that is no answer.
  func signal(_ wakeUp: WakeUp) throws(Fault) -> BusMessage {
    if !signals.isEmpty { return signals.removeFirst() }
    while true {
      if let incoming = try next(wakeUp, nil), incoming.replyCookie == nil { return incoming }
    }
  }

  /// Whatever comes next; nil when the deadline has passed.
  private func next(_ wakeUp: WakeUp?, _ deadline: ContinuousClock.Instant?) throws(Fault) -> BusMessage? {
    while true {
      // Looked at each time: else a service that never stops sending could not be cancelled.
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
    // A minute at most: the library's own deadlines are looked at that often.
    var milliseconds = 60_000.0
    if let deadline { milliseconds = min(milliseconds, (deadline - ContinuousClock.now) / .milliseconds(1)) }
    // The library's time is one of CLOCK_MONOTONIC, or all ones; 0 is now.
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

  /// A service that sends more than this before it answers is not worth waiting for.
  private static let maximumSignals = 256
}
