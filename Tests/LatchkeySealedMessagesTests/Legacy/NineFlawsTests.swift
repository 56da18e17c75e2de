import Crypto
import Foundation
import LatchkeyByteCoding
import LatchkeySealedMessages
import Testing

/// Each flaw of the legacy envelope: shown there, and closed in the signed messages that stand in its place.
@Suite("The nine flaws of the documented envelope")
struct NineFlawsTests {
  private let keys: LegacyEnvelopeKeys
  init() throws { keys = try SampleEnvelope.keys() }

  /// A signed request with another body, as an attacker without the device's key can make it.
  private func signed(_ body: String) throws -> HTTPRequestMessage {
    var request = Sample.request()
    try SealedProfile.sign(
      &request, body: Array(body.utf8), keyID: "device-1", nonce: Sample.nonce, now: Sample.now, by: Sample.device.sign)
    return request
  }

  @Test("1: fields run into one another: two transfers, one MAC")
  func concatenation() throws {
    let first = LegacyTransfer(
      toAccount: "12", fromAccount: "3", transferDate: "2012-02-27", transferNotes: "", amount: "45.00")
    let second = LegacyTransfer(
      toAccount: "1", fromAccount: "23", transferDate: "2012-02-27", transferNotes: "", amount: "45.00")
    var members = try SampleEnvelope.members(SampleEnvelope.sealed(first))
    members["payload"] = try SampleEnvelope.members(SampleEnvelope.sealed(second))["payload"]
    #expect(try SampleEnvelope.open(members).transfer == second)
    // Closed for old clients by the rule, which their accounts keep.
    #expect(!first.isUnambiguous(accountDigits: 12) && !second.isUnambiguous(accountDigits: 12))
    #expect(SampleEnvelope.transfer.isUnambiguous(accountDigits: 12))
    // Closed in the signed request: all bytes are covered.
    let request = try signed(#"{"to":"12","from":"3"}"#)
    #expect(throws: SealedMessageError.notAuthentic) {
      try Sample.verify(request, body: Array(#"{"to":"1","from":"23"}"#.utf8))
    }
  }

  @Test("2: remark, structure and vector are outside the MAC: a flipped bit of the vector removes the remark")
  func malleability() throws {
    let plaintext =
      #"{"transferNotes":"Only if the goods arrived.","toAccount":"123123456456","fromAccount":"654654123123","#
      + #""transferDate":"2012-02-27 05:00:00 +0000","amount":"23.23"}"#
    var members = try SampleEnvelope.envelope(plaintext, authenticated: SampleEnvelope.transfer.authenticated)
    #expect(try SampleEnvelope.open(members).transfer.transferNotes == "Only if the goods arrived.")
    var iv = SampleEnvelope.counting(16)
    iv[14] ^= 0x01  // "transferNotes" becomes "transferNoter".
    members["iv"] = Data(iv).base64EncodedString()
    let opened = try SampleEnvelope.open(members).transfer
    #expect(opened.transferNotes == "")
    #expect(opened.amount == "23.23")
    // And the vector may be any: with it the rest of the first block.
    iv = SampleEnvelope.counting(16)
    for (index, (old, new)) in zip(#"{"transferNotes""#.utf8, #"{"x": "y" ,  "z""#.utf8).enumerated() {
      iv[index] ^= old ^ new
    }
    members["iv"] = Data(iv).base64EncodedString()
    #expect(try SampleEnvelope.open(members).transfer.transferNotes == "")

    let request = try signed(#"{"notes":"Only if the goods arrived."}"#)
    for body in [#"{"noter":"Only if the goods arrived."}"#, "{}", ""] {
      #expect(throws: SealedMessageError.self) { try Sample.verify(request, body: Array(body.utf8)) }
    }
    var elsewhere = request
    elsewhere.targetURI = "https://bank.example:8443/v1/transfers?dry=1"
    #expect(throws: SealedMessageError.notAuthentic) {
      try Sample.verify(elsewhere, body: Array(#"{"notes":"Only if the goods arrived."}"#.utf8))
    }
  }

  @Test("3: the MAC is of the plaintext: equal transfers show, and distinguishable errors make an oracle")
  func macAndEncrypt() throws {
    let first = try SampleEnvelope.members(SampleEnvelope.sealed())
    let second = try SampleEnvelope.members(
      LegacyEnvelope.seal(SampleEnvelope.transfer, keys: keys) { [UInt8](repeating: 9, count: $0) })
    #expect(first["payload"] != second["payload"])
    #expect(first["mac"] == second["mac"])
    // The document's client says which of the two it was; that is a padding oracle. The opener of requests does not.
    var response = try SampleEnvelope.members(
      LegacyEnvelope.sealResponse(Array("[]".utf8), keys: keys, random: SampleEnvelope.counting))
    response["mac"] = String(repeating: "0", count: 64)
    #expect(throws: SealedMessageError.notAuthentic) {
      try LegacyEnvelope.openResponse(SampleEnvelope.json(response), keys: keys)
    }
    response["payload"] = Data(count: 16).base64EncodedString()
    #expect(throws: SealedMessageError.malformed("envelope: cannot be decrypted")) {
      try LegacyEnvelope.openResponse(SampleEnvelope.json(response), keys: keys)
    }
    for change in [("mac", String(repeating: "0", count: 64)), ("payload", Data(count: 16).base64EncodedString())] {
      var request = first
      request[change.0] = change.1
      #expect(throws: SealedMessageError.notAuthentic) { try SampleEnvelope.open(request) }
    }
    // Signed requests are verified before anything is read, and two of one content have nothing in common.
    let one = try Sample.signedRequest()
    var two = Sample.request()
    try SealedProfile.sign(
      &two, body: Sample.body, keyID: "device-1", nonce: "another-nonce-of-128-bits", now: Sample.now,
      by: Sample.device.sign)
    #expect(one.fields["signature"] != two.fields["signature"])
  }

  @Test("4: one pair of keys in every copy of the app, for both directions: any user is any other, and the server")
  func staticKeys() throws {
    // Another copy of the app opens what this one sealed, and seals messages that the server accepts, in either direction.
    let copy = try SampleEnvelope.keys()
    var stolen = try LegacyEnvelope.openTransfer(SampleEnvelope.sealed(), keys: copy).transfer
    stolen.toAccount = "999999999999"
    let forged = try LegacyEnvelope.seal(stolen, keys: copy, random: SampleEnvelope.counting)
    #expect(try LegacyEnvelope.openTransfer(forged, keys: keys).transfer.toAccount == "999999999999")
    let list = try LegacyEnvelope.sealResponse(Array("[]".utf8), keys: copy, random: SampleEnvelope.counting)
    #expect(try LegacyEnvelope.openResponse(list, keys: keys) == Array("[]".utf8))
    // A key of its own in every device, and the server's own: no other signs, and none in the other direction.
    var request = Sample.request()
    try SealedProfile.sign(
      &request, body: Sample.body, keyID: "device-1", nonce: Sample.nonce, now: Sample.now,
      by: P256.Signing.PrivateKey.sample(3).sign)
    #expect(throws: SealedMessageError.notAuthentic) { try Sample.verify(request) }
    let good = try Sample.signedRequest()
    var response = HTTPResponseMessage(status: 200, fields: HTTPFields([("Content-Type", "application/json")]))
    try SealedProfile.sign(
      &response, body: Sample.answer, to: good, keyID: "server-1", now: Sample.now, by: Sample.device.sign)
    #expect(throws: SealedMessageError.notAuthentic) { try Sample.verify(response, to: good) }
    #expect(throws: SealedMessageError.self) {
      try Sample.verify(HTTPResponseMessage(status: 200, fields: good.fields), body: Sample.body, to: good)
    }
  }

  @Test("5: nothing stops a second use")
  func replay() throws {
    let body = try SampleEnvelope.sealed()
    let first = try LegacyEnvelope.openTransfer(body, keys: keys)
    let years = try LegacyEnvelope.openTransfer(body, keys: keys)
    #expect(first == years)
    // A server can do this for old clients: vector and MAC name the message, and its date can be held to a window.
    #expect(first.iv.count == 16 && first.mac.count == 32)
    #expect(LegacyDate.seconds(first.transfer.transferDate) == 1_330_318_800)
    // A signed request names itself, and ends.
    let request = try Sample.signedRequest()
    var seen: Set<String> = []
    #expect(try seen.insert(Sample.verify(request).nonce).inserted)
    #expect(try !seen.insert(Sample.verify(request).nonce).inserted)
    #expect(throws: SealedMessageError.outsideWindow(seconds: -301)) {
      try Sample.verify(request, now: Sample.now + 301)
    }
    var renamed = request
    renamed.fields.change("signature-input") { $0 = $0.replacing(Sample.nonce, with: "another-nonce-of-128-bits") }
    #expect(throws: SealedMessageError.notAuthentic) { try Sample.verify(renamed) }
  }

  @Test("6: the MAC is compared as if it were a number, or until the first difference")
  func comparison() throws {
    /// PHP's `==` of two strings that look like numbers.
    func loose(_ a: String, _ b: String) -> Bool { Double(a).map { $0 == Double(b) } ?? (a == b) }
    let (a, b) = ("0e" + String(repeating: "1", count: 62), "0e" + String(repeating: "2", count: 62))
    #expect(a != b && loose(a, b))
    // Here a MAC is 32 bytes, and all of them are compared.
    var members = try SampleEnvelope.members(SampleEnvelope.sealed())
    for text in [a, b, "0", "0e0", ""] {
      members["mac"] = text
      #expect(throws: SealedMessageError.notAuthentic) { try SampleEnvelope.open(members) }
    }
    for index in 0..<32 {
      var mac = try Hexadecimal.decode(SampleEnvelope.mac)
      mac[index] ^= 0x80
      members["mac"] = Hexadecimal.encode(mac)
      #expect(throws: SealedMessageError.notAuthentic, "byte \(index)") { try SampleEnvelope.open(members) }
    }
    // A signature is not compared at all, and a digest in constant time.
    let request = try Sample.signedRequest()
    for index in 0..<64 {
      var altered = request
      altered.fields.change("signature") { text in
        var bytes = Data(base64Encoded: String(text.dropFirst(10).dropLast())) ?? Data()
        bytes[index] ^= 0x80
        text = "latchkey=:\(bytes.base64EncodedString()):"
      }
      #expect(throws: SealedMessageError.notAuthentic, "byte \(index)") { try Sample.verify(altered) }
    }
  }

  @Test("7: the PIN goes into the address, under a vector of zeros: one text for one PIN, found among 10 000")
  func pinInAddress() throws {
    let logged = try LegacyPIN.seal("4711", keys: keys)
    #expect(try logged == LegacyPIN.seal("4711", keys: keys))
    let found = try (0..<10_000).lazy.map { String(format: "%04d", $0) }
      .first { try LegacyPIN.seal($0, keys: SampleEnvelope.keys()) == logged }
    #expect(found == "4711")
    // A signed request proves who asks with nothing in its address, and never in the same way twice.
    let request = try Sample.signedRequest()
    #expect(request.targetURI == Sample.request().targetURI)
    #expect(!request.fields.lines.contains { $0.value.contains("4711") })
  }

  @Test("8: amounts are binary fractions, and the date is read twice")
  func doublesAndClocks() throws {
    #expect(try LegacyTransfer(amount: 2.675, now: 0).amount == "2.67")
    #expect(try LegacyTransfer(amount: 0.1 + 0.2 - 0.295, now: 0).amount == "0.01")
    // The document's code: one clock for the payload, another for the MAC; across a second its own message is refused.
    let early = try LegacyTransfer(to: "123123456456", from: "654654123123", amount: 1, now: 1_330_318_799)
    let late = try LegacyTransfer(to: "123123456456", from: "654654123123", amount: 1, now: 1_330_318_800)
    #expect(throws: SealedMessageError.notAuthentic) {
      try SampleEnvelope.open(
        SampleEnvelope.envelope(String(decoding: early.plaintext, as: UTF8.self), authenticated: late.authenticated))
    }
    // Here one clock serves both; and what is signed is the amount's text, every digit of it.
    #expect(try LegacyEnvelope.openTransfer(SampleEnvelope.sealed(early), keys: keys).transfer == early)
    let request = try signed(#"{"amount":"2.675"}"#)
    try Sample.verify(request, body: Array(#"{"amount":"2.675"}"#.utf8))
    for body in [#"{"amount":"2.67"}"#, #"{"amount":"2.6750"}"#, #"{"amount":2.675}"#] {
      #expect(throws: SealedMessageError.notAuthentic) { try Sample.verify(request, body: Array(body.utf8)) }
    }
  }

  @Test("9: the server is not authenticated")
  func serverTrust() throws {
    // Each copy of the app can answer as the bank: nothing in the answer names a server or the request.
    let impostor = try LegacyEnvelope.sealResponse(
      Array(#"[{"name":"a","number":"1","balance":"0.00"}]"#.utf8), keys: SampleEnvelope.keys(),
      random: SampleEnvelope.counting)
    #expect(try LegacyAccount.accounts(in: LegacyEnvelope.openResponse(impostor, keys: keys)).count == 1)
    // A signed answer counts under the server's own key alone, and for its own question.
    let request = try Sample.signedRequest()
    var response = HTTPResponseMessage(status: 200, fields: HTTPFields([("Content-Type", "application/json")]))
    try SealedProfile.sign(
      &response, body: Sample.answer, to: request, keyID: "server-1", now: Sample.now,
      by: P256.Signing.PrivateKey.sample(9).sign)
    #expect(throws: SealedMessageError.notAuthentic) { try Sample.verify(response, to: request) }
    try SealedProfile.sign(
      &response, body: Sample.answer, to: request, keyID: "server-9", now: Sample.now,
      by: P256.Signing.PrivateKey.sample(9).sign)
    #expect(throws: SealedMessageError.notAuthentic) { try Sample.verify(response, to: request) }
    for name in ["signature", "signature-input"] {
      var unsigned = try Sample.signedResponse(to: request)
      unsigned.fields.lines.removeAll { $0.name.lowercased() == name }
      #expect(throws: SealedMessageError.self) { try Sample.verify(unsigned, to: request) }
    }
  }
}
