import LatchkeyByteCoding

/// A message of the endpoint `prov-scan`: the networks in the device's reach, in pages (`network_scan.proto`).
package enum ScanMessage: Hashable, Sendable {
  case start(ScanSettings)
  case startResponse(ProtocommStatus)
  case getStatus
  case status(ProtocommStatus, isFinished: Bool, count: UInt32)
  case getResult(start: UInt32, count: UInt32)
  case result(ProtocommStatus, [ScannedNetwork])
  /// One of the messages about Thread networks, which neither side serves here.
  case thread(kind: Int)

  package init(_ bytes: [UInt8]) throws(ProtobufError) {
    let envelope = try ProtocommEnvelope(ByteReader(bytes), contents: 10...21, hasStatus: true)
    switch envelope.kind {
    case 0: self = .start(try ScanSettings(envelope.fields))
    case 1: self = .startResponse(envelope.status)
    case 2: self = .getStatus
    case 3:
      let pair = try Self.pair(envelope.fields)
      self = .status(envelope.status, isFinished: pair.first != 0, count: pair.second)
    case 4:
      let pair = try Self.pair(envelope.fields)
      self = .getResult(start: pair.first, count: pair.second)
    case 5: self = .result(envelope.status, try Self.networks(envelope.fields))
    default: self = .thread(kind: envelope.kind)
    }
  }

  package var encoded: [UInt8] {
    switch self {
    case .start(let settings): Self.encode(0, settings.encoded)
    case .startResponse(let status): Self.encode(1, [], status)
    case .getStatus: Self.encode(2, [])
    case .status(let status, let isFinished, let count): Self.encode(3, Self.pair(isFinished ? 1 : 0, count), status)
    case .getResult(let start, let count): Self.encode(4, Self.pair(start, count))
    case .result(let status, let networks):
      Self.encode(
        5, ProtobufWriter.message { writer in for network in networks { writer.message(1, network.encoded) } }, status)
    case .thread(let kind): Self.encode(kind, [])
    }
  }

  private static func encode(_ kind: Int, _ content: [UInt8], _ status: ProtocommStatus = .success) -> [UInt8] {
    ProtocommEnvelope.encode(kind: kind, status: status, firstContent: 10, content)
  }

  private static func pair(_ first: UInt32, _ second: UInt32) -> [UInt8] {
    ProtobufWriter.message { writer in
      writer.integer(1, UInt64(first))
      writer.integer(2, UInt64(second))
    }
  }

  private static func pair(_ fields: ProtobufReader) throws(ProtobufError) -> (first: UInt32, second: UInt32) {
    var (first, second) = (UInt32(0), UInt32(0))
    var fields = fields
    while let (number, value) = try fields.next(known: [1, 2]) {
      if number == 1 { first = try value.uint32(1) } else { second = try value.uint32(2) }
    }
    return (first, second)
  }

  private static func networks(_ fields: ProtobufReader) throws(ProtobufError) -> [ScannedNetwork] {
    var networks: [ScannedNetwork] = []
    var fields = fields
    while let (_, value) = try fields.next(known: [], repeated: [1]) {
      networks.append(try ScannedNetwork(value.message(1)))
    }
    return networks
  }
}

/// How to scan.
package struct ScanSettings: Hashable, Sendable {
  /// Whether the request is answered when the scan is over.
  package var isBlocking = true
  package var isPassive = false
  /// Channels to scan before the radio returns to its own one; 0: all.
  package var groupChannels: UInt32 = 0
  /// Time for a channel, in milliseconds.
  package var period: UInt32 = 120

  package init() {}

  init(_ fields: ProtobufReader) throws(ProtobufError) {
    (isBlocking, period) = (false, 0)
    var fields = fields
    while let (number, value) = try fields.next(known: [1, 2, 3, 4]) {
      switch number {
      case 1: isBlocking = try value.integer(1) != 0
      case 2: isPassive = try value.integer(2) != 0
      case 3: groupChannels = try value.uint32(3)
      default: period = try value.uint32(4)
      }
    }
  }

  var encoded: [UInt8] {
    ProtobufWriter.message { writer in
      writer.integer(1, isBlocking ? 1 : 0)
      writer.integer(2, isPassive ? 1 : 0)
      writer.integer(3, UInt64(groupChannels))
      writer.integer(4, UInt64(period))
    }
  }
}

extension ScannedNetwork {
  /// An entry of a result. A name or an address of another length than it can have is refused.
  init(_ reader: ByteReader) throws(ProtobufError) {
    self.init(ssid: [], rssi: 0, security: .open)
    var fields = ProtobufReader(reader)
    while let (number, value) = try fields.next(known: [1, 2, 3, 4, 5]) {
      switch number {
      case 1: ssid = try value.bytes(1, limit: NetworkCredentials.greatestNameLength)
      case 2: channel = Int(try value.uint32(2))
      case 3: rssi = Int(try value.int32(3))
      case 4:
        let bytes = try value.bytes(4, limit: 6)
        guard bytes.count == 6 || bytes.isEmpty else { throw .length(4) }
        bssid = bytes.isEmpty ? nil : bytes
      default: security = NetworkSecurity(rawValue: try value.int32(5))
      }
    }
  }

  /// The entry of a result.
  var encoded: [UInt8] {
    ProtobufWriter.message { writer in
      writer.bytes(1, Array(ssid.prefix(NetworkCredentials.greatestNameLength)))
      writer.integer(2, UInt64(UInt32(clamping: channel ?? 0)))
      writer.int32(3, Int32(clamping: rssi))
      writer.bytes(4, Array((bssid ?? []).prefix(6)))
      writer.int32(5, security.rawValue)
    }
  }
}
