import LatchkeyByteCoding

extension PKCS12File {
  /// Parses and decrypts a file.
  ///
  /// - Parameters:
  ///   - bytes: the file; DER, or BER with indefinite lengths.
  ///   - password: the file's password; for nil and for an empty one both encodings of each are tried.
  ///   - limits: the limits for the file.
  ///   - allowsMissingMAC: whether a file without a MAC is accepted.
  /// - Throws: ``PKCS12Error``. Secrets decrypted before the error are overwritten.
  public init(
    reading bytes: some Sequence<UInt8>, password: String?, limits: PKCS12Limits = PKCS12Limits(),
    allowsMissingMAC: Bool = false
  ) throws(PKCS12Error) {
    // One byte above the limit shows that the file is too large.
    let most = max(0, limits.fileSize)
    let bytes = Array(bytes.prefix(most < .max ? most + 1 : most))
    guard bytes.count <= most else {
      throw .tooLarge("the file is longer than the limit (PKCS12Limits.fileSize)")
    }
    var whole = PKCS12Reader(SecretBytes(bytes), depth: limits.depth)
    var file = try whole.item(.sequence, "a PKCS #12 file")
    try whole.finish("the end of the file")
    guard try file.number("the version") == 3 else { throw .unsupported("a version of PKCS #12 other than 3") }
    let content = try Self.authenticatedSafe(&file)
    var search = PasswordSearch(password, limits)
    if !file.isEmpty {
      let mac = try MessageAuthentication(&file, limits)
      try file.finish("the file's parts")
      try search.authenticate(content, mac)
    } else if !allowsMissingMAC {
      throw .notAuthenticated
    }
    var safes = SafeReader(search)
    var isRead = false
    defer { if !isRead { safes.wipe() } }
    try safes.readAuthenticatedSafe(content)
    isRead = true
    self.init(certificates: safes.certificates, keys: safes.keys)
  }

  /// Parses the content of authSafe, which must be data; files with signed content are refused.
  private static func authenticatedSafe(_ file: inout PKCS12Reader) throws(PKCS12Error) -> PKCS12Reader {
    var info = try file.item(.sequence, "the content")
    let type = try info.identifier("the type of the content")
    guard type == .data else { throw .unsupported(type.name) }
    var explicit = try info.item(.context0, "the content")
    try info.finish("the content")
    let content = try explicit.string(.octetString, "the content")
    try explicit.finish("the content")
    return content
  }
}
