internal import Foundation
internal import LatchkeyEnclaveKeys
internal import LatchkeyKeychainModel

/// The type, class and size of a key in the dictionaries of the key calls: decimal texts or numbers.
struct KeyParameters {
  private let dictionary: NSDictionary

  init(_ dictionary: NSDictionary) { self.dictionary = dictionary }

  /// `kSecAttrKeyType`: elliptic curves or RSA.
  func family() throws(KeyFault) -> KeyFamily {
    guard let family = KeyFamily(number: try number(kSecAttrKeyType, "kSecAttrKeyType")) else {
      throw KeyFault(
        errSecParam, "of kSecAttrKeyType there are kSecAttrKeyTypeECSECPrimeRandom and kSecAttrKeyTypeRSA")
    }
    return family
  }

  /// `kSecAttrKeySizeInBits`.
  func size() throws(KeyFault) -> Int {
    guard let size = Int(exactly: try number(kSecAttrKeySizeInBits, "kSecAttrKeySizeInBits")), size > 0 else {
      throw KeyFault(errSecParam, "kSecAttrKeySizeInBits is a number above 0")
    }
    return size
  }

  /// `kSecAttrKeyClass`: 0 public, 1 private, 2 symmetric.
  func keyClass() throws(KeyFault) -> Int64 { try number(kSecAttrKeyClass, "kSecAttrKeyClass") }

  /// `kSecAttrTokenID`: whether the key belongs in the enclave, which is the only token.
  func wantsEnclave() throws(KeyFault) -> Bool {
    guard let value = dictionary.object(forKey: kSecAttrTokenID) else { return false }
    guard case .text(let name) = QueryValue(value), name == kSecAttrTokenIDSecureEnclave as String else {
      throw KeyFault(errSecParam, "the only kSecAttrTokenID is kSecAttrTokenIDSecureEnclave")
    }
    return true
  }

  private func number(_ key: CFString, _ name: String) throws(KeyFault) -> Int64 {
    guard let value = dictionary.object(forKey: key) else {
      throw KeyFault(errSecParam, "\(name) is missing: it names what kind of key is meant")
    }
    switch QueryValue(value) {
    case .text(let text):
      if let number = Int64(text), String(number) == text { return number }
    case .number(let number):
      if let number = Int64(exactly: number) { return number }
    default: break
    }
    throw KeyFault(errSecParam, "\(name) is one of the constants of its name, or a number")
  }
}

extension KeyType {
  /// Creates the type from a family and a size.
  ///
  /// - Throws: `errSecParam` for a size that no curve has; the size of an RSA key is validated at its creation.
  init(_ family: KeyFamily, bits: Int) throws(KeyFault) {
    switch family {
    case .rsa: self = .rsa(bits: bits)
    case .ellipticCurve:
      guard let curve = Curve(rawValue: bits) else {
        throw KeyFault(errSecParam, "curves have 256, 384 or 521 bits, not \(bits)")
      }
      self = .ellipticCurve(curve)
    }
  }
}
