package import LatchkeyByteCoding

/// The reason that an attestation statement, or a structure in it, is malformed.
package enum AttestationFormatError: Error, Equatable, Sendable {
  /// It is not CBOR, or not in the accepted encoding.
  case cbor(CBORError)
  /// A field is missing, of another type, out of bounds, or unknown.
  case field(String)
  /// A TPM structure does not match its specification: which, and where.
  case structure(String, ByteCodingError)
}

extension AttestationFormatError: CustomStringConvertible {
  /// The fault as text.
  package var description: String {
    switch self {
    case .cbor(let error): error.description
    case .field(let name): "the field \(name) is missing, unknown, or not what it must be"
    case .structure(let name, let error): "\(name): \(error.description)"
    }
  }
}

/// The fields of a map, each read once; a field left unread is an error.
struct AttestationFields {
  private var left: [String: CBORValue]

  init(_ entries: [String: CBORValue]) { left = entries }

  mutating func text(_ name: String, limit: Int) throws(AttestationFormatError) -> String {
    guard case .text(let text)? = left.removeValue(forKey: name), text.utf8.count <= limit else { throw .field(name) }
    return text
  }

  mutating func bytes(_ name: String, _ counts: ClosedRange<Int>) throws(AttestationFormatError) -> [UInt8] {
    guard case .bytes(let bytes)? = left.removeValue(forKey: name), counts.contains(bytes.count) else {
      throw .field(name)
    }
    return bytes
  }

  mutating func map(_ name: String) throws(AttestationFormatError) -> [String: CBORValue] {
    guard case .map(let entries)? = left.removeValue(forKey: name) else { throw .field(name) }
    return entries
  }

  mutating func array(_ name: String, limit: Int) throws(AttestationFormatError) -> [CBORValue] {
    guard case .array(let values)? = left.removeValue(forKey: name), values.count <= limit else { throw .field(name) }
    return values
  }

  mutating func integer(_ name: String) throws(AttestationFormatError) -> Int64 {
    guard let value = left.removeValue(forKey: name)?.integer else { throw .field(name) }
    return value
  }

  mutating func leaveOut(_ name: String) { left.removeValue(forKey: name) }

  func finish() throws(AttestationFormatError) {
    if let name = left.keys.min() { throw .field(name) }
  }
}
