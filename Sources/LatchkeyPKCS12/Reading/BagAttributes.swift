import LatchkeyByteCoding

/// The supported attributes of a bag (RFC 7292 4.2, RFC 2985 5.5).
struct BagAttributes {
  private(set) var friendlyName: String?
  private(set) var localKeyID: [UInt8]?

  /// Creates empty attributes.
  init() {}

  /// Parses the optional SET of attributes. Unknown types are ignored; of a repeated attribute the first counts.
  init(_ bag: inout PKCS12Reader) throws(PKCS12Error) {
    guard !bag.isEmpty else { return }
    var attributes = try bag.item(.set, "the attributes of a bag")
    while !attributes.isEmpty {
      var attribute = try attributes.item(.sequence, "an attribute")
      let type = try attribute.identifier("the type of an attribute")
      var values = try attribute.item(.set, "the values of an attribute")
      try attribute.finish("an attribute")
      guard !values.isEmpty else { continue }
      switch type {
      case .friendlyName where friendlyName == nil: friendlyName = try Self.name(&values)
      case .localKeyID where localKeyID == nil:
        localKeyID = try values.string(.octetString, "a local key identifier").bytes()
      default: break
      }
    }
  }

  /// Parses a BMPString, or a UTF8String, which some writers use against the specification.
  private static func name(_ values: inout PKCS12Reader) throws(PKCS12Error) -> String {
    guard !values.comes(.utf8String) else {
      let bytes = try values.item(.utf8String, "a friendly name").bytes()
      return String(decoding: withoutZeros(bytes), as: UTF8.self)
    }
    let bytes = try values.item(.bmpString, "a friendly name").bytes()
    guard bytes.count % 2 == 0 else { throw .malformed("a friendly name ends within a character") }
    let units = stride(from: 0, to: bytes.count, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
    return String(decoding: withoutZeros(units), as: UTF16.self)
  }

  /// Windows includes the terminating zero in the text.
  private static func withoutZeros<Unit: FixedWidthInteger>(_ units: [Unit]) -> ArraySlice<Unit> {
    units[..<((units.lastIndex { $0 != 0 } ?? -1) + 1)]
  }
}
