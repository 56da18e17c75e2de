extension LegacyEnvelope {
  /// The characters of a response's vector.
  private static let letters = Array("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)

  /// Seals a response: the vector is 16 characters of 62, used as bytes; the HMAC covers the whole plaintext.
  ///
  /// The old service drew the characters with `rand()`. This code uses rejection sampling, so all are equally likely.
  public static func sealResponse(
    _ plaintext: [UInt8], keys: LegacyEnvelopeKeys, random: (Int) -> [UInt8]?
  ) throws(SealedMessageError) -> [UInt8] {
    let iv = try responseVector(random: random)
    return try body(
      iv: String(decoding: iv, as: UTF8.self), mac: keys.code(of: authenticated(plaintext)),
      ciphertext: keys.encrypt(plaintext, iv: iv))
  }

  /// Opens a response.
  ///
  /// - Throws: `.malformed` if decryption fails ("cannot interpret" in the old client), `.notAuthentic` if the MAC is wrong
  ///   ("cannot verify"). The two may differ, since the reader is the user's own program.
  public static func openResponse(_ body: [UInt8], keys: LegacyEnvelopeKeys) throws(SealedMessageError) -> [UInt8] {
    let parts = try Parts(body)
    guard let iv = parts.iv, let ciphertext = parts.ciphertext,
      let plaintext = keys.decrypt(ciphertext, iv: Array(iv.utf8)),
      String(validating: plaintext, as: UTF8.self) != nil
    else { throw .malformed("envelope: cannot be decrypted") }
    guard keys.isCode(parts.mac ?? [], of: authenticated(plaintext)) else { throw .notAuthentic }
    return plaintext
  }

  /// The plaintext as a C string: up to the first zero.
  private static func authenticated(_ plaintext: [UInt8]) -> [UInt8] { Array(plaintext.prefix { $0 != 0 }) }

  private static func responseVector(random: (Int) -> [UInt8]?) throws(SealedMessageError) -> [UInt8] {
    var vector: [UInt8] = []
    // 248 is the largest multiple of 62 in a byte. Of 32 random bytes, 31 pass on average; eight draws without 16 passing ones
    // mean a broken source.
    for _ in 0..<8 {
      vector += try initializationVector(ofLength: 32, random: random).filter { $0 < 248 }
        .map { letters[Int($0) % letters.count] }
      if vector.count >= 16 { return Array(vector.prefix(16)) }
    }
    throw .misuse("the random source failed: send nothing, and try again later")
  }
}
