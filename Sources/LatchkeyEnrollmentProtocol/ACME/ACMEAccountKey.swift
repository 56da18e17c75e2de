internal import Crypto
internal import LatchkeyByteCoding

/// The key of an ACME account, on P-256. It is all that an account consists of here: its URL holds the key itself.
package struct ACMEAccountKey: Sendable, Hashable {
  /// The point in X9.63 form: 04, x and y, 65 bytes.
  package let point: [UInt8]

  /// Creates a key from a point; nil if it is none of P-256.
  package init?(point: [UInt8]) {
    guard (try? P256.Signing.PublicKey(x963Representation: point)) != nil else { return nil }
    self.point = point
  }

  /// Parses a JSON Web Key (RFC 7517; RFC 7518 6.2.1).
  ///
  /// - Throws: `.badPublicKey`.
  init(jwk: JSONValue) throws(JSONWebSignatureError) {
    guard let members = jwk.object, let type = members["kty"]?.string else { throw .badPublicKey("jwk is no key") }
    guard type == "EC", members["crv"]?.string == "P-256" else {
      throw .badPublicKey("the key of an account is of the type EC, on P-256")
    }
    guard members["d"] == nil else { throw .badPublicKey("jwk has the private key: send the public one alone") }
    guard let x = Self.coordinate(members["x"]), let y = Self.coordinate(members["y"]),
      let key = ACMEAccountKey(point: [4] + x + y)
    else { throw .badPublicKey("jwk is no point of P-256") }
    self = key
  }

  private static func coordinate(_ value: JSONValue?) -> [UInt8]? {
    guard let text = value?.string, let bytes = Base64URL.decode(text), bytes.count == 32 else { return nil }
    return bytes
  }

  /// Parses the last component of an account's URL.
  package init?(accountID text: String) {
    guard text.utf8.count == Self.idLength, let bytes = Base64URL.decode(text),
      let key = try? P256.Signing.PublicKey(compressedRepresentation: bytes)
    else { return nil }
    point = [UInt8](key.x963Representation)
  }

  /// The last component of an account's URL: the compressed point in base64url.
  package var accountID: String { Base64URL.encode([2 | point[64] & 1] + point[1...32]) }

  private static let idLength = 44

  /// The thumbprint (RFC 7638), SHA-256.
  package var thumbprint: [UInt8] {
    let (x, y) = (Base64URL.encode(point[1...32]), Base64URL.encode(point[33...64]))
    return Array(SHA256.hash(data: Array(#"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#.utf8)))
  }

  /// The key authorization of a challenge's token (RFC 8555 8.1).
  package func authorization(ofToken token: String) -> String { "\(token).\(Base64URL.encode(thumbprint))" }

  /// Whether this key made an ES256 signature: r and s, 64 bytes (RFC 7518 3.4).
  package func isValid(signature: [UInt8], of message: [UInt8]) -> Bool {
    guard let key = try? P256.Signing.PublicKey(x963Representation: point),
      let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
    else { return false }
    return key.isValidSignature(signature, for: message)
  }
}
