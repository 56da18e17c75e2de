internal import Foundation
internal import LatchkeyKeychainModel
internal import Security
internal import SwiftASN1
internal import X509

/// Finds a certificate's chain towards a root in the keychain.
enum IssuerCertificates {
  /// The limit of the chain's length.
  private static let longest = 8

  /// The issuers of `certificate` in the keychain, nearest first. A root is omitted: a verifier has it, or does not trust it.
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

  /// The certificate whose key signed this one. Matching by name alone would confuse an old issuer with its successor.
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
  /// Whether subject and issuer are equal, as in a root.
  var namesItself: Bool { itemAttributes[.subject] == itemAttributes[.issuer] }
}
