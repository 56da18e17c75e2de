import LatchkeyByteCoding

/// The object identifiers of name attributes and extensions that the keychain uses.
extension DERObjectIdentifier {
  // Attributes of names (X.520 6, RFC 2985 5.2.1).
  static let commonName = DERObjectIdentifier(2, 5, 4, 3)
  static let organization = DERObjectIdentifier(2, 5, 4, 10)
  static let organizationalUnit = DERObjectIdentifier(2, 5, 4, 11)
  static let nameDescription = DERObjectIdentifier(2, 5, 4, 13)
  static let emailAddress = DERObjectIdentifier(1, 2, 840, 113549, 1, 9, 1)

  // Extensions (RFC 5280 4.2.1).
  static let subjectKeyIdentifier = DERObjectIdentifier(2, 5, 29, 14)
  static let subjectAlternativeName = DERObjectIdentifier(2, 5, 29, 17)
}
