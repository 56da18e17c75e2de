import LatchkeyByteCoding

/// Parses the bags of a file (RFC 7292 4.2) into the contents of ``PKCS12File``.
struct SafeReader {
  private(set) var certificates: [PKCS12File.Certificate] = []
  private(set) var keys: [PKCS12File.Key] = []
  private var search: PasswordSearch
  private var bags = 0

  private var limits: PKCS12Limits { search.limits }

  init(_ search: PasswordSearch) { self.search = search }

  /// Overwrites the keys read so far.
  mutating func wipe() {
    for index in keys.indices { keys[index].pkcs8.wipe() }
  }

  /// AuthenticatedSafe: a SEQUENCE of safes, in the clear or encrypted (RFC 7292 4.1).
  mutating func readAuthenticatedSafe(_ content: PKCS12Reader) throws(PKCS12Error) {
    var whole = content.restarted(depth: limits.depth)
    var safes = try whole.item(.sequence, "the authenticated safe")
    try whole.finish("the authenticated safe")
    var count = 0
    while !safes.isEmpty {
      count += 1
      guard count <= limits.bags else { throw .tooLarge("the file has more safes than the limit (PKCS12Limits.bags)") }
      var safe = try safes.item(.sequence, "a safe")
      let type = try safe.identifier("the type of a safe")
      switch type {
      case .data:
        var explicit = try safe.item(.context0, "the content of a safe")
        let text = try explicit.string(.octetString, "the content of a safe")
        try explicit.finish("the content of a safe")
        try readContents(text.restarted(depth: limits.depth))
      case .encryptedData:
        var explicit = try safe.item(.context0, "the content of an encrypted safe")
        let plain = try decryptedData(&explicit)
        try explicit.finish("the content of an encrypted safe")
        try readContents(PKCS12Reader(plain, depth: limits.depth))
      default: throw .unsupported(type.name)
      }
      try safe.finish("a safe")
    }
  }

  /// EncryptedData (RFC 5652 8).
  private mutating func decryptedData(_ reader: inout PKCS12Reader) throws(PKCS12Error) -> SecretBytes {
    var data = try reader.item(.sequence, "encrypted data")
    guard [0, 2].contains(try data.number("the version of encrypted data")) else {
      throw .unsupported("a version of encrypted data other than 0 and 2")
    }
    var info = try data.item(.sequence, "encrypted content")
    guard try info.identifier("the type of encrypted content") == .data else {
      throw .unsupported("encrypted content other than data")
    }
    let scheme = try EncryptionScheme(&info, limits)
    let text = try info.string(.implicit0, "encrypted content")
    try info.finish("encrypted content")
    // Unprotected attributes may follow; they are ignored.
    return try search.decrypt(text, scheme)
  }

  /// SafeContents: a SEQUENCE of bags.
  private mutating func readContents(_ reader: PKCS12Reader) throws(PKCS12Error) {
    var whole = reader
    let contents = try whole.item(.sequence, "the contents of a safe")
    try whole.finish("the contents of a safe")
    try readBags(contents)
  }

  /// Parses bags, including nested ones. Each level takes three levels of ASN.1, whose depth is limited.
  private mutating func readBags(_ contents: PKCS12Reader) throws(PKCS12Error) {
    var contents = contents
    while !contents.isEmpty {
      bags += 1
      guard bags <= limits.bags else { throw .tooLarge("the file has more bags than the limit (PKCS12Limits.bags)") }
      var bag = try contents.item(.sequence, "a bag")
      let type = try bag.identifier("the type of a bag")
      var value = try bag.item(.context0, "the value of a bag")
      let attributes = try BagAttributes(&bag)
      try bag.finish("a bag")
      switch type {
      case .keyBag: keys.append(try key(try value.der("a key"), attributes))
      case .shroudedKeyBag: keys.append(try key(try decryptedKey(&value), attributes))
      case .certificateBag:
        if let certificate = try certificate(&value, attributes) { certificates.append(certificate) }
      case .safeContentsBag:
        try readBags(try value.item(.sequence, "a bag of bags"))
      // Revocation lists, secrets and unknown bags are skipped.
      default: continue
      }
      try value.finish("the value of a bag")
    }
  }

  /// EncryptedPrivateKeyInfo (RFC 5958 3).
  private mutating func decryptedKey(_ reader: inout PKCS12Reader) throws(PKCS12Error) -> [UInt8] {
    var info = try reader.item(.sequence, "an encrypted key")
    let scheme = try EncryptionScheme(&info, limits)
    let text = try info.string(.octetString, "an encrypted key")
    try info.finish("an encrypted key")
    var plain = PKCS12Reader(try search.decrypt(text, scheme), depth: limits.depth)
    return try plain.der("a key")
  }

  private func key(
    _ pkcs8: consuming [UInt8], _ attributes: BagAttributes
  ) throws(PKCS12Error) -> PKCS12File.Key {
    var pkcs8 = pkcs8
    do throws(PKCS12Error) { try checkKey(pkcs8) } catch {
      pkcs8.wipe()
      throw error
    }
    return PKCS12File.Key(
      pkcs8: pkcs8, friendlyName: attributes.friendlyName, localKeyID: attributes.localKeyID)
  }

  /// Checks that the bytes begin as PrivateKeyInfo does.
  private func checkKey(_ pkcs8: [UInt8]) throws(PKCS12Error) {
    var whole = PKCS12Reader(SecretBytes(pkcs8), depth: limits.depth)
    var info = try whole.item(.sequence, "a key")
    _ = try info.number("the version of a key")
    _ = try info.item(.sequence, "the algorithm of a key")
    _ = try info.item(.octetString, "a key")
  }

  /// CertBag (RFC 7292 4.2.3); nil for certificates other than X.509.
  private func certificate(
    _ reader: inout PKCS12Reader, _ attributes: BagAttributes
  ) throws(PKCS12Error) -> PKCS12File.Certificate? {
    var bag = try reader.item(.sequence, "a certificate's bag")
    let type = try bag.identifier("the type of a certificate")
    var explicit = try bag.item(.context0, "a certificate")
    try bag.finish("a certificate's bag")
    guard type == .x509Certificate else { return nil }
    let text = try explicit.string(.octetString, "a certificate")
    try explicit.finish("a certificate")
    var whole = text.restarted(depth: limits.depth)
    _ = try whole.item(.sequence, "a certificate")
    try whole.finish("a certificate")
    return PKCS12File.Certificate(
      der: text.bytes(), friendlyName: attributes.friendlyName, localKeyID: attributes.localKeyID)
  }
}
