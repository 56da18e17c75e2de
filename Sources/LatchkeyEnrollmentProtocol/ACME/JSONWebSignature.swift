internal import LatchkeyByteCoding

/// The reason for refusing a signed request before its signature is verified.
package enum JSONWebSignatureError: Error, Hashable, Sendable {
  /// It is none of the accepted form: what is wrong.
  case malformed(String)
  /// Its algorithm is another one than ES256.
  case unsupportedAlgorithm
  /// The account's key cannot be used: why.
  case badPublicKey(String)
}

/// A signed request of ACME (RFC 8555 6.2): a JSON Web Signature in the flattened serialization (RFC 7515 7.2.2). The signature is
/// not verified yet.
package struct JSONWebSignature: Sendable, Hashable {
  /// Who signed, as the request states it.
  package enum Signer: Sendable, Hashable {
    /// `jwk`: the key itself.
    case key(ACMEAccountKey)
    /// `kid`: the URL of an account.
    case account(String)
  }

  /// Who signed.
  package let signer: Signer
  /// The server's nonce, as it is sent.
  package let nonce: String
  /// The URL that the request is for.
  package let url: String
  /// The content; empty for POST-as-GET.
  package let payload: [UInt8]
  private let signed: [UInt8]
  private let signature: [UInt8]

  /// The maximum size of a request, in bytes.
  package static let longest = 64 * 1024

  /// Parses a request's body.
  ///
  /// - Throws: ``JSONWebSignatureError``.
  package init(_ body: [UInt8]) throws(JSONWebSignatureError) {
    let members = try Self.object(body, "the body", size: Self.longest)
    // An unprotected header is not signed, and RFC 8555 6.2 forbids one; the general form has several signatures.
    guard members.keys.allSatisfy(["protected", "payload", "signature"].contains) else {
      throw .malformed("the body has other members than protected, payload and signature")
    }
    guard let protected = members["protected"]?.string, let content = members["payload"]?.string,
      let payload = Base64URL.decode(content), let head = Base64URL.decode(protected),
      let signature = members["signature"]?.string.flatMap(Base64URL.decode)
    else { throw .malformed("protected, payload and signature are texts in base64url without padding") }
    let header = try Self.object(head, "the protected header", size: 8 * 1024)
    guard let algorithm = header["alg"]?.string else { throw .malformed("the protected header has no alg") }
    guard algorithm == "ES256" else { throw .unsupportedAlgorithm }
    // RFC 7515 4.1.11: an extension that is not understood is refused; RFC 7797 is one.
    guard header["crit"] == nil, header["b64"] == nil else {
      throw .malformed("no extensions are supported: leave out crit")
    }
    guard let nonce = header["nonce"]?.string, Base64URL.decode(nonce) != nil else {
      throw .malformed("the protected header has no nonce in base64url")
    }
    guard let url = header["url"]?.string else { throw .malformed("the protected header has no url") }
    switch (header["jwk"], header["kid"]) {
    case (let jwk?, nil): signer = .key(try ACMEAccountKey(jwk: jwk))
    case (nil, .string(let account)?): signer = .account(account)
    default: throw .malformed("the protected header has either jwk or kid")
    }
    guard signature.count == 64 else { throw .malformed("a signature of ES256 is r and s, 64 bytes") }
    (self.nonce, self.url, self.payload, self.signature) = (nonce, url, payload, signature)
    // RFC 7515 5.1: the texts as they were sent. base64url is decoded strictly, so there is one of each.
    signed = Array("\(protected).\(content)".utf8)
  }

  /// Whether this key signed it.
  package func isSigned(by key: ACMEAccountKey) -> Bool { key.isValid(signature: signature, of: signed) }

  private static func object(
    _ bytes: [UInt8], _ what: String, size: Int
  ) throws(JSONWebSignatureError) -> [String: JSONValue] {
    do throws(StrictJSONError) {
      let value = try StrictJSON.read(bytes, within: StrictJSON.Limits(size: size, depth: 4, members: 32))
      if let members = value.object { return members }
    } catch {}
    throw .malformed("\(what) is no JSON object")
  }
}
