internal import LatchkeyByteCoding
internal import RawStructuredFieldValues

/// The fields `Signature-Input` and `Signature` of a message (RFC 9421 4).
package struct SignatureFields: Sendable, Hashable {
  /// One signature of the message.
  package struct Entry: Sendable, Hashable {
    /// The label in both fields.
    package let label: String
    /// The covered components and parameters.
    package let input: SignatureInput
    /// The signature's bytes.
    package let signature: [UInt8]
    /// Whether the input was in canonical form, so that it has exactly one encoding.
    package let isCanonical: Bool
  }

  /// The signatures, in the order of `Signature-Input`.
  package let entries: [Entry]

  /// Parses the signatures of a message's fields.
  ///
  /// - Throws: `.malformed` if there is none, or a label occurs twice or in only one of the fields.
  package init(_ fields: HTTPFields) throws(SealedMessageError) {
    guard let inputs = fields["signature-input"] else { throw .malformed("signature-input: missing") }
    guard let signatures = fields["signature"] else { throw .malformed("signature: missing") }
    if let entries = Self.canonical(inputs, signatures) {
      self.entries = entries
    } else {
      entries = try Self.parsed(inputs, signatures)
    }
  }

  /// The only signature, if both fields have the usual form (``CanonicalField``).
  private static func canonical(_ inputs: String, _ signatures: String) -> [Entry]? {
    guard let (label, signature) = CanonicalField.byteSequence(signatures),
      let (key, input) = CanonicalField.signatureInput(inputs), key == label
    else { return nil }
    return [Entry(label: label, input: input, signature: signature, isCanonical: true)]
  }

  /// The signatures of fields in any valid form.
  package static func parsed(_ inputs: String, _ signatures: String) throws(SealedMessageError) -> [Entry] {
    var bytes: [String: [UInt8]] = [:]
    for member in try StructuredField.members(signatures, field: "signature") {
      guard case .item(let item) = member.value, case .undecodedByteSequence(let base64) = item.rfc9651BareItem,
        item.rfc9651Parameters.count == 0, let signature = try? Base64.decode(base64)
      else { throw .malformed("signature: not a byte sequence") }
      bytes[member.key] = signature
    }
    var entries: [Entry] = []
    for member in try StructuredField.members(inputs, field: "signature-input") {
      guard case .innerList(let list) = member.value else { throw .malformed("signature-input: not a list") }
      guard let signature = bytes.removeValue(forKey: member.key) else {
        throw .malformed("signature: a label of signature-input is missing")
      }
      let input = try SignatureInput(list)
      entries.append(
        Entry(
          label: member.key, input: input, signature: signature,
          isCanonical: member.text.utf8.elementsEqual("\(member.key)=\(input.text)".utf8)))
    }
    guard bytes.isEmpty else { throw .malformed("signature-input: a label of signature is missing") }
    return entries
  }
}
