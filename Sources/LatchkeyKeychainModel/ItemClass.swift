/// The classes of keychain items (`kSecClass`). The raw values are the four characters in queries and stored rows.
public enum ItemClass: String, CaseIterable, Hashable, Sendable {
  /// A password for a service: `kSecClassGenericPassword`.
  case genericPassword = "genp"
  /// A password for a server: `kSecClassInternetPassword`.
  case internetPassword = "inet"
  /// A certificate: `kSecClassCertificate`.
  case certificate = "cert"
  /// A cryptographic key: `kSecClassKey`.
  case key = "keys"
  /// A certificate whose private key is in the keychain: `kSecClassIdentity`. No item is stored with this class: an identity
  /// is a pair of a certificate and the private key whose application label equals the certificate's public key hash.
  case identity = "idnt"

  /// The classes of stored items: all but `identity`.
  public static let stored: [ItemClass] = [.genericPassword, .internetPassword, .certificate, .key]
}
