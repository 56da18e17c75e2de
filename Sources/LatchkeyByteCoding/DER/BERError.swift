/// What a ``BERReader`` found wrong, and the field that it was reading. It never holds the bytes: those may be secret.
package struct BERError: Error, CustomStringConvertible {
  /// The kinds of errors.
  package enum Kind: Hashable, Sendable {
    /// Values nest deeper than the reader's limit.
    case tooDeep
    /// No value follows where one must be.
    case missing
    /// The value has another tag.
    case wrongTag
    /// The bytes end within a tag or a length.
    case truncated
    /// The tag has more than one byte, or is 0, which ends an indefinite length.
    case unknownTag
    /// The length is more than the bytes that are left; any length below the 2^1008 that BER can write.
    case lengthTooLong
    /// The length is indefinite, and the value is primitive (X.690 8.1.3.2).
    case primitiveOfIndefiniteLength
    /// The first byte of the length is 0xFF (X.690 8.1.3.5 c).
    case reservedLength
    /// The length is indefinite (X.690 10.1). DER alone.
    case indefiniteLength
    /// The length has more bytes than it needs (X.690 10.1). DER alone.
    case nonMinimalLength
    /// A string is made of parts (X.690 10.2). DER alone.
    case constructedString
    /// A part of a string is no string.
    case partOfOtherType
    /// An INTEGER has no bytes.
    case emptyInteger
    /// An INTEGER is negative.
    case negativeInteger
    /// An INTEGER is more than 2^31 - 1.
    case integerTooLarge
    /// An INTEGER has more bytes than it needs (X.690 8.3.2). DER alone.
    case nonMinimalInteger
    /// A BIT STRING ends within a byte, or has no first byte that says where it ends (X.690 8.6.2).
    case partialByte
    /// An OBJECT IDENTIFIER has no bytes.
    case emptyObjectIdentifier
    /// An OBJECT IDENTIFIER ends within a number, or has a number of more bytes than it needs (X.690 8.19.2). DER alone.
    case malformedObjectIdentifier
    /// So many bytes follow after the last value.
    case trailingBytes(Int)
  }

  package let kind: Kind
  package let field: StaticString
  /// The tag that the value should have, where one tag alone is accepted.
  package let expected: ASN1Tag?
  /// For ``Kind/lengthTooLong``, how many bytes the content needs and how many are left; nil for a length that was not
  /// read to its end.
  package let size: (needed: Int, available: Int)?

  package init(
    _ kind: Kind, _ field: StaticString, expected: ASN1Tag? = nil, size: (needed: Int, available: Int)? = nil
  ) {
    self.kind = kind
    self.field = field
    self.expected = expected
    self.size = size
  }

  /// What is wrong, in words that name the field.
  package var description: String {
    switch kind {
    case .tooDeep: "values nest deeper than the limit, at \(field)"
    case .missing: "\(field) is missing"
    case .wrongTag: "\(field) is not of the type it should be"
    case .truncated: "the bytes end before \(field)"
    case .unknownTag: "\(field) has no tag of this format"
    case .lengthTooLong: "\(field) is longer than what it stands in"
    case .primitiveOfIndefiniteLength: "\(field) is primitive and has no length"
    case .reservedLength: "\(field) has a length in a form that BER reserves"
    case .indefiniteLength: "\(field) has an indefinite length"
    case .nonMinimalLength: "\(field) has a length of more bytes than it needs"
    case .constructedString: "\(field) is made of parts"
    case .partOfOtherType: "\(field) is a string in parts, and a part is none"
    case .emptyInteger: "\(field) is an INTEGER without a byte"
    case .negativeInteger: "\(field) is below zero"
    case .integerTooLarge: "\(field) is more than any reader takes"
    case .nonMinimalInteger: "\(field) is an INTEGER of more bytes than it needs"
    case .partialByte: "\(field) is a BIT STRING that ends within a byte"
    case .emptyObjectIdentifier: "\(field) is an OBJECT IDENTIFIER without a byte"
    case .malformedObjectIdentifier: "\(field) is an OBJECT IDENTIFIER that is not DER"
    case .trailingBytes(let count): "\(count) bytes too many after \(field)"
    }
  }
}

/// An error of a layer that reads BER or DER: it says once how the reader's errors appear in that layer.
package protocol BERFailure: Error {
  init(_ error: BERError)
}

extension BERError: BERFailure {
  package init(_ error: BERError) { self = error }
}
