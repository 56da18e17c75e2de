import LatchkeyLedger
import LatchkeyServerTestSupport
import Crypto
import Foundation
import LatchkeyCertificateAuthority
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeySealedMessages
import Testing

@testable import LatchkeyEnrollmentServer

/// Each flaw of document 002's service, at a server: shown where its switch is open, closed as it stands by default, and in the
/// modern routes. A flaw of the bytes alone is in LatchkeySealedMessages' tests.
@Suite("The nine flaws at the old service")
struct NineFlawsServerTests {
  /// A transfer as the modern service expects it, signed by a device.
  private func modern(
    _ legacy: LegacyEnrollmentServer, _ device: TestDevice, amount: String = "23.23", nonce: String? = nil,
    tamper: (inout HTTPRequestMessage, inout [UInt8]) -> Void = { _, _ in }
  ) async throws -> TestAnswer {
    var body = Array(
      #"{"from":"654654123123","to":"123123456456","amount":"\#(amount)","currency":"EUR","notes":"Only if it came."}"#
        .utf8)
    var message = HTTPRequestMessage(
      method: "POST", targetURI: legacy.server.url + Routes.transfers,
      fields: LatchkeySealedMessages.HTTPFields([
        ("content-type", "application/json"), (HeaderNames.idempotencyKey, Identifier.random().description),
      ]))
    try SealedProfile.sign(
      &message, body: body, keyID: device.id.description, nonce: nonce ?? Identifier.random().description,
      now: Int64(legacy.server.clock.now.timeIntervalSince1970)
    ) { Array(try device.key.signature(for: $0).derRepresentation) }
    tamper(&message, &body)
    let (fields, sent) = (message.fields.lines, body)
    return try await legacy.server.withClient(device) {
      try await $0.request("POST", Routes.transfers, headers: fields.map { ($0.name, $0.value) }, body: sent)
    }
  }

  /// The payload of one envelope under the MAC of another.
  private func spliced(_ legacy: LegacyEnrollmentServer, mac: LegacyTransfer, payload: LegacyTransfer) throws
    -> [UInt8]
  {
    func members(_ transfer: LegacyTransfer) throws -> [String: String] {
      try JSONDecoder().decode([String: String].self, from: Data(legacy.sealed(transfer)))
    }
    var body = try members(payload)
    body["mac"] = try members(mac)["mac"]
    return Array(try JSONEncoder().encode(body))
  }

  @Test("1: digits move from one account to the other under one MAC; the rule stops it")
  func concatenation() async throws {
    for isOpen in [true, false] {
      try await LegacyEnrollmentServer.with {
        if isOpen { $0.accountDigits = nil }
      } _: { legacy in
        let (token, device) = try await legacy.session()
        let body = try spliced(
          legacy, mac: legacy.transfer(to: "12", from: "3", amount: "45.00"),
          payload: legacy.transfer(to: "1", from: "23", amount: "45.00"))
        let answer = try await legacy.send(body, over: device, token: token)
        if isOpen {
          // The MAC passes. That no account here has such a number is the ledger's merit, not the envelope's.
          #expect(answer.text == #"{"result":"ERROR","additional_info":"Unknown Account"}"#)
        } else {
          answer.expectIntegrityError()
        }
      }
    }
  }

  @Test("2: a flipped bit of the vector removes a remark; the modern route refuses a changed byte")
  func malleability() async throws {
    try await LegacyEnrollmentServer.with { legacy in
      let (token, device) = try await legacy.session()
      // Some old clients write the remark first.
      let transfer = try legacy.transfer(notes: "Only if it came.")
      let plaintext =
        #"{"transferNotes":"\#(transfer.transferNotes)","toAccount":"\#(transfer.toAccount)","#
        + #""fromAccount":"\#(transfer.fromAccount)","transferDate":"\#(transfer.transferDate)","amount":"23.23"}"#
      var iv = [UInt8](repeating: 5, count: 16)
      let ciphertext = try #require(legacy.keys.encrypt(Array(plaintext.utf8), iv: iv))
      iv[14] ^= 0x01
      let mac = legacy.keys.code(of: transfer.authenticated).map { String(format: "%02x", $0) }.joined()
      let body = try JSONEncoder().encode([
        "iv": Data(iv).base64EncodedString(), "mac": mac, "payload": Data(ciphertext).base64EncodedString(),
      ])
      // This the old bytes cannot help.
      #expect(try await legacy.send(Array(body), over: device, token: token).status == 200)
      let answer = try await modern(legacy, device) { _, body in
        body = Array(String(decoding: body, as: UTF8.self).replacing("Only if it came.", with: "").utf8)
      }
      #expect(answer.status == 401)
      #expect(answer.code == .notAuthenticated)
    }
  }

  @Test("3: a server that decrypts first must not reveal the error; padding and MAC failures have one answer")
  func oracle() async throws {
    try await LegacyEnrollmentServer.with { legacy in
      let (token, device) = try await legacy.session()
      var members = try JSONDecoder().decode(
        [String: String].self, from: Data(legacy.sealed(legacy.transfer())))
      let ciphertext = try #require(Data(base64Encoded: members["payload"] ?? ""))
      var answers: Set<String> = []
      for last in UInt8.min ... .max where last % 8 != 0 {
        // The byte before the last block decides the padding: right for one value of 256.
        var altered = ciphertext
        altered[altered.count - 17] ^= last
        members["payload"] = altered.base64EncodedString()
        let answer = try await legacy.send(Array(JSONEncoder().encode(members)), over: device, token: token)
        answers.insert("\(answer.status) \(answer.text)")
      }
      #expect(answers == [#"400 {"result":"ERROR","additional_info":"Message Integrity Error"}"#])
    }
  }

  @Test("4: each copy of the app seals for every user; certificate and token still protect, where they are required")
  func staticKeys() async throws {
    for isOpen in [true, false] {
      try await LegacyEnrollmentServer.with {
        $0.allowsMissingCertificate = isOpen
      } _: { legacy in
        let (stolen, _) = try await legacy.session()
        let thief = try await legacy.session(of: "other").device
        let body = try legacy.sealed(legacy.transfer())
        let without = try await legacy.send(body, over: nil, token: stolen)
        #expect(without.status == (isOpen ? 200 : 401))
        let over = try await legacy.send(legacy.sealed(legacy.transfer()), over: thief, token: stolen)
        #expect(over.status == 401)
        #expect(try await modern(legacy, thief).code == .unknownAccount)
      }
    }
  }

  @Test("5: a captured transfer comes again; vector, MAC and ciphertext are remembered, and the modern nonce")
  func replay() async throws {
    for isOpen in [true, false] {
      try await LegacyEnrollmentServer.with {
        $0.allowsReplay = isOpen
      } _: { legacy in
        let (token, device) = try await legacy.session()
        let body = try legacy.sealed(legacy.transfer())
        #expect(try await legacy.send(body, over: device, token: token).status == 200)
        let again = try await legacy.send(body, over: device, token: token)
        // Over another device of the same user, too.
        let (otherToken, otherDevice) = try await legacy.session()
        let elsewhere = try await legacy.send(body, over: otherDevice, token: otherToken)
        if isOpen {
          #expect(again.status == 200 && elsewhere.status == 200)
          #expect(try await legacy.balance(LegacyEnrollmentServer.checking) == 506_969)
        } else {
          again.expectIntegrityError()
          elsewhere.expectIntegrityError()
          // Neither does another order of its members make a new request of it.
          let members = try JSONDecoder().decode([String: String].self, from: Data(body))
          for _ in 0..<4 {
            try await legacy.send(Array(JSONEncoder().encode(members)), over: device, token: token)
              .expectIntegrityError()
          }
          #expect(try await legacy.balance(LegacyEnrollmentServer.checking) == 502_323)
          // Once more in a year: still known.
          legacy.server.clock.advance(by: 3600)
          #expect(
            try await legacy.server.store.write { try $0.forgetEnded(now: 4_000_000_000 / 2, limit: 1000) } >= 0)
        }
        let nonce = Identifier.random().description
        #expect(try await modern(legacy, device, nonce: nonce).status == 201)
        #expect(try await modern(legacy, device, nonce: nonce).code == .replayed)
      }
    }
  }

  @Test("5: dates far from now are refused where a window is set")
  func window() async throws {
    try await LegacyEnrollmentServer.with {
      $0.dateWindow = 300
    } _: { legacy in
      let (token, device) = try await legacy.session()
      let now = Int64(legacy.server.clock.now.timeIntervalSince1970)
      for (distance, isIn) in [
        (0, true), (-250, true), (250, true), (-400, false), (400, false), (-86_400 * 365, false),
      ] {
        let transfer = try legacy.transfer(date: now + Int64(distance))
        let answer = try await legacy.send(legacy.sealed(transfer), over: device, token: token)
        if isIn { #expect(answer.status == 200) } else { answer.expectIntegrityError() }
      }
    }
    try await LegacyEnrollmentServer.with {
      $0.allowsAnyDate = true
    } _: { legacy in
      let (token, device) = try await legacy.session()
      let old = try legacy.transfer(date: 1_330_318_800)
      #expect(try await legacy.send(legacy.sealed(old), over: device, token: token).status == 200)
    }
  }

  @Test("6: a MAC is compared as bytes; text that looks like the same number is refused")
  func comparison() async throws {
    try await LegacyEnrollmentServer.with { legacy in
      let (token, device) = try await legacy.session()
      var members = try JSONDecoder().decode(
        [String: String].self, from: Data(legacy.sealed(legacy.transfer())))
      for mac in ["0", "0e0", "0e" + String(repeating: "1", count: 62), "", members["mac"]?.uppercased() ?? ""] {
        members["mac"] = mac
        try await legacy.send(Array(JSONEncoder().encode(members)), over: device, token: token)
          .expectIntegrityError()
      }
    }
  }

  @Test("7: the PIN stands in the address; the server logs no address, and ten thousand PINs cannot be tried")
  func pinInAddress() async throws {
    try await LegacyEnrollmentServer.with { legacy in
      let (_, device) = try await legacy.register(pin: "0815")
      var refused: [Int] = []
      for pin in 0..<8 {
        let text = try LegacyPIN.seal(String(format: "%04d", pin), keys: legacy.keys)
        let query = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let answer = try await legacy.server.withClient(device) {
          try await $0.request("POST", LegacyEnrollment.authenticateCertificate + "?pin=\(query)")
        }
        refused.append(answer.status)
      }
      #expect(refused == [401, 401, 401, 401, 401, 429, 429, 429])
      let failures = try await legacy.server.store.read { try $0.user(named: "nick")?.failures }
      #expect(failures == 5)
      // The store has a hash of the PIN alone.
      let kept = try await legacy.server.store.read { try $0.setting("documented.pin.\(device.id)") }
      #expect(String(decoding: try #require(kept), as: UTF8.self).hasPrefix("$scrypt$"))
    }
  }

  @Test("8: a binary fraction loses a cent before it is sealed; here money is minor units, and its text is exact")
  func doubles() async throws {
    try await LegacyEnrollmentServer.with { legacy in
      let (token, device) = try await legacy.session()
      let now = Int64(legacy.server.clock.now.timeIntervalSince1970)
      let rounded = try LegacyTransfer(
        to: LegacyEnrollmentServer.checking, from: LegacyEnrollmentServer.savings, amount: 2.675, now: now)
      #expect(try await legacy.send(legacy.sealed(rounded), over: device, token: token).status == 200)
      #expect(try await legacy.balance(LegacyEnrollmentServer.checking) == 500_267)
      #expect(try await modern(legacy, device, amount: "2.675").status == 400)
      #expect(try await modern(legacy, device, amount: "2.68").status == 201)
      #expect(try await legacy.balance(LegacyEnrollmentServer.checking) == 500_535)
    }
  }

  @Test("9: the old answer is unsigned; the modern one is signed by the key that the device knows")
  func serverTrust() async throws {
    try await LegacyEnrollmentServer.with { legacy in
      let (token, device) = try await legacy.session()
      try await legacy.server.withClient(device) { client in
        let old = try await client.request(
          "GET", LegacyEnrollment.accounts, headers: [(LegacyEnrollment.tokenHeader, token)])
        #expect(old.header("signature") == nil)
        let request = try legacy.server.question("GET", Routes.accounts)
        let answer = try await client.ask(request)
        let response = HTTPResponseMessage(
          status: answer.status, fields: LatchkeySealedMessages.HTTPFields(answer.headers))
        let now = Int64(legacy.server.clock.now.timeIntervalSince1970)
        let own = legacy.server.answerKey.publicKey
        _ = try SealedProfile.verify(response, body: answer.body, to: request, now: now) { _ in own }
        let foreign = Array(P256.Signing.PrivateKey().publicKey.x963Representation)
        #expect(throws: SealedMessageError.notAuthentic) {
          try SealedProfile.verify(response, body: answer.body, to: request, now: now) { _ in foreign }
        }
      }
    }
  }
}
