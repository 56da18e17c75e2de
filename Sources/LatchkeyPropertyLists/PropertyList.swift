/// A property list value of Apple's formats.
public indirect enum PropertyList: Hashable, Sendable {
  /// A text.
  case string(String)
  /// Bytes.
  case data([UInt8])
  /// An integer.
  case integer(Int64)
  /// An integer above `Int64.max`; readers return every smaller one as `integer`.
  case unsigned(UInt64)
  /// A number with a fraction.
  case real(Double)
  /// A Boolean.
  case boolean(Bool)
  /// A date, in seconds since 2001-01-01 00:00:00 UTC.
  case date(Double)
  /// Values in order.
  case array([PropertyList])
  /// Values by name.
  case dictionary([String: PropertyList])
  /// A reference inside a keyed archive to the object of this index.
  case uid(UInt32)
}

extension PropertyList {
  /// Parses a property list of either format, binary (`bplist00`) or XML, detected by the first bytes.
  ///
  /// - Throws: ``PropertyListError`` with the problem and its place; `unknownFormat` if it is neither format.
  public init(
    parsing bytes: [UInt8], limits: PropertyListLimits = .standard
  ) throws(PropertyListError) {
    if bytes.starts(with: BinaryList.family) {
      try self.init(binary: bytes, limits: limits)
    } else if XMLScanner.looksLikeMarkup(bytes) {
      try self.init(xml: bytes, limits: limits)
    } else {
      throw PropertyListError(.unknownFormat, at: .byte(0))
    }
  }

  /// Parses a binary property list (`bplist00`). Sets become arrays.
  ///
  /// - Throws: ``PropertyListError`` with the object and the byte.
  public init(binary bytes: [UInt8], limits: PropertyListLimits = .standard) throws(PropertyListError) {
    var reader = try BinaryListReader(bytes, limits: limits)
    self = try reader.root()
  }

  /// Parses an XML property list in UTF-8. A dictionary with the single key `CF$UID` becomes a `uid`, as on Apple's systems.
  ///
  /// - Throws: ``PropertyListError`` with line and column.
  public init(xml bytes: [UInt8], limits: PropertyListLimits = .standard) throws(PropertyListError) {
    var reader = try XMLListReader(bytes, limits: limits)
    self = try reader.root()
  }

  /// Encodes the value as a binary property list (`bplist00`): equal scalars once, keys in the order of their UTF-8.
  ///
  /// - Throws: ``PropertyListError`` if it exceeds `limits`.
  public func binary(limits: PropertyListLimits = .standard) throws(PropertyListError) -> [UInt8] {
    var writer = BinaryListWriter(limits: limits)
    return try writer.write(self)
  }

  /// Encodes the value as an XML property list in UTF-8: keys in the order of their UTF-8, dates in whole seconds.
  ///
  /// - Throws: ``PropertyListError``: `notRepresentable` for control characters, and for dates outside the years 0 to 9999,
  ///   which only the binary format can hold; or if it exceeds `limits`.
  public func xml(limits: PropertyListLimits = .standard) throws(PropertyListError) -> [UInt8] {
    var writer = XMLListWriter(limits: limits)
    return try writer.write(self)
  }
}
