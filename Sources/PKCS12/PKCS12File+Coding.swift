extension PKCS12File {
  /// Reads a file.
  ///
  /// - Parameters:
  ///   - bytes: the file; DER, or BER with indefinite lengths.
  ///   - password: what it is protected with; nil and empty are both tried in both of their encodings.
  ///   - limits: how much it may ask for.
  ///   - allowsMissingMAC: whether a file without a MAC is read.
  /// - Throws: ``PKCS12Error``.
  public init(
    reading bytes: some Sequence<UInt8>, password: String?, limits: PKCS12Limits = PKCS12Limits(),
    allowsMissingMAC: Bool = false
  ) throws(PKCS12Error) {
    throw .unsupported("not there yet")
  }

  /// The file's bytes, DER.
  ///
  /// - Parameters:
  ///   - password: not empty: many readers refuse a file without one.
  ///   - profile: algorithms and rounds.
  ///   - random: gives so many fresh random bytes, for salts and vectors.
  /// - Throws: ``PKCS12Error``, or what `random` throws as `.misuse`.
  public func encoded(
    password: String, profile: PKCS12Profile = .modern, random: (Int) throws -> [UInt8]
  ) throws(PKCS12Error) -> [UInt8] {
    throw .unsupported("not there yet")
  }

  /// Each key that has a certificate, with it and its chain, in the order of the keys.
  public var identities: [Identity] { [] }
}
