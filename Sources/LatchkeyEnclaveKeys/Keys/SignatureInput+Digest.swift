extension SignatureInput {
  /// The digest to sign for `input`: the message's, or the given digest if its length matches the function. Without a function
  /// it may have 1 to 64 bytes.
  ///
  /// - Throws: `.invalidInput` for another length; `.unsupported` for a message without a function.
  func digest(of input: [UInt8], by algorithm: DigestAlgorithm?) throws(KeyError) -> [UInt8] {
    switch (self, algorithm) {
    case (.message, let algorithm?): return algorithm.hash(input)
    case (.message, nil): throw .unsupported("a message is signed by its digest: name the digest's function")
    case (.digest, let algorithm?):
      guard input.count == algorithm.byteCount else {
        throw .invalidInput("a digest of \(algorithm) has \(algorithm.byteCount) bytes, not \(input.count)")
      }
      return input
    case (.digest, nil):
      guard (1...DigestAlgorithm.sha512.byteCount).contains(input.count) else {
        throw .invalidInput("a digest has 1 to 64 bytes, not \(input.count)")
      }
      return input
    }
  }
}
