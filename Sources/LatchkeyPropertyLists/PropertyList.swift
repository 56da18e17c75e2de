/// A property list: the values that Apple's property list formats can hold.
public indirect enum PropertyList: Hashable, Sendable {
  /// A text.
  case string(String)
  /// Bytes.
  case data([UInt8])
  /// A whole number.
  case integer(Int64)
  /// A whole number above `Int64.max`; readers make every smaller one an `integer`.
  case unsigned(UInt64)
  /// A number with a fraction.
  case real(Double)
  /// A truth value.
  case boolean(Bool)
  /// A moment, in seconds since 2001-01-01 00:00:00 UTC.
  case date(Double)
  /// Values in order.
  case array([PropertyList])
  /// Values by name.
  case dictionary([String: PropertyList])
  /// A reference inside a keyed archive to the object of this index.
  case uid(UInt32)
}

extension PropertyList {
  /// Reads a property list of either format, binary (`bplist00`) or XML, whichever `bytes` begin as.
  ///
  /// - Throws: ``PropertyListError``, which says what is wrong and where; `unknownFormat` if it is neither.
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

  /// Reads a binary property list (`bplist00`). Sets become arrays.
  ///
  /// - Throws: ``PropertyListError`` with the object and the byte.
  public init(binary bytes: [UInt8], limits: PropertyListLimits = .standard) throws(PropertyListError) {
    var reader = try BinaryListReader(bytes, limits: limits)
    self = try reader.root()
  }

  /// Reads an XML property list in UTF-8. A dictionary of the one key `CF$UID` becomes a `uid`, as on Apple's systems.
  ///
  /// - Throws: ``PropertyListError`` with line and column.
  public init(xml bytes: [UInt8], limits: PropertyListLimits = .standard) throws(PropertyListError) {
    var reader = try XMLListReader(bytes, limits: limits)
    self = try reader.root()
  }

  /// This value as a binary property list (`bplist00`): equal scalars are stored once, keys in the order of their UTF-8.
  ///
  /// - Throws: ``PropertyListError`` if it exceeds `limits`.
  public func binary(limits: PropertyListLimits = .standard) throws(PropertyListError) -> [UInt8] {
    var writer = BinaryListWriter(limits: limits)
    return try writer.write(self)
  }

  /// This value as an XML property list in UTF-8: keys in the order of their UTF-8, dates in whole seconds.
  ///
  /// - Throws: ``PropertyListError``: `notRepresentable` for control characters, and for dates outside the years 0 to
  ///   9999, which only the binary format holds; or if it exceeds `limits`.
  public func xml(limits: PropertyListLimits = .standard) throws(PropertyListError) -> [UInt8] {
    var writer = XMLListWriter(limits: limits)
    return try writer.write(self)
  }
}
