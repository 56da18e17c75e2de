import LatchkeyByteCoding

extension PublicKey {
  /// Parses the public key in PEM: the first block of "PUBLIC KEY" (SubjectPublicKeyInfo) or "RSA PUBLIC KEY" (PKCS #1).
  ///
  /// - Throws: as ``init(derRepresentation:)``; `.malformed` if there is none.
  public init(pemRepresentation text: String) throws(KeyError) {
    for block in try PEMDocument.decode(text) {
      switch block.label {
      case "PUBLIC KEY":
        try self.init(derRepresentation: block.bytes)
        return
      case "RSA PUBLIC KEY":
        try self.init(pkcs1: block.bytes)
        return
      default: continue
      }
    }
    throw .malformed("no block of PEM with a public key: it begins with -----BEGIN PUBLIC KEY-----")
  }

  /// SubjectPublicKeyInfo in PEM, with a line feed at the end.
  public var pemRepresentation: String { PEMDocument(label: "PUBLIC KEY", bytes: derRepresentation).text }
}

extension PrivateKey {
  /// Parses the private key in PEM: the first block of "PRIVATE KEY" (PKCS #8), "EC PRIVATE KEY" (RFC 5915) or "RSA PRIVATE
  /// KEY" (PKCS #1), not encrypted. The caller wipes the text.
  ///
  /// - Throws: as ``init(derRepresentation:)``; `.malformed` if there is none.
  public convenience init(pemRepresentation text: String) throws(KeyError) {
    var blocks = try PEMDocument.decode(text)
    defer { for index in blocks.indices { blocks[index].bytes.wipe() } }
    for block in blocks {
      switch block.label {
      case "PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY":
        try self.init(derRepresentation: block.bytes)
        return
      case "ENCRYPTED PRIVATE KEY":
        throw .unsupported("an encrypted private key: decrypt it first (openssl pkcs8)")
      case "OPENSSH PRIVATE KEY":
        throw .unsupported("a private key in OpenSSH's own form: write it as PKCS #8 (ssh-keygen -p -m PKCS8)")
      default: continue
      }
    }
    throw .malformed("no block of PEM with a private key: it begins with -----BEGIN PRIVATE KEY-----")
  }
}
