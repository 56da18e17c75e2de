package import LatchkeyByteCoding

/// A page of the networks that a device has found: the response of `scan`.
package struct SecureScanPage: Hashable, Sendable {
  /// The most networks that a scan lists.
  package static let greatestTotal = 64
  private static let headerLength = 3

  package var total: Int
  package var start: Int
  package var networks: [ScannedNetwork]

  /// The page that begins at `start`, of at most `limit` bytes.
  package init(of all: [ScannedNetwork], start: Int, limit: Int) {
    let all = all.prefix(Self.greatestTotal)
    total = all.count
    self.start = start
    networks = []
    var length = Self.headerLength
    for network in all.dropFirst(start) {
      length += Self.encoded(network).count
      guard length <= limit || networks.isEmpty else { return }
      networks.append(network)
    }
  }

  /// - Throws: `ByteCodingError` if the bytes are no page.
  package init(_ bytes: [UInt8]) throws(ByteCodingError) {
    var reader = ByteReader(bytes)
    total = Int(try reader.uint8("a scan's total"))
    start = Int(try reader.uint8("a page's start"))
    let count = Int(try reader.uint8("a page's count"))
    guard total <= Self.greatestTotal, start + count <= total, count > 0 || start == total else {
      throw .invalidValue(field: "a page's bounds")
    }
    networks = []
    for _ in 0..<count { networks.append(try Self.network(&reader)) }
    try reader.finish("a scan's page")
  }

  package var bytes: [UInt8] {
    [UInt8(truncatingIfNeeded: total), UInt8(truncatingIfNeeded: start), UInt8(truncatingIfNeeded: networks.count)]
      + networks.flatMap(Self.encoded)
  }

  private static func encoded(_ network: ScannedNetwork) -> [UInt8] {
    var writer = ByteWriter()
    writer.int8(Int8(clamping: min(max(network.rssi, -127), 0)))
    writer.uint8(SecureNetworkFields.security(network.security))
    writer.uint8(SecureNetworkFields.channel(network.channel))
    writer.append(SecureNetworkFields.address(network.bssid))
    SecureNetworkFields.append(network.ssid.prefix(NetworkCredentials.greatestNameLength), to: &writer)
    return writer.bytes
  }

  private static func network(_ reader: inout ByteReader) throws(ByteCodingError) -> ScannedNetwork {
    let rssi = Int(try reader.int8("a network's signal"))
    guard (-127...0).contains(rssi) else { throw .invalidValue(field: "a network's signal") }
    let security = NetworkSecurity(rawValue: Int32(try reader.uint8("a network's security")))
    let channel = Int(try reader.uint8("a network's channel"))
    let bssid = try SecureNetworkFields.address(&reader)
    let ssid = try SecureNetworkFields.counted(&reader, 0...NetworkCredentials.greatestNameLength, "a network's name")
    return ScannedNetwork(
      ssid: ssid, rssi: rssi, security: security, channel: channel == 0 ? nil : channel, bssid: bssid)
  }
}

/// Fields that several bodies have.
enum SecureNetworkFields {
  /// A kind of protection that is not known, where the body has no way to leave it out.
  static let unknownSecurity: UInt8 = 0xFF

  static func security(_ security: NetworkSecurity?) -> UInt8 {
    guard let value = security?.rawValue, (0..<0xFF).contains(value) else { return unknownSecurity }
    return UInt8(value)
  }

  static func channel(_ channel: Int?) -> UInt8 { channel.flatMap(UInt8.init(exactly:)) ?? 0 }

  static func address(_ address: [UInt8]?) -> [UInt8] {
    guard let address, address.count == 6 else { return [UInt8](repeating: 0, count: 6) }
    return address
  }

  static func address(_ reader: inout ByteReader) throws(ByteCodingError) -> [UInt8]? {
    let address = try reader.bytes(6, "an access point's address")
    return address.allSatisfy { $0 == 0 } ? nil : address
  }

  /// Bytes behind their number, which the caller has bounded by 255.
  static func append(_ bytes: some Collection<UInt8>, to writer: inout ByteWriter) {
    writer.uint8(UInt8(truncatingIfNeeded: bytes.count))
    writer.append(bytes)
  }

  /// Text, cut at a character's end to what its field may have.
  static func append(_ text: String, limit: Int, to writer: inout ByteWriter) {
    var text = Substring(text)
    while text.utf8.count > limit { text.removeLast() }
    append(text.utf8, to: &writer)
  }

  static func counted(
    _ reader: inout ByteReader, _ lengths: ClosedRange<Int>, _ field: StaticString
  ) throws(ByteCodingError) -> [UInt8] {
    let length = Int(try reader.uint8(field))
    guard lengths.contains(length) else { throw .invalidValue(field: field) }
    return try reader.bytes(length, field)
  }

  static func text(
    _ reader: inout ByteReader, limit: Int, _ field: StaticString
  ) throws(ByteCodingError) -> String {
    let bytes = try counted(&reader, 0...limit, field)
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .invalidValue(field: field) }
    return text
  }
}
