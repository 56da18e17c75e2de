import LatchkeyByteCoding

/// The procedure of a link in progress. The frequent reads and writes are stored in place, the others in a box.
struct RunningProcedure: Sendable {
  private enum Kind: Sendable { case read, write, other }

  private var kind = Kind.read
  private var read = ReadProcedure(handle: 0)
  private var write = WriteProcedure(handle: 0, value: [], mtu: ATTLimits.defaultMTU)
  private var other: any GATTClientProcedure = ServiceDiscovery()

  /// Starts a read.
  mutating func begin(_ procedure: ReadProcedure) {
    read = procedure
    kind = .read
  }

  /// Starts a write.
  mutating func begin(_ procedure: WriteProcedure) {
    write = procedure
    kind = .write
  }

  /// Starts any other procedure.
  mutating func begin(_ procedure: any GATTClientProcedure) {
    other = procedure
    kind = .other
  }

  /// Releases the procedure's storage.
  mutating func end() {
    switch kind {
    case .read: read = ReadProcedure(handle: 0)
    case .write: write = WriteProcedure(handle: 0, value: [], mtu: ATTLimits.defaultMTU)
    case .other: other = ServiceDiscovery()
    }
  }

  /// The procedure, if it configures notifications.
  var configuration: NotificationConfiguration? {
    guard kind == .other else { return nil }
    return other as? NotificationConfiguration
  }

  /// The procedure, if it is the one for Service Changed.
  var serviceChanges: ServiceChangedConfiguration? {
    guard kind == .other else { return nil }
    return other as? ServiceChangedConfiguration
  }

  /// The next request and its opcode.
  @inline(__always)
  mutating func next(mtu: Int) -> (frame: [UInt8], opcode: ATTOpcode) {
    switch kind {
    case .read: (read.frame(mtu: mtu), read.request)
    case .write: (write.frame(mtu: mtu), write.request)
    case .other: (other.frame(mtu: mtu), other.request)
    }
  }

  /// Handles the response: nil if another request follows.
  @inline(__always)
  mutating func receive(_ parameters: ByteReader, mtu: Int) throws(ByteCodingError) -> GATTOutcome? {
    switch kind {
    case .read: try read.receive(parameters, mtu: mtu)
    case .write: try write.receive(parameters, mtu: mtu)
    case .other: try other.receive(parameters, mtu: mtu)
    }
  }

  /// Handles a refusal: nil if another request follows.
  mutating func refused(_ error: ATTErrorResponse) -> GATTOutcome? {
    switch kind {
    case .read: read.refused(error)
    case .write: write.refused(error)
    case .other: other.refused(error)
    }
  }
}
