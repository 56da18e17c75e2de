/// A property list: the values that Apple's property list formats can hold.
public indirect enum PropertyList: Hashable, Sendable {
  /// A text.
  case string(String)
  /// Bytes.
  case data([UInt8])
  /// A whole number.
  case integer(Int64)
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
  /// A reference inside a keyed archive to the object of this index (binary format only).
  case uid(UInt32)
}
