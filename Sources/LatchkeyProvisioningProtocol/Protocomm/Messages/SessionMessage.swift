import LatchkeyByteCoding

/// A message of the endpoint `prov-session`, by which both sides agree on keys (`session.proto`, `sec0.proto`, `sec1.proto`,
/// `sec2.proto`).
package enum SessionMessage: Hashable, Sendable {
  case plainCommand
  case plainResponse(ProtocommStatus)
  case x25519Command0(clientKey: [UInt8])
  case x25519Response0(ProtocommStatus, deviceKey: [UInt8], random: [UInt8])
  case x25519Command1(verify: [UInt8])
  case x25519Response1(ProtocommStatus, verify: [UInt8])
  case srpCommand0(username: [UInt8], clientKey: [UInt8])
  case srpResponse0(ProtocommStatus, deviceKey: [UInt8], salt: [UInt8])
  case srpCommand1(proof: [UInt8])
  case srpResponse1(ProtocommStatus, proof: [UInt8], nonce: [UInt8])

  /// The numbers of the fields that hold the three schemes' messages, by `sec_ver`.
  private static let schemes = [10, 11, 12]

  /// - Throws: `kind` too if `sec_ver` and the content contradict each other.
  package init(_ bytes: [UInt8]) throws(ProtobufError) {
    var version: UInt64 = 0
    var content: (number: Int, reader: ByteReader)?
    var reader = ProtobufReader(bytes)
    while let (number, value) = try reader.next(known: [2, 10, 11, 12]) {
      if number == 2 {
        version = try value.integer(2)
      } else {
        guard content == nil else { throw .kind }
        content = (number, try value.message(number))
      }
    }
    guard let content, version < 3, content.number == Self.schemes[Int(version)] else { throw .kind }
    let envelope = try ProtocommEnvelope(content.reader, contents: 20...23, hasStatus: false)
    guard envelope.content != nil else { throw .kind }
    self =
      switch version {
      case 0: try Self.plain(envelope)
      case 1: try Self.x25519(envelope)
      default: try Self.srp(envelope)
      }
  }

  package var encoded: [UInt8] {
    switch self {
    case .plainCommand: Self.encode(0, 0) { _ in }
    case .plainResponse(let status): Self.encode(0, 1) { $0.integer(1, UInt64(status.rawValue)) }
    case .x25519Command0(let clientKey): Self.encode(1, 0) { $0.bytes(1, clientKey) }
    case .x25519Response0(let status, let deviceKey, let random):
      Self.encode(1, 1) { writer in
        writer.integer(1, UInt64(status.rawValue))
        writer.bytes(2, deviceKey)
        writer.bytes(3, random)
      }
    case .x25519Command1(let verify): Self.encode(1, 2) { $0.bytes(2, verify) }
    case .x25519Response1(let status, let verify):
      Self.encode(1, 3) { writer in
        writer.integer(1, UInt64(status.rawValue))
        writer.bytes(3, verify)
      }
    case .srpCommand0(let username, let clientKey):
      Self.encode(2, 0) { writer in
        writer.bytes(1, username)
        writer.bytes(2, clientKey)
      }
    case .srpResponse0(let status, let deviceKey, let salt):
      Self.encode(2, 1) { writer in
        writer.integer(1, UInt64(status.rawValue))
        writer.bytes(2, deviceKey)
        writer.bytes(3, salt)
      }
    case .srpCommand1(let proof): Self.encode(2, 2) { $0.bytes(1, proof) }
    case .srpResponse1(let status, let proof, let nonce):
      Self.encode(2, 3) { writer in
        writer.integer(1, UInt64(status.rawValue))
        writer.bytes(2, proof)
        writer.bytes(3, nonce)
      }
    }
  }

  private static func encode(_ version: Int, _ kind: Int, _ fill: (inout ProtobufWriter) -> Void) -> [UInt8] {
    ProtobufWriter.message { writer in
      writer.integer(2, UInt64(version))
      writer.message(
        schemes[version],
        ProtocommEnvelope.encode(kind: kind, firstContent: 20, ProtobufWriter.message(fill)))
    }
  }

  private static func plain(_ envelope: ProtocommEnvelope) throws(ProtobufError) -> SessionMessage {
    switch envelope.kind {
    case 0: .plainCommand
    case 1: .plainResponse(try envelope.contentStatus())
    default: throw .kind
    }
  }

  private static func x25519(_ envelope: ProtocommEnvelope) throws(ProtobufError) -> SessionMessage {
    let (status, fields) = try fields(envelope)
    return switch envelope.kind {
    case 0: .x25519Command0(clientKey: fields[0])
    case 1: .x25519Response0(status, deviceKey: fields[1], random: fields[2])
    case 2: .x25519Command1(verify: fields[1])
    default: .x25519Response1(status, verify: fields[2])
    }
  }

  private static func srp(_ envelope: ProtocommEnvelope) throws(ProtobufError) -> SessionMessage {
    let (status, fields) = try fields(envelope)
    return switch envelope.kind {
    case 0: .srpCommand0(username: fields[0], clientKey: fields[1])
    case 1: .srpResponse0(status, deviceKey: fields[1], salt: fields[2])
    case 2: .srpCommand1(proof: fields[0])
    default: .srpResponse1(status, proof: fields[1], nonce: fields[2])
    }
  }

  /// Fields 1 to 3: a response's first is its status, all others are bytes.
  private static func fields(
    _ envelope: ProtocommEnvelope
  ) throws(ProtobufError) -> (status: ProtocommStatus, bytes: [[UInt8]]) {
    var status = ProtocommStatus.success
    var bytes: [[UInt8]] = [[], [], []]
    var reader = envelope.fields
    while let (number, value) = try reader.next(known: [1, 2, 3]) {
      if number == 1, envelope.kind & 1 == 1 {
        status = ProtocommStatus(rawValue: try value.uint32(1))
      } else {
        bytes[number - 1] = try value.bytes(number)
      }
    }
    return (status, bytes)
  }
}
