import Crypto
import Foundation
import LatchkeyEnrollmentProtocol
import Testing

@Suite("JSON Web Signatures of ACME")
struct JSONWebSignatureTests {
  /// The key of RFC 7515 A.3.
  private let key: [String: Any] = [
    "kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
    "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
  ]
  private let head: [String: Any] = ["alg": "ES256", "nonce": "AAAA", "url": "https://a/b"]

  private func header(_ change: (inout [String: Any]) -> Void = { _ in }) -> [String: Any] {
    var header = head.merging(["jwk": key]) { $1 }
    change(&header)
    return header
  }

  private func body(
    _ header: [String: Any], payload: String = "",
    signature: String = Base64URL.encode([UInt8](repeating: 1, count: 64)),
    more: [String: Any] = [:]
  ) throws -> [UInt8] {
    let members: [String: Any] = [
      "protected": Base64URL.encode(try JSONSerialization.data(withJSONObject: header)), "payload": payload,
      "signature": signature,
    ]
    return Array(try JSONSerialization.data(withJSONObject: members.merging(more) { $1 }))
  }

  private func refusal(_ body: [UInt8]) -> JSONWebSignatureError? {
    do throws(JSONWebSignatureError) {
      _ = try JSONWebSignature(body)
      return nil
    } catch { return error }
  }

  private func isMalformed(_ body: [UInt8]) -> Bool { if case .malformed = refusal(body) { true } else { false } }

  @Test("The thumbprint is RFC 7638's: SHA-256 of the four members in their order, and the authorization holds it")
  func thumbprint() throws {
    guard case .key(let account) = try JSONWebSignature(body(header())).signer else {
      Issue.record("no key")
      return
    }
    // Computed by OpenSSL over the text of RFC 7638 3.
    let text = """
      {"crv":"P-256","kty":"EC","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
      """
    #expect(account.thumbprint == Array(SHA256.hash(data: Array(text.utf8))))
    #expect(Base64URL.encode(account.thumbprint) == "oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U")
    #expect(account.authorization(ofToken: "t") == "t.oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U")
  }

  @Test("A request is signed by its key over the texts as they were sent, and by no other")
  func signature() throws {
    let own = P256.Signing.PrivateKey()
    let point = try #require(ACMEAccountKey(point: [UInt8](own.publicKey.x963Representation)))
    let other = try #require(ACMEAccountKey(point: [UInt8](P256.Signing.PrivateKey().publicKey.x963Representation)))
    let protected = Base64URL.encode(
      try JSONSerialization.data(withJSONObject: header { ($0["jwk"], $0["kid"]) = (nil, "https://a/c") }))
    let signature = try own.signature(for: Array("\(protected).e30".utf8)).rawRepresentation
    func signed(_ payload: String) throws -> JSONWebSignature {
      try JSONWebSignature(
        Array(
          try JSONSerialization.data(withJSONObject: [
            "protected": protected, "payload": payload, "signature": Base64URL.encode(signature),
          ])))
    }
    let request = try signed("e30")
    #expect(request.signer == .account("https://a/c") && request.payload == Array("{}".utf8))
    #expect(request.nonce == "AAAA" && request.url == "https://a/b")
    #expect(request.isSigned(by: point) && !request.isSigned(by: other))
    #expect(try !signed("").isSigned(by: point))
  }

  @Test("The URL's component is the key itself, and no other text is one")
  func accountID() throws {
    for _ in 0..<8 {
      let point = [UInt8](P256.Signing.PrivateKey().publicKey.x963Representation)
      let account = try #require(ACMEAccountKey(point: point))
      #expect(account.accountID.utf8.count == 44)
      #expect(ACMEAccountKey(accountID: account.accountID) == account)
      #expect(ACMEAccountKey(accountID: String(account.accountID.dropLast())) == nil)
      #expect(ACMEAccountKey(accountID: account.accountID + "A") == nil)
    }
    #expect(ACMEAccountKey(accountID: String(repeating: "A", count: 44)) == nil)
    #expect(ACMEAccountKey(accountID: String(repeating: "é", count: 22)) == nil)
    #expect(ACMEAccountKey(point: [4] + [UInt8](repeating: 1, count: 64)) == nil)
    #expect(ACMEAccountKey(point: []) == nil)
  }

  @Test("Headers with an extension, both keys, none, or without nonce or URL are malformed")
  func headers() throws {
    let changes: [(inout [String: Any]) -> Void] = [
      { $0["alg"] = nil }, { $0["alg"] = 7 }, { $0["crit"] = ["x"] }, { $0["b64"] = false }, { $0["nonce"] = nil },
      { $0["nonce"] = "a b" }, { $0["nonce"] = "AA==" }, { $0["url"] = nil }, { $0["url"] = 1 }, { $0["kid"] = "x" },
      { $0["jwk"] = nil }, { ($0["jwk"], $0["kid"]) = (nil, 1) },
    ]
    for (number, change) in changes.enumerated() { #expect(isMalformed(try body(header(change))), "\(number)") }
    for algorithm in ["none", "HS256", "es256", "ES256K", ""] {
      #expect(refusal(try body(header { $0["alg"] = algorithm })) == .unsupportedAlgorithm)
    }
  }

  @Test("Keys of another type or curve, off the curve, of another length, or with their private part are refused")
  func keys() throws {
    let changes: [[String: Any]] = [
      ["kty": "RSA"], ["kty": 1], ["crv": "P-384"], ["x": "AAAA"], ["x": 1], ["d": "AAAA"],
      ["y": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"], ["x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU="],
    ]
    for change in changes {
      let error = refusal(try body(header { $0["jwk"] = key.merging(change) { $1 } }))
      if case .badPublicKey? = error { continue }
      Issue.record("\(change): \(String(describing: error))")
    }
    #expect(refusal(try body(header { $0["jwk"] = "x" })) == .badPublicKey("jwk is no key"))
  }

  @Test("Bodies of another form, with an unprotected header or further signatures are malformed")
  func bodies() throws {
    let good = try body(header())
    #expect(refusal(good) == nil)
    for length in [0, 1, good.count - 1] { #expect(isMalformed(Array(good.prefix(length)))) }
    #expect(isMalformed(good + good))
    #expect(isMalformed(try body(header(), more: ["header": [String: Any]()])))
    #expect(isMalformed(try body(header(), more: ["signatures": [Any]()])))
    #expect(isMalformed(try body(header(), payload: "e30=")))
    #expect(isMalformed(try body(header(), payload: "e31")))
    for count in [0, 63, 65] {
      #expect(isMalformed(try body(header(), signature: Base64URL.encode([UInt8](repeating: 1, count: count)))))
    }
    #expect(isMalformed(good + [UInt8](repeating: 0x20, count: JSONWebSignature.longest)))
    #expect(isMalformed(try body(header { $0["x"] = [[[[1]]]] })))
  }

  @Test("A payload is an object, whose members have their types")
  func payloads() throws {
    func payload(_ text: String) throws(JSONWebSignatureError) -> ACMEPayload { try ACMEPayload(Array(text.utf8)) }
    for wrong in ["", "[]", "1", "{", "{}{}", #"{"a":1,"a":2}"#] {
      #expect(throws: JSONWebSignatureError.self, "\(wrong)") { try payload(wrong) }
    }
    let read = try payload(#"{"t":"x","f":true,"n":5,"big":256,"minus":-1,"b":"AAAA","i":1}"#)
    #expect(try read.text("t") == "x" && read.flag("f") && read.number("n") == 5 && read.bytes("b") == [0, 0, 0])
    #expect(try read.text("none") == nil && !read.flag("none") && read.number("none") == nil && read.has("t"))
    #expect(throws: JSONWebSignatureError.self) { try read.text("f") }
    #expect(throws: JSONWebSignatureError.self) { try read.flag("t") }
    for name in ["big", "minus", "t"] { #expect(throws: JSONWebSignatureError.self) { try read.number(name) } }
    for name in ["none", "i"] { #expect(throws: JSONWebSignatureError.self) { try read.bytes(name) } }
    let identifiers = try payload(#"{"identifiers":[{"type":"a","value":"b","more":1}]}"#).identifiers
    #expect(identifiers.map(\.type) == ["a"] && identifiers.map(\.value) == ["b"])
    for wrong in [#"[1]"#, #"[{"type":"a"}]"#, #"[{"type":"a","value":1}]"#] {
      #expect(throws: JSONWebSignatureError.self) { try payload(#"{"identifiers":\#(wrong)}"#).identifiers }
    }
  }
}
