import LatchkeyBluetoothHost
import LatchkeyByteCoding

/// Lends one controller to one host after the other. When a host has gone, the controller is reset before the next one gets it:
/// no link, no advertising and no scan outlives its host (Core 6.0 Vol 4 Part E 7.3.2).
struct ControllerLease: ~Copyable {
  /// A host that wants the controller. A number is not used again.
  struct HostID: Hashable, Sendable {
    let number: UInt64
  }

  /// What is to be done.
  enum Output: Sendable, Equatable {
    case toController([UInt8])
    case toHost([UInt8], HostID)
    /// The controller is the host's now.
    case lent(HostID)
    /// The host gets no controller, or has lost it; the reason is for its log.
    case ended(HostID, String)
    /// The controller does not answer: it is opened anew.
    case reopen
  }

  /// How long a controller may take to be reset.
  static let resetLimit = Duration.seconds(2)
  /// How many bytes a host may send while the controller is reset for it.
  static let maximumEarly = 4096

  private enum Phase {
    /// There is no controller; why, if that is known.
    case absent(String?)
    /// It waits for a host.
    case free
    case lent(HostID)
    /// It is being reset, until the deadline.
    case resetting(until: Duration)
  }

  /// A host that comes while the controller is reset.
  private struct Next {
    let host: HostID
    var packets: [[UInt8]] = []
  }

  private let allowsVendorCommands: Bool
  private var phase = Phase.absent(nil)
  private var next: Next?
  private var outputs: [Output] = []

  /// A lease of a controller that is not there yet.
  ///
  /// - Parameter allowsVendorCommands: whether hosts may give commands of the manufacturer, some of which write to the
  ///   controller's memory. Without it, they are answered as unknown.
  init(allowsVendorCommands: Bool = false) { self.allowsVendorCommands = allowsVendorCommands }

  // MARK: The controller

  /// The controller is there, as after power-on.
  mutating func controllerOpened() {
    phase = .free
    lendToNext()
  }

  /// The controller is gone.
  mutating func controllerClosed(_ reason: String?) {
    if case .lent(let host) = phase { outputs.append(.ended(host, reason ?? "the controller is gone")) }
    if let next = next.take() { outputs.append(.ended(next.host, reason ?? "the controller is gone")) }
    phase = .absent(reason)
  }

  /// A packet of the controller.
  mutating func controllerSent(_ packet: consuming [UInt8]) {
    switch phase {
    case .lent(let host): outputs.append(.toHost(packet, host))
    case .resetting: if Self.completesReset(packet) { controllerOpened() }
    case .absent, .free: break
    }
  }

  // MARK: Hosts

  /// A host wants the controller.
  mutating func hostCame(_ host: HostID) {
    switch phase {
    case .absent(let reason): outputs.append(.ended(host, reason ?? "the controller is not there yet"))
    case .free: lend(to: host)
    case .resetting where next == nil: next = Next(host: host)
    case .lent, .resetting:
      outputs.append(.ended(host, "another program has the controller: it is free when that one ends"))
    }
  }

  /// A packet of a host.
  mutating func hostSent(_ packet: consuming [UInt8], _ host: HostID) {
    if case .lent(host) = phase { return pass(packet, of: host) }
    guard next?.host == host else { return }
    // Its stream was open before the controller was free.
    next?.packets.append(packet)
    if next?.packets.reduce(0, { $0 + $1.count }) ?? 0 > Self.maximumEarly {
      next = nil
      outputs.append(.ended(host, "it does not wait for the controller"))
    }
  }

  /// A host has gone.
  mutating func hostLeft(_ host: HostID, now: Duration) {
    if next?.host == host { next = nil }
    guard case .lent(host) = phase else { return }
    phase = .resetting(until: now + Self.resetLimit)
    outputs.append(.toController(HCIReset().packet))
  }

  // MARK: Parts

  private mutating func lendToNext() {
    guard let next = next.take() else { return }
    lend(to: next.host)
    for packet in next.packets { pass(packet, of: next.host) }
  }

  private mutating func lend(to host: HostID) {
    phase = .lent(host)
    outputs.append(.lent(host))
  }

  private mutating func pass(_ packet: [UInt8], of host: HostID) {
    guard !allowsVendorCommands, let opcode = Self.vendorOpcode(packet) else {
      return outputs.append(.toController(packet))
    }
    // HCI Command Status: Unknown HCI Command, one command may follow.
    outputs.append(.toHost([0x04, 0x0F, 0x04, HCIStatus.unknownCommand.rawValue, 1] + opcode, host))
  }

  /// The opcode of a command of the manufacturer, OGF 0x3F, as two bytes (Core 6.0 Vol 4 Part E 5.4.1); nil for all else.
  private static func vendorOpcode(_ packet: [UInt8]) -> [UInt8]? {
    guard packet.count >= 4, packet[0] == 0x01, packet[2] >> 2 == 0x3F else { return nil }
    return Array(packet[1...2])
  }

  /// Whether a packet is the Command Complete of Reset, whatever its status: one that failed is followed by the next host's.
  private static func completesReset(_ packet: [UInt8]) -> Bool {
    packet.count >= 6 && packet[0] == 0x04 && packet[1] == 0x0E && packet[4] == 0x03 && packet[5] == 0x0C
  }
}

extension ControllerLease: TimedMachine {
  var nextDeadline: Duration? {
    guard case .resetting(let until) = phase else { return nil }
    return until
  }

  mutating func handleTimeout(now: Duration) {
    guard case .resetting(let until) = phase, until <= now else { return }
    controllerClosed("the controller does not answer")
    outputs.append(.reopen)
  }

  mutating func exchangeOutputs(_ list: inout [Output]) {
    list.removeAll(keepingCapacity: true)
    swap(&outputs, &list)
  }
}
