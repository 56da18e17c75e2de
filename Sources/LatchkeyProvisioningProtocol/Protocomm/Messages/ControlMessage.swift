import LatchkeyByteCoding

/// A message of the endpoint `prov-ctrl`, by which an app has the device forget an attempt (`network_ctrl.proto`).
package enum ControlMessage: Hashable, Sendable {
  /// Forget the attempt that failed.
  case reset
  case resetResponse(ProtocommStatus)
  /// Forget the network that was joined, and wait for another one.
  case provisionAgain
  case provisionAgainResponse(ProtocommStatus)
  /// One of the messages about Thread, which neither side serves here.
  case thread(kind: Int)

  package init(_ bytes: [UInt8]) throws(ProtobufError) {
    // There is no kind 0, and no field 10 for it.
    let envelope = try ProtocommEnvelope(ByteReader(bytes), contents: 10...18, hasStatus: true)
    switch envelope.kind {
    case 0: throw .kind
    case 1: self = .reset
    case 2: self = .resetResponse(envelope.status)
    case 3: self = .provisionAgain
    case 4: self = .provisionAgainResponse(envelope.status)
    default: self = .thread(kind: envelope.kind)
    }
  }

  package var encoded: [UInt8] {
    switch self {
    case .reset: Self.encode(1)
    case .resetResponse(let status): Self.encode(2, status)
    case .provisionAgain: Self.encode(3)
    case .provisionAgainResponse(let status): Self.encode(4, status)
    case .thread(let kind): Self.encode(kind)
    }
  }

  private static func encode(_ kind: Int, _ status: ProtocommStatus = .success) -> [UInt8] {
    ProtocommEnvelope.encode(kind: kind, status: status, firstContent: 10, [])
  }
}
