package import LatchkeyByteCoding

/// A reader over the DER of a key or a signature.
typealias KeyReader = BERReader<KeyError>

extension BERReader where Failure == KeyError {
  /// Creates a reader over `bytes`, which it does not wipe.
  init(_ bytes: [UInt8]) { self.init(bytes, rules: .der, depth: 8) }

  /// Reads the bytes of the next value, which must have this tag.
  mutating func bytes(_ tag: ASN1Tag, _ field: StaticString) throws(KeyError) -> [UInt8] {
    try item(tag, field).bytes()
  }
}

extension KeyError: BERFailure {
  /// Maps `error` for a key: an algorithm without an identifier is unsupported, any other error malformed.
  package init(_ error: BERError) {
    switch error.kind {
    case .emptyInteger: self = .malformed("an INTEGER without a byte")
    case .negativeInteger: self = .malformed("an INTEGER below zero")
    case .nonMinimalInteger: self = .malformed("an INTEGER longer than it need be")
    case .partialByte: self = .malformed("a BIT STRING that ends within a byte")
    case .emptyObjectIdentifier: self = KeyAlgorithmIdentifier.unknownAlgorithm
    case .trailingBytes(let count): self = .malformed("\(count) bytes after the end of DER")
    default:
      let value = error.expected.map { " of a \($0)" } ?? ""
      self = .malformed("no DER\(value): \(Self.cause(of: error))")
    }
  }

  /// The faulty part of a value's header.
  private static func cause(of error: BERError) -> ByteCodingError {
    switch error.kind {
    case .missing: .truncated(field: "tag", needed: 1, available: 0)
    case .truncated: .truncated(field: "length", needed: 1, available: 0)
    case .wrongTag, .unknownTag: .invalidValue(field: "tag")
    default:
      if let size = error.size {
        .truncated(field: "content", needed: size.needed, available: size.available)
      } else {
        .invalidValue(field: "length")
      }
    }
  }
}
