package import LatchkeyByteCoding

/// An L2CAP PDU as it came (Core 6.0 Vol 3 Part A 3.1).
package struct L2CAPFrame: Sendable {
  package var channel: L2CAPChannelID
  package var payload: ByteReader

  package init(channel: L2CAPChannelID, payload: ByteReader) {
    self.channel = channel
    self.payload = payload
  }
}

/// Puts the L2CAP PDUs of one link together again (Core 6.0 Vol 3 Part A 7.2).
///
/// Nothing is assumed of the controller's packet length: some deliver whole PDUs longer than they announce.
package struct ACLReassembler: Sendable {
  /// What was thrown away, in packets or begun PDUs.
  package struct Drops: Sendable, Equatable {
    /// A fragment of nothing: its start was lost or dropped.
    package var continuationWithoutStart = 0
    /// A PDU whose end did not come before the next one began.
    package var startDuringStart = 0
    /// A PDU longer than its own length tells.
    package var excess = 0
    /// A PDU longer than this host takes.
    package var tooLong = 0
    /// An empty start, a boundary that LE does not have, or a broadcast.
    package var malformed = 0

    package init() {}

    package var total: Int { continuationWithoutStart + startDuringStart + excess + tooLong + malformed }
  }

  /// The longest payload that is taken: more than any ATT_MTU in use, and all that a peer can make a link hold.
  package static let maximumPayload = 4096

  private enum Judgment {
    case whole(L2CAPFrame)
    case unfinished
    case unacceptable
  }

  /// The PDU so far, header and all; nil between PDUs.
  private var begun: ByteWriter?

  package private(set) var drops = Drops()

  package init() {}

  /// Takes a packet of this link, and returns the PDU that it ends. A PDU in one packet is not copied.
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
    switch judge(data) {
    case .whole(let frame): return frame
    case .unacceptable: return nil
    case .unfinished:
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
    switch judge(ByteReader(bytes.bytes)) {
    case .whole(let frame): return frame
    case .unacceptable: return nil
    case .unfinished:
      begun = bytes
      return nil
    }
  }

  /// Compares a PDU's length with what is there of it, header first. A start may be shorter than the header.
  private mutating func judge(_ pdu: ByteReader) -> Judgment {
    var payload = pdu
    guard let length = try? payload.uint16("L2CAP length"), let channel = try? payload.uint16("L2CAP channel") else {
      return .unfinished
    }
    guard length <= Self.maximumPayload else {
      drops.tooLong += 1
      return .unacceptable
    }
    if payload.remaining < length { return .unfinished }
    guard payload.remaining == length else {
      drops.excess += 1
      return .unacceptable
    }
    return .whole(L2CAPFrame(channel: L2CAPChannelID(rawValue: channel), payload: payload))
  }
}
