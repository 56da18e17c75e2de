/// Keys from files of any supported format.
extension PublicKey {
  /// Parses a public key file: PEM or an OpenSSH line, SubjectPublicKeyInfo or PKCS #1 in DER, or a point in X9.63 form.
  ///
  /// - Throws: the error of the detected format; `.malformed` if none is detected.
  public init(fileContents bytes: [UInt8]) throws(KeyError) {
    switch KeyFile(bytes) {
    case .pem(let text): try self.init(pemRepresentation: text)
    case .line(let text): try self.init(openSSHRepresentation: text)
    case .der:
      do throws(KeyError) { try self.init(derRepresentation: bytes) } catch {
        // The second item distinguishes them: PKCS #1 has a number, SubjectPublicKeyInfo a sequence.
        guard case .malformed = error, let key = try? PublicKey(pkcs1: bytes) else { throw error }
        self = key
      }
    case .other: try self.init(externalRepresentation: bytes, family: .ellipticCurve)
    }
  }
}

extension PrivateKey {
  /// Parses a private key file: PEM or DER of PKCS #8, ECPrivateKey or PKCS #1, or X9.63 form. The caller wipes the bytes.
  ///
  /// - Throws: the error of the detected format; `.malformed` if none is detected.
  public convenience init(fileContents bytes: [UInt8]) throws(KeyError) {
    switch KeyFile(bytes) {
    case .pem(let text): try self.init(pemRepresentation: text)
    case .line: throw .malformed("an OpenSSH public key has no private half")
    case .der: try self.init(derRepresentation: bytes)
    case .other: try self.init(externalRepresentation: bytes, family: .ellipticCurve)
    }
  }
}

/// The detected format of a file.
private enum KeyFile {
  case pem(String), line(String), der, other

  init(_ bytes: [UInt8]) {
    guard bytes.first != 0x30 || bytes.count < 2 else {
      // A text may begin with "0", too, but no key's text does.
      self = .der
      return
    }
    guard bytes.count <= PEMDocument.longest, let text = String(validating: bytes, as: UTF8.self) else {
      self = .other
      return
    }
    if text.contains("-----BEGIN ") {
      self = .pem(text)
    } else if text.hasPrefix("ssh-") || text.hasPrefix("ecdsa-") {
      self = .line(text)
    } else {
      self = .other
    }
  }
}
