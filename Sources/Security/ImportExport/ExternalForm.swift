import LatchkeyByteCoding
internal import LatchkeyEnclaveKeys

/// What a piece of data is, by the tags of its first values. Nothing else of it is read yet.
enum ExternalForm: Hashable {
  case certificate
  /// SubjectPublicKeyInfo.
  case publicKey
  /// RSAPublicKey.
  case rsaPublicKey
  /// RSAPrivateKey or ECPrivateKey.
  case traditionalPrivateKey
  /// PrivateKeyInfo.
  case privateKey
  /// EncryptedPrivateKeyInfo.
  case encryptedPrivateKey
  case pkcs12
  /// A public key as a line of OpenSSH.
  case openSSH
  /// Content of PKCS #7 or CMS, signed or not.
  case pkcs7

  /// Recognizes DER, and BER of PKCS #12 and PKCS #7; nil for anything else.
  init?(_ bytes: [UInt8]) {
    var whole = BERReader<KeyError>(bytes, rules: .ber, depth: 16)
    guard var parts = try? whole.item(.sequence, "an item") else {
      guard bytes.starts(with: Array("ssh-".utf8)) || bytes.starts(with: Array("ecdsa-".utf8)) else { return nil }
      self = .openSSH
      return
    }
    if parts.comes(.integer) {
      self.init(afterInteger: &parts)
    } else if parts.comes(.objectIdentifier) {
      self = .pkcs7
    } else {
      guard parts.comes(.sequence), (try? parts.element("an item")) != nil else { return nil }
      if parts.comes(.bitString) {
        self = .publicKey
      } else if parts.comes(.octetString) {
        self = .encryptedPrivateKey
      } else if parts.comes(.sequence) {
        self = .certificate
      } else {
        return nil
      }
    }
  }

  private init?(afterInteger parts: inout BERReader<KeyError>) {
    guard let first = try? parts.unsignedInteger("an item").bytes() else { return nil }
    if parts.comes(.octetString) {
      self = .traditionalPrivateKey
    } else if parts.comes(.sequence) {
      // PKCS #12 has version 3, PKCS #8 0 or 1.
      self = first == [3] ? .pkcs12 : .privateKey
    } else if parts.comes(.integer) {
      // A version, or already the modulus.
      self = first.isEmpty || first == [1] ? .traditionalPrivateKey : .rsaPublicKey
    } else {
      return nil
    }
  }

  /// The format and the type, as they are told to the caller.
  var description: (format: SecExternalFormat, type: SecExternalItemType) {
    switch self {
    case .certificate: (.formatX509Cert, .itemTypeCertificate)
    case .publicKey: (.formatOpenSSL, .itemTypePublicKey)
    case .rsaPublicKey: (.formatBSAFE, .itemTypePublicKey)
    case .traditionalPrivateKey: (.formatOpenSSL, .itemTypePrivateKey)
    case .privateKey: (.formatBSAFE, .itemTypePrivateKey)
    case .encryptedPrivateKey: (.formatWrappedPKCS8, .itemTypePrivateKey)
    case .pkcs12: (.formatPKCS12, .itemTypeAggregate)
    case .openSSH: (.formatSSHv2, .itemTypePublicKey)
    case .pkcs7: (.formatPKCS7, .itemTypeAggregate)
    }
  }

  /// Whether data of this form is what the caller says it is. The two forms of unencrypted keys count as one: callers seldom
  /// know which they have.
  func matches(_ format: SecExternalFormat, _ type: SecExternalItemType) -> Bool {
    let own = description
    let plain: Set<SecExternalFormat> = [.formatOpenSSL, .formatBSAFE]
    let isFormat =
      format == .formatUnknown || format == own.format || plain.isSuperset(of: [format, own.format])
    return isFormat && (type == .itemTypeUnknown || type == own.type)
  }
}
