import Crypto
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyServerTestSupport
import Testing

@testable import LatchkeyEnrollmentServer

@Suite("Signed requests of ACME")
struct ACMERequestTests {
  @Test("A nonce counts once for an order, for an hour, and only if a server of this store made it")
  func nonces() async throws {
    try await ACMETestClient.with { acme in
      let order = try await acme.made(acme.token())
      let nonce = try await acme.nonce()
      #expect(try await acme.post(Routes.acmeOrder(order), nonce: nonce).status == 200)
      let again = try await acme.post(Routes.acmeOrder(order), nonce: nonce)
      #expect(again.status == 400 && again.acme == "badNonce")
      let fresh = try #require(again.header("replay-nonce"))
      #expect(try await acme.post(Routes.acmeOrder(order), nonce: fresh).status == 200)
      for wrong in ["", "AAAA", String(repeating: "A", count: 54), "?"] {
        let answer = try await acme.post(Routes.acmeOrder(order), nonce: wrong)
        #expect(answer.status == 400, "\(wrong)")
        #expect(answer.acme == (wrong == "?" ? "malformed" : "badNonce"), "\(wrong)")
      }
      let old = try await acme.nonce()
      acme.server.clock.advance(by: TimeInterval(ACMENonces.lifetime - 1))
      #expect(try await acme.post(Routes.acmeAccounts, [String: Any](), byKey: true, nonce: old).status < 300)
      acme.server.clock.advance(by: 1)
      #expect(try await acme.post(Routes.acmeAccounts, [String: Any](), byKey: true, nonce: old).acme == "badNonce")
    }
  }

  @Test("A nonce with another time, other random bytes or another proof than the server's is refused")
  func changedNonces() async throws {
    try await ACMETestClient.with { acme in
      let bytes = try #require(Base64URL.decode(try await acme.nonce()))
      try #require(bytes.count == 40)
      // The last bits of the time (a second more or less), the random bytes and the proof; the first and the last byte of each.
      for place in [7, 8, 23, 24, 39] {
        var changed = bytes
        changed[place] ^= 1
        let answer = try await acme.post(
          Routes.acmeAccounts, [String: Any](), byKey: true, nonce: Base64URL.encode(changed))
        #expect(answer.acme == "badNonce", "\(place): \(answer.text)")
      }
      let good = try await acme.post(Routes.acmeAccounts, [String: Any](), byKey: true, nonce: Base64URL.encode(bytes))
      #expect(good.status == 201)
    }
  }

  @Test("A nonce of a server whose clock is up to a minute ahead counts, and none that is made later")
  func nonceOfTheFuture() async throws {
    try await ACMETestClient.with { acme in
      let nonce = try await acme.nonce()
      func status() async throws -> String? {
        try await acme.post(Routes.acmeAccounts, [String: Any](), byKey: true, nonce: nonce).acme
      }
      acme.server.clock.advance(by: -60)
      #expect(try await status() == nil)
      acme.server.clock.advance(by: -1)
      #expect(try await status() == "badNonce")
    }
  }

  @Test("A signed request that makes an order, or revokes, counts once: its repetition is refused for its nonce")
  func replays() async throws {
    try await ACMETestClient.with { acme in
      func body(_ path: String, _ payload: [String: Any]) async throws -> [UInt8] {
        try acme.body(
          ["alg": "ES256", "nonce": try await acme.nonce(), "url": acme.base + path, "kid": try acme.kid], payload)
      }
      let token = try await acme.token()
      let ordered = try await body(
        Routes.acmeOrders, ["identifiers": [["type": "permanent-identifier", "value": token]]])
      #expect(try await acme.send(Routes.acmeOrders, ordered).status == 201)
      #expect(try await acme.send(Routes.acmeOrders, ordered).acme == "badNonce")
      let key = P256.Signing.PrivateKey()
      let order = try await acme.attested(token, key)
      _ = try await acme.finalize(order, key)
      let certificate = Base64URL.encode(try await acme.post(Routes.acmeCertificate(order)).leaf)
      let revoked = try await body(Routes.acmeRevocation, ["certificate": certificate])
      #expect(try await acme.send(Routes.acmeRevocation, revoked).status == 200)
      #expect(try await acme.send(Routes.acmeRevocation, revoked).acme == "badNonce")
    }
  }

  @Test("Requests without an order leave nothing in the store, however many accounts sign them")
  func anonymousTakeNoPlace() async throws {
    try await ACMETestClient.with { acme in
      for _ in 0..<4 {
        let other = acme.stranger
        let made = try await other.post(Routes.acmeAccounts, [String: Any](), byKey: true)
        #expect(made.status == 201)
        #expect(try await other.order("lke_" + String(repeating: "A", count: 43)).acme == "unauthorized")
        #expect(try await other.post(Routes.acmeOrder(String(repeating: "A", count: 43))).status == 404)
        #expect(
          try await other.post(Routes.acmeAccounts, ["onlyReturnExisting": true], byKey: true).acme
            == "accountDoesNotExist")
      }
      for table: StaticString in ["SELECT nonce FROM nonces", "SELECT id FROM acme_orders"] {
        let rows = try await acme.server.store.read { try $0.rows(table) }
        #expect(rows.isEmpty)
      }
    }
  }

  @Test("Another algorithm, URL, key, type or form is refused, each with its type of problem")
  func refused() async throws {
    try await ACMETestClient.with { acme in
      func account(_ spoil: (inout [String: Any]) -> Void) async throws -> TestAnswer {
        try await acme.post(Routes.acmeAccounts, [String: Any](), byKey: true, spoil: spoil)
      }
      for algorithm in ["none", "HS256", "RS256", "ES384", "EdDSA"] {
        let answer = try await account { $0["alg"] = algorithm }
        #expect(answer.acme == "badSignatureAlgorithm" && answer.json["algorithms"] as? [String] == ["ES256"])
      }
      let other = acme.stranger
      let jwk = other.jwk
      let spoiled: [(String, (inout [String: Any]) -> Void)] = [
        ("unauthorized", { $0["url"] = acme.base + Routes.acmeOrders }),
        ("unauthorized", { $0["url"] = "https://other:1" + Routes.acmeAccounts }),
        ("unauthorized", { $0["url"] = acme.base + Routes.acmeAccounts + "?a=b" }),
        ("malformed", { $0["kid"] = "x" }), ("malformed", { $0["jwk"] = nil }), ("malformed", { $0["crit"] = ["b64"] }),
        ("badPublicKey", { $0["jwk"] = ["kty": "oct", "k": "AAAA"] }), ("unauthorized", { $0["jwk"] = jwk }),
      ]
      for (number, (expected, spoil)) in spoiled.enumerated() {
        let answer = try await account(spoil)
        #expect(answer.acme == expected, "\(number): \(answer.text)")
      }
      // The query is part of the URL.
      let asked = Routes.acmeAccounts + "?a=b"
      #expect(try await acme.post(asked, [String: Any](), byKey: true).status == 201)
      let unasked = try await acme.post(asked, [String: Any](), byKey: true) {
        $0["url"] = acme.base + Routes.acmeAccounts
      }
      #expect(unasked.acme == "unauthorized", "\(unasked.text)")
      // U+037E is another byte sequence than the semicolon, and the same character to String.
      let lookalike = try await acme.post(Routes.acmeAccounts + "?a;b", [String: Any](), byKey: true) {
        $0["url"] = acme.base + Routes.acmeAccounts + "?a\u{37E}b"
      }
      #expect(lookalike.acme == "unauthorized", "\(lookalike.text)")
      // What needs the account's URL takes no key, and the other way round.
      #expect(try await acme.post(Routes.acmeAccounts, [String: Any]()).acme == "malformed")
      #expect(try await acme.post(Routes.acmeOrders, [String: Any](), byKey: true).acme == "malformed")
      let order = try await acme.made(acme.token())
      #expect(try await acme.post(Routes.acmeOrder(order), byKey: true).acme == "malformed")
      #expect(try await acme.post(Routes.acmeOrder(order), [String: Any]()).acme == "malformed")
      let kids = [
        (try other.kid, "unauthorized"), ("", "accountDoesNotExist"), ("x", "accountDoesNotExist"),
        (acme.base + Routes.acmeAccount("AAAA"), "accountDoesNotExist"),
        ("https://other:1" + Routes.acmeAccount(try acme.key.accountID), "accountDoesNotExist"),
      ]
      for (kid, expected) in kids {
        let answer = try await acme.post(Routes.acmeOrder(order)) { $0["kid"] = kid }
        #expect(answer.acme == expected, "\(kid): \(answer.text)")
      }
      let path = Routes.acmeAccount(try other.key.accountID)
      #expect(try await acme.post(path).acme == "accountDoesNotExist")
      let closed = try await acme.post(Routes.acmeAccount(try acme.key.accountID), ["status": "deactivated"])
      #expect(closed.acme == "unauthorized")
    }
  }

  @Test("Bodies that are no flattened JWS, of another type or too large are refused in ACME's form")
  func bodies() async throws {
    try await ACMETestClient.with { acme in
      let nonce = try await acme.nonce()
      let header: [String: Any] = [
        "alg": "ES256", "nonce": nonce, "url": acme.base + Routes.acmeAccounts, "jwk": acme.jwk,
      ]
      let good = try acme.body(header, [String: Any]())
      let text = String(decoding: good, as: UTF8.self)
      for wrong in [
        "", "{}", "[]", "null", text + text, text.replacing("{", with: #"{"header":{},"#, maxReplacements: 1),
        text.replacing("\"payload\"", with: "\"payloads\""),
        text.replacing("{", with: #"{"payload":"","#, maxReplacements: 1),
      ] {
        let answer = try await acme.send(Routes.acmeAccounts, Array(wrong.utf8))
        #expect(answer.status == 400 && answer.acme == "malformed", "\(wrong): \(answer.text)")
        #expect(answer.header("replay-nonce") != nil)
      }
      #expect(try await acme.send(Routes.acmeAccounts, good, type: "application/json").status == 415)
      let large = try await acme.send(Routes.acmeAccounts, [UInt8](repeating: 0x20, count: 65 * 1024))
      #expect(large.status == 413 && large.acme == "malformed", "\(large.text)")
      let unsigned = try acme.body(header, [String: Any](), by: P256.Signing.PrivateKey())
      #expect(try await acme.send(Routes.acmeAccounts, unsigned).acme == "unauthorized")
      #expect(try await acme.send(Routes.acmeAccounts, good).status == 201)
      // RFC 8555 6.3.
      let read = try await acme.client.request("GET", Routes.acmeOrders)
      #expect(read.status == 405 && read.acme == "malformed" && read.header("allow") == "POST", "\(read.text)")
    }
  }

  @Test("The directory and a nonce are read by POST-as-GET, too, by an account and without content")
  func signedReads() async throws {
    try await ACMETestClient.with { acme in
      try await acme.profile("sensor")
      for path in [Routes.acmeDirectory, Routes.acmeDirectory(label: "sensor")] {
        let answer = try await acme.post(path)
        #expect(answer.status == 200 && answer.header("replay-nonce") != nil, "\(path): \(answer.text)")
        #expect(try await acme.client.request("GET", path).body == answer.body)
      }
      let nonce = try await acme.post(Routes.acmeNonce)
      #expect(nonce.status == 204 && nonce.header("cache-control") == "no-store")
      #expect(try await acme.post(Routes.acmeNonce, nonce: nonce.header("replay-nonce")).status == 204)
      for path in [Routes.acmeDirectory, Routes.acmeDirectory(label: "sensor"), Routes.acmeNonce] {
        #expect(try await acme.post(path, byKey: true).acme == "malformed")
        #expect(try await acme.post(path, [String: Any]()).acme == "malformed")
        let wrong = try await acme.post(path) { $0["url"] = acme.base + Routes.acmeAccounts }
        #expect(wrong.acme == "unauthorized", "\(path): \(wrong.text)")
      }
      #expect(try await acme.post(Routes.acmeDirectory(label: "nothing")).status == 404)
    }
  }

  @Test("Who asks too often is told so in ACME's form")
  func rateLimited() async throws {
    try await ACMETestClient.with({ $0.limits.loginsPerMinute = 1 }) { acme in
      _ = try await acme.order("x")
      let answer = try await acme.order("x")
      #expect(
        answer.status == 429 && answer.acme == "rateLimited" && answer.header("retry-after") != nil, "\(answer.text)")
    }
  }

  @Test("The store has neither an order's name nor its token, and another name opens nothing")
  func sealed() throws {
    let key = try #require(ACMEAccountKey(point: [UInt8](P256.Signing.PrivateKey().publicKey.x963Representation)))
    let token = EnrollmentToken.text(of: [UInt8](repeating: 7, count: 32))
    let random = (0..<64).map { UInt8($0) }
    let order = try ACMEOrder(identifier: token, account: key, profile: nil, random: random, expires: 1)
    let stored = "\(order.record)"
    #expect(!stored.contains(token) && !order.record.identifier.elementsEqual(Array(token.utf8)))
    #expect(order.record.id != Array(random.prefix(32)))
    #expect(ACMEOrder(name: order.name, order.record)?.identifier == token)
    let other = Base64URL.encode([UInt8](repeating: 1, count: 32))
    #expect(ACMEOrder(name: other, order.record) == nil && ACMEOrder(name: "x", order.record) == nil)
  }

  @Test("A label is the name of a profile, whatever it is called")
  func labels() async throws {
    try await ACMETestClient.with { acme in
      for name in ["id", "directory", "new-order", "new-nonce", "sensor"] {
        try await acme.profile(name)
        let answer = try await acme.client.request("GET", Routes.acmeDirectory(label: name))
        #expect(
          answer.json["newOrder"] as? String == acme.base + Routes.acmeOrders(label: name), "\(name): \(answer.text)")
        #expect(try await acme.order(acme.token(name), label: name).status == 201, "\(name)")
      }
      let unknown = try await acme.client.request("GET", Routes.acmeDirectory(label: "nothing"))
      #expect(unknown.status == 404 && unknown.acme == "malformed")
    }
  }
}
