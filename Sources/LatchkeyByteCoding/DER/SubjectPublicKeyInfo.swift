/// A SubjectPublicKeyInfo (RFC 5280 4.1.2.7): a public key after its algorithm, as in certificates, signing requests and
/// files of public keys.
///
/// It is read in two steps, so that an unknown algorithm is refused before its key is read.
package struct SubjectPublicKeyInfo<Failure: BERFailure>: Sendable {
  /// The algorithm of the key.
  package var algorithm: AlgorithmIdentifier<Failure>
  private var rest: BERReader<Failure>

  /// Reads the algorithm.
  package init(_ reader: inout BERReader<Failure>) throws(Failure) {
    var parts = try reader.item(.sequence, "a public key")
    algorithm = try parts.algorithmIdentifier("the algorithm of a public key")
    rest = parts
  }

  /// Reads the key: for an elliptic curve a point (RFC 5480 2.2), for RSA an RSAPublicKey (RFC 8017 A.1.1).
  package mutating func key() throws(Failure) -> [UInt8] { try rest.wholeBitString("a public key").bytes() }

  /// Ends the reading: an error if anything follows the key.
  package func finish() throws(Failure) { try rest.finish("a public key") }
}

extension DEREncoder {
  /// A SubjectPublicKeyInfo: `key` as a BIT STRING after its algorithm with the parameters that `parameters` writes.
  package mutating func subjectPublicKeyInfo(
    _ algorithm: DERObjectIdentifier, key: [UInt8], _ parameters: (inout DEREncoder) -> Void
  ) {
    nested(.sequence) { parts in
      parts.algorithmIdentifier(algorithm, parameters)
      parts.bitString(key)
    }
  }
}
