internal import SwiftASN1

extension AuthoritySigner {
  /// A signed structure in DER: the value, the algorithm, a signature of the value (RFC 5280 5.1.1, RFC 6960 4.2.1).
  ///
  /// - Parameters:
  ///   - value: what is signed, in DER.
  ///   - others: serializes what follows the signature.
  func signed(
    _ value: [UInt8], followedBy others: (inout DER.Serializer) throws -> Void = { _ in }
  ) throws -> [UInt8] {
    let signature = try signature(of: value)
    var whole = DER.Serializer()
    try whole.appendConstructedNode(identifier: .sequence) { coder in
      coder.serializeRawBytes(value)
      try RevocationList.serializeAlgorithm(into: &coder)
      try coder.serialize(ASN1BitString(bytes: signature[...]))
      try others(&coder)
    }
    return whole.serializedBytes
  }
}
