/// An AlgorithmIdentifier (RFC 5280 4.1.1.2): an algorithm, and parameters of its own.
package struct AlgorithmIdentifier<Failure: BERFailure>: Sendable {
  /// The algorithm.
  package let algorithm: DERObjectIdentifier
  /// The parameters, which are not read yet; empty if there are none.
  package var parameters: BERReader<Failure>
}

extension BERReader {
  /// An AlgorithmIdentifier. Its object identifier is not empty; nothing else of it is verified, since callers compare
  /// it with those that they know.
  package mutating func algorithmIdentifier(_ field: StaticString) throws(Failure) -> AlgorithmIdentifier<Failure> {
    var parts = try item(.sequence, field)
    let algorithm = DERObjectIdentifier(content: try parts.item(.objectIdentifier, field).bytes())
    guard !algorithm.content.isEmpty else { throw Failure(BERError(.emptyObjectIdentifier, field)) }
    return AlgorithmIdentifier(algorithm: algorithm, parameters: parts)
  }
}

extension DEREncoder {
  /// An AlgorithmIdentifier with the parameters that `parameters` writes.
  package mutating func algorithmIdentifier(
    _ algorithm: DERObjectIdentifier, _ parameters: (inout DEREncoder) -> Void
  ) {
    nested(.sequence) { parts in
      parts.identifier(algorithm)
      parameters(&parts)
    }
  }
}
