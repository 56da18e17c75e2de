import LatchkeyByteCoding

/// The contents of a PKCS#12 file: certificates and private keys, in the order of the file (RFC 7292).
///
/// Only local key identifiers connect certificates and keys in a file, and not every writer sets them: ``identities`` matches
/// by public key, and prefers the certificate with the key's identifier.
public struct PKCS12File: Sendable {
  /// A certificate of the file.
  public struct Certificate: Sendable, Hashable {
    /// The X.509 certificate, DER.
    public var der: [UInt8]
    /// The display name, if the file has one.
    public var friendlyName: String?
    /// The local key identifier that it shares with its key, usually the SHA-1 of the certificate.
    public var localKeyID: [UInt8]?

    /// Creates a certificate from DER.
    public init(der: [UInt8], friendlyName: String? = nil, localKeyID: [UInt8]? = nil) {
      self.der = der
      self.friendlyName = friendlyName
      self.localKeyID = localKeyID
    }
  }

  /// A private key of the file.
  public struct Key: Sendable {
    /// PrivateKeyInfo, DER (RFC 5208). A secret: wipe it after import.
    public var pkcs8: [UInt8]
    /// The display name, if the file has one.
    public var friendlyName: String?
    /// The local key identifier that it shares with its certificate.
    public var localKeyID: [UInt8]?

    /// Creates a key from PrivateKeyInfo in DER.
    public init(pkcs8: [UInt8], friendlyName: String? = nil, localKeyID: [UInt8]? = nil) {
      self.pkcs8 = pkcs8
      self.friendlyName = friendlyName
      self.localKeyID = localKeyID
    }
  }

  /// A key with its certificate, and the certificates of the file that lead from it towards a root.
  public struct Identity: Sendable {
    /// The private key.
    public let key: Key
    /// The certificate of the key.
    public let certificate: Certificate
    /// The issuers in the file, nearest first, without ``certificate``.
    public let chain: [Certificate]
  }

  /// All certificates, in the order of the file.
  public var certificates: [Certificate]
  /// All private keys, in the order of the file.
  public var keys: [Key]

  /// Creates a file from certificates and keys.
  public init(certificates: [Certificate] = [], keys: [Key] = []) {
    self.certificates = certificates
    self.keys = keys
  }
}

extension PKCS12File {
  /// Overwrites the private keys, which are unusable afterwards.
  package mutating func wipeKeys() {
    for index in keys.indices { keys[index].pkcs8.wipe() }
  }
}
