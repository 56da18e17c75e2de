internal import Crypto
internal import LatchkeyByteCoding
internal import RawStructuredFieldValues

/// The digest of a message's content (RFC 9530 2).
package enum ContentDigest {
  /// Returns the field's value for a body, with SHA-256.
  package static func value(of body: [UInt8]) -> String {
    value(sha256: Array(SHA256.hash(data: body)))
  }

  /// Returns the field's value for a SHA-256 that was computed elsewhere.
  package static func value(sha256 digest: [UInt8]) -> String { "sha-256=:\(Base64.encode(digest)):" }

  /// Verifies a body against a field's value: it must contain a digest of a known algorithm, and all of those must match.
  ///
  /// - Throws: `.malformed` for an invalid field or one without a known algorithm; `.notAuthentic`.
  package static func verify(_ value: String, of body: [UInt8]) throws(SealedMessageError) {
    try verify(value, sha256: { Array(SHA256.hash(data: body)) }, sha512: { Array(SHA512.hash(data: body)) })
  }

  /// The same for a body whose digests were computed while it came.
  package static func verify(
    _ value: String, sha256: () -> [UInt8], sha512: () -> [UInt8]
  ) throws(SealedMessageError) {
    if let (name, digest) = CanonicalField.byteSequence(value), name == "sha-256" {
      guard constantTimeEquals(digest, sha256()) else { throw .notAuthentic }
      return
    }
    try verifyParsed(value, sha256: sha256, sha512: sha512)
  }

  /// The same for a field in any valid form.
  package static func verifyParsed(
    _ value: String, sha256: () -> [UInt8], sha512: () -> [UInt8]
  ) throws(SealedMessageError) {
    var known = 0
    var isRight = true
    for member in try StructuredField.members(value, field: "content-digest") {
      guard case .item(let item) = member.value, case .undecodedByteSequence(let base64) = item.rfc9651BareItem,
        let digest = try? Base64.decode(base64)
      else { throw .malformed("content-digest: not a byte sequence") }
      let computed: [UInt8]
      switch member.key {
      case "sha-256": computed = sha256()
      case "sha-512": computed = sha512()
      default: continue
      }
      known += 1
      isRight = constantTimeEquals(digest, computed) && isRight
    }
    guard known > 0 else { throw .malformed("content-digest: neither sha-256 nor sha-512") }
    guard isRight else { throw .notAuthentic }
  }
}
