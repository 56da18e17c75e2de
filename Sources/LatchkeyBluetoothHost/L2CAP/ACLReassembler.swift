package import LatchkeyByteCoding

/// A received L2CAP PDU (Core 6.0 Vol 3 Part A 3.1).
package struct L2CAPFrame: Sendable {
  package var channel: L2CAPChannelID
  package var payload: ByteReader

  package init(channel: L2CAPChannelID, payload: ByteReader) {
    self.channel = channel
    self.payload = payload
  }
}

/// Reassembles the L2CAP PDUs of one link (Core 6.0 Vol 3 Part A 7.2).
///
/// The controller's packet length is not assumed: some deliver whole PDUs longer than they announce.
package struct ACLReassembler: Sendable {
  /// Counts of dropped packets or incomplete PDUs.
  package struct Drops: Sendable, Equatable {
    /// A fragment without a PDU in progress: its start was lost or dropped.
    package var continuationWithoutStart = 0
    /// A PDU that was incomplete when the next one began.
    package var startDuringStart = 0
    /// A PDU longer than its length field.
    package var excess = 0
    /// A PDU longer than this host accepts.
    package var tooLong = 0
    /// An empty start, a boundary that LE does not have, or a broadcast.
    package var malformed = 0

    package init() {}

    package var total: Int { continuationWithoutStart + startDuringStart + excess + tooLong + malformed }
  }

  /// The longest payload that is accepted: more than any ATT_MTU in use, and a limit to the memory that a peer can use
  /// up.
  package static let maximumPayload = 4096

  private enum Assembly {
    case whole(L2CAPFrame)
    case incomplete
    case invalid
  }

  /// The incomplete PDU, with its header; nil between PDUs.
  private var begun: ByteWriter?

  package private(set) var drops = Drops()

  package init() {}

  /// Handles a packet of this link, and returns the PDU that it completes. A PDU in one packet is not copied.
  package mutating func receive(_ packet: ACLPacket) -> L2CAPFrame? {
    guard packet.broadcast == 0, packet.boundary != .complete else {
      drops.malformed += 1
      return nil
    }
    return packet.boundary == .continuing ? proceed(packet.payload) : start(packet.payload)
  }

  private mutating func start(_ data: ByteReader) -> L2CAPFrame? {
    if begun != nil {
      begun = nil
      drops.startDuringStart += 1
    }
    guard !data.isEmpty else {
      drops.malformed += 1
      return nil
    }
    switch assemble(data) {
    case .whole(let frame): return frame
    case .invalid: return nil
    case .incomplete:
      var bytes = ByteWriter(capacity: 4 * data.remaining)
      bytes.append(data)
      begun = bytes
      return nil
    }
  }

  private mutating func proceed(_ data: ByteReader) -> L2CAPFrame? {
    guard var bytes = begun.take() else {
      drops.continuationWithoutStart += 1
      return nil
    }
    bytes.append(data)
    switch assemble(ByteReader(bytes.bytes)) {
    case .whole(let frame): return frame
    case .invalid: return nil
    case .incomplete:
      begun = bytes
      return nil
    }
  }

  /// Compares a PDU's length field with its bytes so far, header first. A start may be shorter than the header.
  private mutating func assemble(_ pdu: ByteReader) -> Assembly {
    var payload = pdu
    guard let length = try? payload.uint16("L2CAP length"), let channel = try? payload.uint16("L2CAP channel") else {
      return .incomplete
    }
    guard length <= Self.maximumPayload else {
      drops.tooLong += 1
      return .invalid
    }
    if payload.remaining < length { return .incomplete }
    guard payload.remaining == length else {
      drops.excess += 1
      return .invalid
    }
    return .whole(L2CAPFrame(channel: L2CAPChannelID(rawValue: channel), payload: payload))
  }
}
