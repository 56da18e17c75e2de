import Crypto
import Foundation
import LatchkeySealedMessages
import Testing

@Suite("Requests signed in the product's profile")
struct SealedProfileRequestTests {
  @Test("A signed request verifies, and names signer, time and request")
  func verifies() throws {
    let verified = try Sample.verify(Sample.signedRequest())
    #expect(verified.keyID == "device-1")
    #expect(verified.created == Sample.now)
    #expect(verified.expires == Sample.now + 300)
    #expect(verified.nonce == Sample.nonce)
  }

  @Test("the fields have the form of RFC 9421, and r and s are 64 bytes")
  func form() throws {
    let request = try Sample.signedRequest()
    #expect(
      request.fields["signature-input"]
        == #"latchkey=("@method" "@target-uri" "content-digest" "content-type" "idempotency-key" "#
        + #""latchkey-approval");created=1700000000;expires=1700000300;nonce="\#(Sample.nonce)";keyid="device-1";"#
        + #"alg="ecdsa-p256-sha256";tag="latchkey-request""#)
    #expect(
      request.fields["content-digest"]
        == "sha-256=:" + Data(SHA256.hash(data: Sample.body)).base64EncodedString() + ":")
    let signature = try #require(request.fields["signature"])
    #expect(signature.hasPrefix("latchkey=:") && signature.hasSuffix(":"))
    #expect(Data(base64Encoded: String(signature.dropFirst(10).dropLast()))?.count == 64)
  }

  @Test("a request without a body needs neither digest nor type")
  func withoutBody() throws {
    var request = HTTPRequestMessage(method: "GET", targetURI: "https://bank.example/v1/accounts", fields: HTTPFields())
    try SealedProfile.sign(
      &request, body: [], keyID: "device-1", nonce: Sample.nonce, now: Sample.now, by: Sample.device.sign)
    #expect(request.fields["content-digest"] == nil)
    try Sample.verify(request, body: [])
    #expect(throws: SealedMessageError.notCovered("\"content-digest\"")) { try Sample.verify(request) }
  }

  @Test("another byte anywhere in it is refused", arguments: [0x01, 0x02, 0x20, 0x80] as [UInt8])
  func alteredByte(mask: UInt8) throws {
    let request = try Sample.signedRequest()
    func refuses(_ what: String, body: [UInt8] = Sample.body, _ change: (inout HTTPRequestMessage) -> Void) {
      var altered = request
      change(&altered)
      #expect(throws: SealedMessageError.self, "\(what)") { try Sample.verify(altered, body: body) }
    }
    for index in request.method.utf8.indices.enumerated().map(\.offset) {
      refuses("method \(index)") { $0.method = $0.method.altered(at: index, by: mask) }
    }
    for index in 0..<request.targetURI.utf8.count {
      refuses("target \(index)") { $0.targetURI = $0.targetURI.altered(at: index, by: mask) }
    }
    for index in Sample.body.indices {
      var body = Sample.body
      body[index] ^= mask
      refuses("body \(index)", body: body) { _ in }
    }
    for (number, line) in request.fields.lines.enumerated() where line.name != "Host" {
      for index in 0..<line.value.utf8.count {
        refuses("\(line.name) \(index)") {
          $0.fields.lines[number].value = line.value.altered(at: index, by: mask)
        }
      }
      // A name in the other case is the same name.
      for index in 0..<line.name.utf8.count where mask != 0x20 {
        refuses("name of \(line.name) \(index)") {
          $0.fields.lines[number].name = line.name.altered(at: index, by: mask)
        }
      }
    }
  }

  @Test("A removed, added or doubled field is refused")
  func fields() throws {
    let request = try Sample.signedRequest()
    for name in [
      "content-type", "content-digest", "idempotency-key", "latchkey-approval", "signature", "signature-input",
    ] {
      var without = request
      without.fields.lines.removeAll { $0.name.lowercased() == name }
      #expect(throws: SealedMessageError.self, "\(name) taken away") { try Sample.verify(without) }
      var doubled = request
      doubled.fields.lines.append((name, try #require(request.fields[name])))
      #expect(throws: SealedMessageError.self, "\(name) doubled") { try Sample.verify(doubled) }
    }
    var plain = Sample.request()
    plain.fields.lines.removeAll { ["idempotency-key", "latchkey-approval"].contains($0.name.lowercased()) }
    try SealedProfile.sign(
      &plain, body: Sample.body, keyID: "device-1", nonce: Sample.nonce, now: Sample.now, by: Sample.device.sign)
    for name in ["idempotency-key", "latchkey-approval"] {
      var added = plain
      added.fields.lines.append((name, "0123456789abcdef"))
      #expect(throws: SealedMessageError.notCovered("\"\(name)\"")) { try Sample.verify(added) }
    }
  }

  @Test("a covered field in two lines is refused, even though the base would be the same")
  func twoLines() throws {
    var request = Sample.request()
    request.fields.change("idempotency-key") { $0 = "first, second" }
    try SealedProfile.sign(
      &request, body: Sample.body, keyID: "device-1", nonce: Sample.nonce, now: Sample.now, by: Sample.device.sign)
    try Sample.verify(request)
    let index = try #require(request.fields.lines.firstIndex { $0.name == "Idempotency-Key" })
    request.fields.lines[index].value = "first"
    request.fields.lines.insert(("idempotency-key", "second"), at: index + 1)
    #expect(throws: SealedMessageError.malformed("idempotency-key: not in one line")) { try Sample.verify(request) }
  }

  @Test("the window is held to the second on both sides")
  func window() throws {
    let request = try Sample.signedRequest()
    for now in [-300, -1, 0, 1, 300].map({ Sample.now + $0 }) { try Sample.verify(request, now: now) }
    #expect(throws: SealedMessageError.outsideWindow(seconds: 301)) {
      try Sample.verify(request, now: Sample.now - 301)
    }
    #expect(throws: SealedMessageError.outsideWindow(seconds: -301)) {
      try Sample.verify(request, now: Sample.now + 301)
    }
    // Its own end counts where it comes before the window's.
    var short = Sample.request()
    try SealedProfile.sign(
      &short, body: Sample.body, keyID: "device-1", nonce: Sample.nonce, now: Sample.now,
      window: SealedProfile.Window(lifetime: 10), by: Sample.device.sign)
    try Sample.verify(short, now: Sample.now + 10)
    #expect(throws: SealedMessageError.outsideWindow(seconds: -1)) { try Sample.verify(short, now: Sample.now + 11) }
  }

  @Test("a life longer than the verifier's window is refused")
  func lifetime() throws {
    var request = Sample.request()
    try SealedProfile.sign(
      &request, body: Sample.body, keyID: "device-1", nonce: Sample.nonce, now: Sample.now,
      window: SealedProfile.Window(lifetime: 301), by: Sample.device.sign)
    #expect(throws: SealedMessageError.self) { try Sample.verify(request) }
  }

  @Test("any clock at all is answered with an error, never with a trap", arguments: [Int64.min, .max, 0, -1])
  func anyClock(now: Int64) throws {
    let request = try Sample.signedRequest()
    #expect(throws: SealedMessageError.self) { try Sample.verify(request, now: now) }
  }

  @Test("another key, an unknown one and a broken one are one error")
  func keys() throws {
    let request = try Sample.signedRequest()
    for key in [Array(Sample.server.publicKey.x963Representation), nil, [], [4, 0, 0]] as [[UInt8]?] {
      #expect(throws: SealedMessageError.notAuthentic) {
        try SealedProfile.verify(request, body: Sample.body, now: Sample.now) { _ in key }
      }
    }
  }

  @Test("DER of X9.62 is no signature on the wire")
  func der() throws {
    var request = try Sample.signedRequest()
    request.fields.change("signature") {
      let raw = Data(base64Encoded: String($0.dropFirst(10).dropLast())) ?? Data()
      let der = (try? P256.Signing.ECDSASignature(rawRepresentation: raw))?.derRepresentation ?? Data()
      $0 = "latchkey=:\(der.base64EncodedString()):"
    }
    #expect(throws: SealedMessageError.notAuthentic) { try Sample.verify(request) }
  }

  @Test("A value that the signer cannot encode is a misuse error, and the request is unchanged")
  func misuse() throws {
    func refuses(
      keyID: String = "device-1", nonce: String = Sample.nonce, fields: HTTPFields = Sample.request().fields,
      signature: [UInt8]? = nil
    ) throws {
      var request = Sample.request()
      request.fields = fields
      let before = request
      #expect {
        try SealedProfile.sign(&request, body: Sample.body, keyID: keyID, nonce: nonce, now: Sample.now) {
          try signature ?? Sample.device.sign($0)
        }
      } throws: { error in
        if case SealedMessageError.misuse = error { true } else { false }
      }
      #expect(request == before)
    }
    try refuses(keyID: "")
    try refuses(keyID: String(repeating: "k", count: 129))
    try refuses(keyID: "schlüssel")
    try refuses(nonce: String(repeating: "n", count: 21))
    try refuses(nonce: String(repeating: "n", count: 21) + "+")
    try refuses(fields: HTTPFields())
    try refuses(signature: [])
    try refuses(signature: [UInt8](repeating: 1, count: 64))
  }

  @Test("Signing again replaces the earlier signature")
  func signingAgain() throws {
    var request = try Sample.signedRequest()
    let nonce = "another-nonce-of-128-bits"
    try SealedProfile.sign(
      &request, body: Sample.body, keyID: "device-1", nonce: nonce, now: Sample.now + 5, by: Sample.device.sign)
    #expect(try Sample.verify(request).nonce == nonce)
    #expect(request.fields.lines.count == 7)
  }
}

@Suite("Responses signed in the product's profile")
struct SealedProfileResponseTests {
  @Test("a signed answer verifies beside its request, signed or not")
  func verifies() throws {
    let request = try Sample.signedRequest()
    let verified = try Sample.verify(Sample.signedResponse(to: request), to: request)
    #expect(verified.keyID == "server-1")
    #expect(verified.nonce == "")
    let plain = HTTPRequestMessage(method: "GET", targetURI: "https://bank.example/v1/accounts", fields: HTTPFields())
    let response = try Sample.signedResponse(to: plain)
    #expect(
      response.fields["signature-input"]?.hasPrefix(
        #"latchkey=("@status" "content-digest" "content-type" "@method";req "@target-uri";req);created="#) == true)
    try Sample.verify(response, to: plain)
  }

  @Test("an empty answer has a digest too")
  func empty() throws {
    let request = try Sample.signedRequest()
    var response = HTTPResponseMessage(status: 200, fields: HTTPFields())
    try SealedProfile.sign(&response, body: [], to: request, keyID: "server-1", now: Sample.now, by: Sample.server.sign)
    try Sample.verify(response, body: [], to: request)
    #expect(throws: SealedMessageError.notAuthentic) { try Sample.verify(response, body: [0], to: request) }
    response.fields.remove("content-digest")
    #expect(throws: SealedMessageError.malformed("content-digest: not in one line")) {
      try Sample.verify(response, body: [], to: request)
    }
  }

  @Test("an answer without content has no digest, and no body may be put into it")
  func noContent() throws {
    let request = try Sample.signedRequest()
    var response = HTTPResponseMessage(status: 204, fields: HTTPFields())
    try SealedProfile.sign(&response, body: [], to: request, keyID: "server-1", now: Sample.now, by: Sample.server.sign)
    #expect(response.fields["content-digest"] == nil)
    #expect(response.fields["signature-input"]?.hasPrefix(#"latchkey=("@status" "@method";req "#) == true)
    try Sample.verify(response, body: [], to: request)
    #expect(throws: SealedMessageError.notAuthentic) { try Sample.verify(response, body: [0], to: request) }
    // Neither another status, nor an unsigned digest or type.
    var altered = response
    altered.status = 200
    #expect(throws: SealedMessageError.notCovered("\"content-digest\"")) {
      try Sample.verify(altered, body: [], to: request)
    }
    for (name, value) in [("content-digest", ContentDigest.value(of: [])), ("content-type", "application/json")] {
      var added = response
      added.fields.replace(name, with: value)
      #expect(throws: SealedMessageError.notCovered("\"\(name)\"")) { try Sample.verify(added, body: [], to: request) }
    }
    #expect(throws: SealedMessageError.self) {
      var wrong = HTTPResponseMessage(status: 204, fields: HTTPFields())
      try SealedProfile.sign(
        &wrong, body: [1], to: request, keyID: "server-1", now: Sample.now, by: Sample.server.sign)
    }
  }

  @Test("another byte anywhere in it is refused", arguments: [0x01, 0x02, 0x20, 0x80] as [UInt8])
  func alteredByte(mask: UInt8) throws {
    let request = try Sample.signedRequest()
    let response = try Sample.signedResponse(to: request)
    for index in Sample.answer.indices {
      var body = Sample.answer
      body[index] ^= mask
      #expect(throws: SealedMessageError.notAuthentic, "body \(index)") {
        try Sample.verify(response, body: body, to: request)
      }
    }
    for (number, line) in response.fields.lines.enumerated() {
      for index in 0..<line.value.utf8.count {
        var altered = response
        altered.fields.lines[number].value = line.value.altered(at: index, by: mask)
        #expect(throws: SealedMessageError.self, "\(line.name) \(index)") { try Sample.verify(altered, to: request) }
      }
    }
    for status in [100, 201, 204, 400, 500] {
      var altered = response
      altered.status = status
      #expect(throws: SealedMessageError.notAuthentic) { try Sample.verify(altered, to: request) }
    }
  }

  @Test("answers to two requests cannot be swapped")
  func swapped() throws {
    let first = try Sample.signedRequest()
    var second = Sample.request()
    try SealedProfile.sign(
      &second, body: Sample.body, keyID: "device-1", nonce: "another-nonce-of-128-bits", now: Sample.now,
      by: Sample.device.sign)
    #expect(throws: SealedMessageError.notAuthentic) {
      try Sample.verify(Sample.signedResponse(to: second), to: first)
    }
    let accounts = HTTPRequestMessage(
      method: "GET", targetURI: "https://bank.example/v1/accounts", fields: HTTPFields())
    let device = HTTPRequestMessage(method: "GET", targetURI: "https://bank.example/v1/device", fields: HTTPFields())
    #expect(throws: SealedMessageError.notAuthentic) {
      try Sample.verify(Sample.signedResponse(to: device), to: accounts)
    }
    // One that was made for an unsigned request does not answer the signed one, nor the other way round.
    var unsigned = first
    unsigned.fields.lines.removeAll { $0.name.lowercased().hasPrefix("signature") }
    #expect(throws: SealedMessageError.notCovered("\"signature\";req")) {
      try Sample.verify(Sample.signedResponse(to: unsigned), to: first)
    }
    #expect(throws: SealedMessageError.self) {
      try Sample.verify(Sample.signedResponse(to: first), to: unsigned)
    }
  }

  @Test("a request's signature is none of an answer, nor an answer's one of a request")
  func reflected() throws {
    let request = try Sample.signedRequest()
    let response = try Sample.signedResponse(to: request)
    #expect(throws: SealedMessageError.self) {
      try SealedProfile.verify(
        HTTPResponseMessage(status: 200, fields: request.fields), body: Sample.body, to: request, now: Sample.now
      ) { _ in Array(Sample.device.publicKey.x963Representation) }
    }
    #expect(throws: SealedMessageError.self) {
      try SealedProfile.verify(
        HTTPRequestMessage(method: "POST", targetURI: request.targetURI, fields: response.fields), body: Sample.answer,
        now: Sample.now
      ) { _ in Array(Sample.server.publicKey.x963Representation) }
    }
  }

  @Test("an old answer is refused")
  func stale() throws {
    let request = try Sample.signedRequest()
    let response = try Sample.signedResponse(to: request)
    #expect(throws: SealedMessageError.outsideWindow(seconds: -301)) {
      try Sample.verify(response, to: request, now: Sample.now + 301)
    }
  }
}
