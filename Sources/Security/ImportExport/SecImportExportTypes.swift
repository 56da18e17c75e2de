// The types of import and export (Apple, SecImportExport.h; macOS).

public import Foundation

/// A keychain of macOS's older kind. There is none here: pass nil.
public final class SecKeychain: Sendable {
  private init() {}
}

/// The access to an item of such a keychain. There is none here: leave it nil.
public final class SecAccess: Sendable {
  private init() {}
}

/// The format of imported or exported data.
public enum SecExternalFormat: UInt32, Sendable {
  /// Import: to be found out. Export: the default of the item.
  case formatUnknown = 0
  /// Keys as OpenSSL's files hold them: SubjectPublicKeyInfo for public keys, RSAPrivateKey or ECPrivateKey for private ones.
  case formatOpenSSL = 1
  /// OpenSSH's first version. Not supported.
  case formatSSH = 2
  /// Keys as BSAFE has them: RSAPublicKey for public RSA keys, PrivateKeyInfo (PKCS #8) for private keys.
  case formatBSAFE = 3
  /// The bytes of a symmetric key. Not supported.
  case formatRawKey = 4
  /// A private key encrypted under a password: EncryptedPrivateKeyInfo (PKCS #8).
  case formatWrappedPKCS8 = 5
  /// A private key encrypted by OpenSSL's older way. Not supported.
  case formatWrappedOpenSSL = 6
  /// An encrypted private key of OpenSSH's first version. Not supported.
  case formatWrappedSSH = 7
  /// An encrypted private key of LSH. Not supported.
  case formatWrappedLSH = 8
  /// A certificate.
  case formatX509Cert = 9
  /// Certificates and keys in PEM, one after the other.
  case formatPEMSequence = 10
  /// Certificates in PKCS #7, or in a signed CMS message.
  case formatPKCS7 = 11
  /// Certificates and keys in a PKCS #12 file.
  case formatPKCS12 = 12
  /// Netscape's sequence of certificates. Not supported.
  case formatNetscapeCertSequence = 13
  /// A public key as a line of OpenSSH.
  case formatSSHv2 = 14
}

/// The type of imported items.
public enum SecExternalItemType: UInt32, Sendable {
  /// To be found out.
  case itemTypeUnknown = 0
  /// A private key.
  case itemTypePrivateKey = 1
  /// A public key.
  case itemTypePublicKey = 2
  /// A symmetric key.
  case itemTypeSessionKey = 3
  /// A certificate.
  case itemTypeCertificate = 4
  /// Several items.
  case itemTypeAggregate = 5
}

/// Options of export.
public struct SecItemImportExportFlags: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt32

  /// Creates a set of these bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Exports PEM instead of DER. Import recognizes both.
  public static let pemArmour = SecItemImportExportFlags(rawValue: 1)
}

/// Options for keys.
public struct SecKeyImportExportFlags: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt32

  /// Creates a set of these bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Import no more than one private key into a keychain. No effect: nothing is imported into one.
  public static let importOnlyOne = SecKeyImportExportFlags(rawValue: 1)
  /// Ask the user for the passphrase. Not supported: the passphrase counts as missing.
  public static let securePassphrase = SecKeyImportExportFlags(rawValue: 2)
  /// No access control for imported keys. No effect.
  public static let noAccessControl = SecKeyImportExportFlags(rawValue: 4)
}

/// The version of ``SecItemImportExportKeyParameters``.
public let SEC_KEY_IMPORT_EXPORT_PARAMS_VERSION: Int32 = 0

/// Parameters for keys. As in C, they own nothing: the caller keeps alive what they refer to.
public struct SecItemImportExportKeyParameters {
  /// ``SEC_KEY_IMPORT_EXPORT_PARAMS_VERSION``.
  public var version: UInt32
  /// Options.
  public var flags: SecKeyImportExportFlags
  /// The passphrase of PKCS #12 files and encrypted keys; a string, or data in UTF-8.
  public var passphrase: Unmanaged<CFTypeRef>?
  /// The title of a prompt. No effect.
  public var alertTitle: Unmanaged<CFString>?
  /// The text of a prompt. No effect.
  public var alertPrompt: Unmanaged<CFString>?
  /// The access to imported keys. No effect.
  public var accessRef: Unmanaged<SecAccess>?
  /// The allowed operations of imported keys, an array of `kSecAttrCan…`; nil allows all.
  public var keyUsage: Unmanaged<CFArray>?
  /// Attributes of imported keys, an array of `kSecAttrIsPermanent`, which is refused, `kSecAttrIsSensitive` and
  /// `kSecAttrIsExtractable`, which have no effect.
  public var keyAttributes: Unmanaged<CFArray>?

  /// Creates parameters of zeros.
  public init() { self.init(version: 0, flags: [], passphrase: nil) }

  /// Creates parameters.
  public init(
    version: UInt32, flags: SecKeyImportExportFlags, passphrase: Unmanaged<CFTypeRef>?,
    alertTitle: Unmanaged<CFString>? = nil, alertPrompt: Unmanaged<CFString>? = nil,
    accessRef: Unmanaged<SecAccess>? = nil, keyUsage: Unmanaged<CFArray>? = nil,
    keyAttributes: Unmanaged<CFArray>? = nil
  ) {
    self.version = version
    self.flags = flags
    self.passphrase = passphrase
    self.alertTitle = alertTitle
    self.alertPrompt = alertPrompt
    self.accessRef = accessRef
    self.keyUsage = keyUsage
    self.keyAttributes = keyAttributes
  }
}
