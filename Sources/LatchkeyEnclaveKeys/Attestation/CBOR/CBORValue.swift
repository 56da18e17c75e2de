/// A CBOR value (RFC 8949 3), limited to attestation statements: no tags, no floating point, no null, and maps whose keys are
/// ASCII texts.
package enum CBORValue: Hashable, Sendable {
  /// Major type 0.
  case unsigned(UInt64)
  /// Major type 1: the number is -1 - the value.
  case negative(UInt64)
  /// Major type 2.
  case bytes([UInt8])
  /// Major type 3.
  case text(String)
  /// Major type 4.
  case array([CBORValue])
  /// Major type 5.
  case map([String: CBORValue])
  /// Major type 7, simple values 20 and 21.
  case boolean(Bool)

  /// Creates an integer of either sign.
  package static func integer(_ value: Int64) -> CBORValue {
    value < 0 ? .negative(UInt64(bitPattern: ~value)) : .unsigned(UInt64(value))
  }

  /// The value as an integer; nil for other types and for numbers out of range.
  package var integer: Int64? {
    switch self {
    case .unsigned(let value): Int64(exactly: value)
    case .negative(let value): Int64(exactly: value).map { ~$0 }
    default: nil
    }
  }
}

/// Limits of a CBOR reader.
package struct CBORLimits: Hashable, Sendable {
  /// The maximum size in bytes.
  package var bytes: Int
  /// The maximum nesting of arrays and maps.
  package var depth: Int
  /// The maximum number of values, keys of maps not counted.
  package var values: Int

  /// Limits above the needs of an attestation object: 64 KiB, 4 levels, 64 values.
  package static let attestation = CBORLimits(bytes: 1 << 16, depth: 4, values: 64)

  /// Creates limits.
  package init(bytes: Int, depth: Int, values: Int) {
    self.bytes = bytes
    self.depth = depth
    self.values = values
  }
}

/// The reason that bytes are not accepted as CBOR.
package enum CBORError: Error, Hashable, Sendable {
  /// The bytes end inside a value.
  case truncated
  /// Bytes follow after the value.
  case trailingBytes
  /// A number or a length is not written in the fewest bytes (RFC 8949 4.2.1).
  case notShortest
  /// A length is indefinite (RFC 8949 3.2), which deterministic encoding forbids.
  case indefiniteLength
  /// A map's keys are out of order, or repeated.
  case unsortedKeys
  /// A map's key is not an ASCII text.
  case unsupportedKey
  /// A tag, a floating-point number, null, or a value that RFC 8949 reserves.
  case unsupportedValue
  /// A text is not UTF-8.
  case notUTF8
  /// More bytes, levels or values than the limits allow.
  case tooLarge
}

extension CBORError: CustomStringConvertible {
  /// The fault as text.
  package var description: String {
    switch self {
    case .truncated: "the CBOR ends inside of a value"
    case .trailingBytes: "bytes follow after the CBOR value"
    case .notShortest: "a CBOR number or length is not in its shortest form"
    case .indefiniteLength: "a CBOR value has an indefinite length"
    case .unsortedKeys: "the keys of a CBOR map are not sorted, or not unique"
    case .unsupportedKey: "a key of a CBOR map is no text in ASCII"
    case .unsupportedValue: "a CBOR value is of a kind that attestation statements do not have"
    case .notUTF8: "a CBOR text is not UTF-8"
    case .tooLarge: "the CBOR is larger or deeper than an attestation statement may be"
    }
  }
}
