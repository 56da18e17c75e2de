import Crypto
import Foundation
import LatchkeySealedMessages
import Testing

@Suite("RFC 9421, appendix B and section 2.4")
struct RFC9421Tests {
  /// The only signature of a message: its base, and whether it is right.
  private func check(
    _ fields: HTTPFields, over subject: SignatureBase.Subject, base: String, algorithm: SignatureAlgorithm, key: String
  ) throws {
    let entry = try #require(SignatureFields(fields).entries.first)
    let made = try SignatureBase.bytes(entry.input, over: subject)
    #expect(String(decoding: made, as: UTF8.self) == base)
    #expect(entry.isCanonical)
    let key = try Array(#require(Data(base64Encoded: key)))
    #expect(algorithm.isValid(entry.signature, of: made, key: key))
    // And can be wrong.
    var (altered, signature) = (made, entry.signature)
    altered[altered.count / 2] ^= 1
    #expect(!algorithm.isValid(entry.signature, of: altered, key: key))
    signature[signature.count / 2] ^= 1
    #expect(!algorithm.isValid(signature, of: made, key: key))
    for count in [0, 1, signature.count - 1] {
      #expect(!algorithm.isValid(Array(entry.signature.prefix(count)), of: made, key: key))
    }
    #expect(!algorithm.isValid(entry.signature + [0], of: made, key: key))
    for key in [[], Array(key.dropLast()), [0] + key] {
      #expect(!algorithm.isValid(entry.signature, of: made, key: key))
    }
  }

  @Test(
    "B.2.1 to B.2.3, B.2.5 and B.2.6: requests",
    arguments: [
      (RFC9421.b21, SignatureAlgorithm.rsaPSSSHA512, RFC9421.rsaPSSKey),
      (RFC9421.b22, .rsaPSSSHA512, RFC9421.rsaPSSKey), (RFC9421.b23, .rsaPSSSHA512, RFC9421.rsaPSSKey),
      (RFC9421.b25, .hmacSHA256, RFC9421.secret), (RFC9421.b26, .ed25519, RFC9421.ed25519Key),
    ])
  func requests(example: RFCExample, algorithm: SignatureAlgorithm, key: String) throws {
    let request = RFC9421.request.asRequest()
    try check(example.fields, over: .request(request), base: example.base, algorithm: algorithm, key: key)
  }

  @Test("B.2.4: a response")
  func response() throws {
    try check(
      RFC9421.b24.fields, over: .response(RFC9421.response.asResponse(), to: nil), base: RFC9421.b24.base,
      algorithm: .ecdsaP256SHA256, key: RFC9421.p256Key)
  }

  @Test("B.3: a proxy that ends TLS")
  func proxied() throws {
    let request = RFC9421.proxied.asRequest()
    try check(
      request.fields, over: .request(request), base: RFC9421.proxiedBase, algorithm: .ecdsaP256SHA256,
      key: RFC9421.p256Key)
  }

  @Test("B.4: allowed and forbidden changes of a message in transit", arguments: 0..<6)
  func transformed(number: Int) throws {
    let request = RFC9421.transformed[number].asRequest()
    if number < 4 {
      try check(
        request.fields, over: .request(request), base: RFC9421.transformedBase, algorithm: .ed25519,
        key: RFC9421.ed25519Key)
    } else {
      let entry = try #require(SignatureFields(request.fields).entries.first)
      let base = try SignatureBase.bytes(entry.input, over: .request(request))
      let key = try Array(#require(Data(base64Encoded: RFC9421.ed25519Key)))
      #expect(!SignatureAlgorithm.ed25519.isValid(entry.signature, of: base, key: key))
    }
  }

  @Test("2.4: an answer that covers its request")
  func answer() throws {
    let (request, response) = (RFC9421.answered.asRequest(), RFC9421.answer.asResponse())
    try check(
      response.fields, over: .response(response, to: request), base: RFC9421.answerBase, algorithm: .ecdsaP256SHA256,
      key: RFC9421.p256Key)
    let entry = try #require(SignatureFields(response.fields).entries.first)
    #expect(throws: SealedMessageError.malformed("@authority: there is no request to take it from")) {
      try SignatureBase.bytes(entry.input, over: .response(response, to: nil))
    }
  }

  @Test("the digests of the printed bodies are right")
  func digests() throws {
    for message in [RFC9421.request, RFC9421.response, RFC9421.answered, RFC9421.answer] {
      let digest = try #require(message.fields["content-digest"])
      try ContentDigest.verify(digest, of: message.body)
      #expect(throws: SealedMessageError.notAuthentic) { try ContentDigest.verify(digest, of: message.body + [0x0A]) }
    }
  }
}
