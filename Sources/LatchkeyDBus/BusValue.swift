package import LatchkeyByteCoding

/// A value of D-Bus's type system, to be sent or as it was received (D-Bus specification, "Type System").
package indirect enum BusValue: Sendable {
  case boolean(Bool)
  case byte(UInt8)
  case int16(Int16)
  case uint16(UInt16)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case uint64(UInt64)
  case double(Double)
  case string(String)
  case path(String)
  case signature(String)
  /// A string that is erased in the message, and in memory of ours: UTF-8 without zeros. Never received.
  case secret(SecretBytes)
  case bytes([UInt8])
  /// Bytes that are erased in the message, and in memory of ours. Never received.
  case secretBytes(SecretBytes)
  /// Values of one type.
  case array(of: String, [BusValue])
  /// Keys that are strings, and values of one type.
  case dictionary(of: String, [String: BusValue])
  /// A dictionary whose keys are no strings: pairs of keys and values.
  case entries(of: String, [(key: BusValue, value: BusValue)])
  case structure([BusValue])
  case variant(BusValue)

  /// The type as the specification writes it.
  package var signature: String {
    switch self {
    case .boolean: "b"
    case .byte: "y"
    case .int16: "n"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .double: "d"
    case .string, .secret: "s"
    case .path: "o"
    case .signature: "g"
    case .bytes, .secretBytes: "ay"
    case .array(let element, _): "a" + element
    case .dictionary(let value, _): "a{s\(value)}"
    case .entries(let entry, _): "a{\(entry)}"
    case .structure(let members): "(" + members.map(\.signature).joined() + ")"
    case .variant: "v"
    }
  }

  /// A dictionary of variants, which most interfaces call options or properties.
  package static func options(_ options: [String: BusValue]) -> BusValue {
    .dictionary(of: "v", options.mapValues { .variant($0) })
  }
}

// MARK: What was received

extension BusValue {
  /// The value within variants.
  package var bare: BusValue {
    if case .variant(let value) = self { value.bare } else { self }
  }

  /// A string, or an object path.
  package var text: String? {
    switch bare {
    case .string(let text), .path(let text): text
    default: nil
    }
  }

  package var flag: Bool? {
    if case .boolean(let flag) = bare { flag } else { nil }
  }

  /// An integer of any width.
  package var number: Int? {
    switch bare {
    case .byte(let number): Int(number)
    case .int16(let number): Int(number)
    case .uint16(let number): Int(number)
    case .int32(let number): Int(number)
    case .uint32(let number): Int(number)
    case .int64(let number): Int(number)
    case .uint64(let number): Int(exactly: number)
    default: nil
    }
  }

  package var octets: [UInt8]? {
    if case .bytes(let bytes) = bare { bytes } else { nil }
  }

  package var items: [BusValue]? {
    switch bare {
    case .array(_, let items), .structure(let items): items
    default: nil
    }
  }

  /// The value of a key; nil if there is none, and for all that is no dictionary.
  package subscript(key: String) -> BusValue? {
    if case .dictionary(_, let values) = bare { values[key] } else { nil }
  }
}

// A value may hold a secret, or the name of a network.
extension BusValue: CustomStringConvertible, CustomReflectable {
  package var description: String { "a value of type \(signature)" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
