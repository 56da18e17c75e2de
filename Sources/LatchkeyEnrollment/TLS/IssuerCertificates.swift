internal import Foundation
internal import LatchkeyKeychainModel
internal import Security
internal import SwiftASN1
internal import X509

/// The certificates that lead from one towards a root, found in the keychain.
enum IssuerCertificates {
  /// How far is looked.
  private static let longest = 8

  /// The issuers of `certificate` that the keychain has, nearest first. A root is left out: a verifier has it, or does
  /// not trust it.
  static func of(_ certificate: SecCertificate) throws(EnrollmentError) -> [SecCertificate] {
    var chain: [SecCertificate] = []
    var seen: Set<SecCertificate> = [certificate]
    var last = certificate
    while chain.count < longest, let issuer = try issuer(of: last), seen.insert(issuer).inserted {
      if issuer.namesItself { break }
      chain.append(issuer)
      last = issuer
    }
    return chain
  }

  /// The certificate whose key signed this one: names alone would take an old one for its successor.
  private static func issuer(of certificate: SecCertificate) throws(EnrollmentError) -> SecCertificate? {
    guard case .bytes(let name)? = certificate.itemAttributes[.issuer],
      let child = try? Certificate(derEncoded: certificate.der)
    else { return nil }
    let query: ItemAttributes = [
      kSecClass: kSecClassCertificate, kSecAttrSubject: Data(name), kSecReturnRef: true,
      kSecMatchLimit: kSecMatchLimitAll,
    ]
    let found = try Items.find(query) as? [AnyObject] ?? []
    return found.lazy.compactMap { $0 as? SecCertificate }.first { candidate in
      guard let parent = try? Certificate(derEncoded: candidate.der) else { return false }
      return parent.publicKey.isValidSignature(child.signature, for: child)
    }
  }
}

extension SecCertificate {
  /// Whether it is its own issuer, as a root is.
  var namesItself: Bool { itemAttributes[.subject] == itemAttributes[.issuer] }
}
