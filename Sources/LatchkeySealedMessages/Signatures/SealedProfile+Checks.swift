internal import Crypto
internal import Foundation
internal import LatchkeyByteCoding

// Code that requests and responses share for signing and verifying.
extension SealedProfile {
  /// The signature's label in the fields of this product.
  static let label = "latchkey"

  /// Sets the digest and removes the fields of an earlier signature.
  ///
  /// - Parameter contentDigest: the value of `Content-Digest`; nil for a message without content.
  static func prepare(_ fields: inout HTTPFields, contentDigest: String?) {
    for name in ["content-digest", "signature-input", "signature"] { fields.remove(name) }
    if let contentDigest { fields.replace("content-digest", with: contentDigest) }
  }

  /// Adds the two signature fields for a signature in DER.
  static func add(_ input: SignatureInput, to fields: inout HTTPFields, signature der: [UInt8]) throws {
    guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: der) else {
      throw SealedMessageError.misuse("sign with ECDSA on P-256 and give the signature in DER")
    }
    fields.replace("signature-input", with: "\(label)=\(input.text)")
    fields.replace("signature", with: "\(label)=:\(Base64.encode(Array(signature.rawRepresentation))):")
  }

  /// Validates a key's name as a parameter: 1 to 128 printable characters.
  static func checked(_ keyID: String) throws(SealedMessageError) -> String {
    guard isKeyID(keyID) else { throw .misuse("name the key with 1 to 128 printable characters of ASCII") }
    return keyID
  }

  /// Returns the only signature with the tag.
  static func entry(of fields: HTTPFields, tag: String) throws(SealedMessageError) -> SignatureFields.Entry {
    let entries = try SignatureFields(fields).entries.filter { $0.input.tag == tag }
    guard let entry = entries.first, entries.count == 1 else {
      throw .malformed("signature-input: not just one signature with the tag \(tag)")
    }
    guard entry.isCanonical else { throw .malformed("signature-input: not written as RFC 9651 section 4.1 says") }
    guard entry.input.algorithm == SignatureAlgorithm.ecdsaP256SHA256.rawValue else {
      throw .malformed("signature-input: alg is not \(SignatureAlgorithm.ecdsaP256SHA256.rawValue)")
    }
    return entry
  }

  /// Checks that the signature covers all required components, and that each required field of the message itself is one line:
  /// of two lines, one reader might use the first and another the last.
  static func check(
    _ input: SignatureInput, covers required: [CoveredComponent], in fields: HTTPFields
  ) throws(SealedMessageError) {
    for component in required {
      guard input.components.contains(component) else { throw .notCovered(component.identifier) }
      guard component.name.hasPrefix("@") || component.isOfRequest || fields.count(of: component.name) == 1
      else { throw .malformed("\(component.name): not in one line") }
    }
  }

  /// The claims of a signature, not yet verified.
  struct Claims {
    let keyID: String
    let created: Int64
    let expires: Int64
    let nonce: String

    /// The claims as verified with this key.
    func verified(by publicKey: [UInt8]) -> Verified {
      Verified(keyID: keyID, publicKey: publicKey, created: created, expires: expires, nonce: nonce)
    }
  }

  /// Returns the signature's claims if they are inside the window.
  static func claims(
    _ input: SignatureInput, nonce: String, now: Int64, window: Window
  ) throws(SealedMessageError) -> Claims {
    guard let created = input.created, let expires = input.expires, let keyID = input.keyID, isKeyID(keyID) else {
      throw .malformed("signature-input: created, expires and keyid are needed")
    }
    // Integers of structured fields have at most 15 digits; a clock's value is shorter.
    let largest: Int64 = 1_000_000_000_000_000
    guard (-largest...largest).contains(now), window.skew >= 0, window.lifetime > 0 else {
      throw .misuse("give a clock in seconds since 1970 and a window above zero")
    }
    guard created < expires, expires - created <= window.lifetime else {
      throw .malformed("signature-input: expires is not within \(window.lifetime) s after created")
    }
    let distance = created - now
    guard distance.magnitude <= window.skew.magnitude else { throw .outsideWindow(seconds: distance) }
    guard now <= expires else { throw .outsideWindow(seconds: expires - now) }
    return Claims(keyID: keyID, created: created, expires: expires, nonce: nonce)
  }

  /// Verifies the signature itself.
  ///
  /// - Returns: the key that verified it.
  static func check(
    _ entry: SignatureFields.Entry, over subject: SignatureBase.Subject, publicKey: [UInt8]?
  ) throws(SealedMessageError) -> [UInt8] {
    let base = try SignatureBase.bytes(entry.input, over: subject)
    guard let publicKey,
      SignatureAlgorithm.ecdsaP256SHA256.isValid(entry.signature, of: base, key: publicKey)
    else { throw .notAuthentic }
    return publicKey
  }

  /// 128 bit in base64url are 22 characters.
  static func isNonce(_ text: String) -> Bool {
    (22...128).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  private static func isKeyID(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count) && text.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
  }
}

extension SealedProfile.Window {
  /// The expiry of a signature created now, at most the largest integer of a structured field.
  func end(from now: Int64) -> Int64 {
    let (end, overflow) = now.addingReportingOverflow(lifetime)
    return overflow ? now : end
  }
}
