import LatchkeyByteCoding

extension PKCS12File {
  /// Reads a file.
  ///
  /// - Parameters:
  ///   - bytes: the file; DER, or BER with indefinite lengths.
  ///   - password: what it is protected with; nil and empty are both tried in both of their encodings.
  ///   - limits: how much it may ask for.
  ///   - allowsMissingMAC: whether a file without a MAC is read.
  /// - Throws: ``PKCS12Error``. What was decrypted until then is overwritten.
  public init(
    reading bytes: some Sequence<UInt8>, password: String?, limits: PKCS12Limits = PKCS12Limits(),
    allowsMissingMAC: Bool = false
  ) throws(PKCS12Error) {
    // One byte more than is allowed shows that there is more.
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

  /// The content of authSafe, which is data; signed files, whose content is signed instead, are not read.
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
