package import LatchkeyByteCoding

/// A message of the endpoint `prov-config`: what network to join, and how that goes on (`network_config.proto`).
package enum ConfigMessage: Hashable, Sendable {
  case getStatus
  case status(NetworkReport)
  case set(NetworkSettings)
  case setResponse(ProtocommStatus)
  case apply
  case applyResponse(ProtocommStatus)
  /// One of the messages about a Thread network, which neither side serves here.
  case thread(kind: Int)

  /// An empty text is a request for the status: all its fields have their defaults.
  package init(_ bytes: [UInt8]) throws(ProtobufError) {
    let envelope = try ProtocommEnvelope(ByteReader(bytes), contents: 10...21, hasStatus: false)
    switch envelope.kind {
    case 0: self = .getStatus
    case 1: self = .status(try NetworkReport(envelope.fields))
    case 2: self = .set(try NetworkSettings(envelope.fields))
    case 3: self = .setResponse(try envelope.contentStatus())
    case 4: self = .apply
    case 5: self = .applyResponse(try envelope.contentStatus())
    default: self = .thread(kind: envelope.kind)
    }
  }

  /// A message about a Thread network has no content.
  package var encoded: [UInt8] {
    switch self {
    case .getStatus: Self.encode(0, [])
    case .status(let report): Self.encode(1, report.encoded)
    case .set(let settings): Self.encode(2, settings)
    case .setResponse(let status): Self.encode(3, Self.content(status))
    case .apply: Self.encode(4, [])
    case .applyResponse(let status): Self.encode(5, Self.content(status))
    case .thread(let kind): Self.encode(kind, [])
    }
  }

  private static func encode(_ kind: Int, _ settings: NetworkSettings) -> [UInt8] {
    var content = settings.encoded
    defer { content.wipe() }
    return encode(kind, content)
  }

  private static func encode(_ kind: Int, _ content: [UInt8]) -> [UInt8] {
    ProtocommEnvelope.encode(kind: kind, firstContent: 10, content)
  }

  private static func content(_ status: ProtocommStatus) -> [UInt8] {
    ProtobufWriter.message { $0.integer(1, UInt64(status.rawValue)) }
  }
}

/// The network that an app names. The lengths are the device's to judge: it answers with a status.
package struct NetworkSettings: Sendable {
  package var ssid: [UInt8]
  package var passphrase: SecretBytes
  package var bssid: [UInt8]
  package var channel: Int32

  package init(ssid: [UInt8], passphrase: SecretBytes, bssid: [UInt8] = [], channel: Int32 = 0) {
    self.ssid = ssid
    self.passphrase = passphrase
    self.bssid = bssid
    self.channel = channel
  }

  init(_ fields: ProtobufReader) throws(ProtobufError) {
    self.init(ssid: [], passphrase: SecretBytes(count: 0))
    var fields = fields
    while let (number, value) = try fields.next(known: [1, 2, 3, 4]) {
      switch number {
      case 1: ssid = try value.bytes(1)
      case 2:
        var bytes = try value.bytes(2)
        passphrase = SecretBytes(consuming: &bytes)
      case 3: bssid = try value.bytes(3)
      default: channel = try value.int32(4)
      }
    }
  }

  var encoded: [UInt8] {
    ProtobufWriter.message { writer in
      writer.bytes(1, ssid)
      writer.secret(2, passphrase)
      writer.bytes(3, bssid)
      writer.int32(4, channel)
    }
  }
}

extension NetworkSettings: Hashable {
  package static func == (a: NetworkSettings, b: NetworkSettings) -> Bool {
    a.ssid == b.ssid && constantTimeEquals(a.passphrase.array(), b.passphrase.array()) && a.bssid == b.bssid
      && a.channel == b.channel
  }

  /// Of what is no secret.
  package func hash(into hasher: inout Hasher) { hasher.combine(ssid) }
}

extension NetworkSettings: CustomStringConvertible, CustomReflectable {
  package var description: String { "the settings of a network" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// How the attempt to join goes on.
package struct NetworkReport: Hashable, Sendable {
  /// The state of the station; devices may say what is newer than this list.
  package struct State: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let connected = State(rawValue: 0)
    package static let connecting = State(rawValue: 1)
    package static let disconnected = State(rawValue: 2)
    package static let failed = State(rawValue: 3)
  }

  /// The oneof of the response.
  package enum Detail: Hashable, Sendable {
    case none
    /// Why the attempt failed: 0 the passphrase, 1 no such network.
    case failure(UInt32)
    case connected(Connection)
    /// An attempt failed, and so many remain.
    case attemptFailed(remaining: UInt32)
  }

  /// The network that was joined.
  package struct Connection: Hashable, Sendable {
    package var address: [UInt8] = []
    package var security: Int32 = 0
    package var ssid: [UInt8] = []
    package var bssid: [UInt8] = []
    package var channel: Int32 = 0

    package init() {}
  }

  package var status = ProtocommStatus.success
  package var state: State
  package var detail: Detail

  package init(_ state: State, _ detail: Detail = .none) {
    self.state = state
    self.detail = detail
  }

  init(_ fields: ProtobufReader) throws(ProtobufError) {
    self.init(.connected)
    var fields = fields
    while let (number, value) = try fields.next(known: [1, 2, 10, 11, 12]) {
      switch number {
      case 1: status = ProtocommStatus(rawValue: try value.uint32(1))
      case 2: state = State(rawValue: try value.uint32(2))
      default:
        guard detail == .none else { throw .kind }
        switch number {
        case 10: detail = .failure(try value.uint32(10))
        case 11: detail = .connected(try Connection(value.message(11)))
        default: detail = .attemptFailed(remaining: try Self.remaining(value.message(12)))
        }
      }
    }
  }

  private static func remaining(_ reader: ByteReader) throws(ProtobufError) -> UInt32 {
    var fields = ProtobufReader(reader)
    return try fields.next(known: [1])?.value.uint32(1) ?? 0
  }

  var encoded: [UInt8] {
    ProtobufWriter.message { writer in
      writer.integer(1, UInt64(status.rawValue))
      writer.integer(2, UInt64(state.rawValue))
      switch detail {
      case .none: break
      case .failure(let reason): writer.integer(10, UInt64(reason), evenZero: true)
      case .connected(let connection): writer.message(11, connection.encoded)
      case .attemptFailed(let remaining):
        writer.message(12, ProtobufWriter.message { $0.integer(1, UInt64(remaining)) })
      }
    }
  }
}

extension NetworkReport.Connection {
  init(_ reader: ByteReader) throws(ProtobufError) {
    self.init()
    var fields = ProtobufReader(reader)
    while let (number, value) = try fields.next(known: [1, 2, 3, 4, 5]) {
      switch number {
      case 1: address = try value.bytes(1, limit: 64)
      case 2: security = try value.int32(2)
      case 3: ssid = try value.bytes(3, limit: 32)
      case 4: bssid = try value.bytes(4, limit: 32)
      default: channel = try value.int32(5)
      }
    }
  }

  var encoded: [UInt8] {
    ProtobufWriter.message { writer in
      writer.bytes(1, address)
      writer.int32(2, security)
      writer.bytes(3, ssid)
      writer.bytes(4, bssid)
      writer.int32(5, channel)
    }
  }
}
