import LatchkeySealedMessages
import Testing

@Suite("Asking for a signed answer")
struct SealedProfileAskingTests {
  private static let other = "another-nonce-of-128-bits"

  private func question(_ nonce: String? = Sample.nonce) throws -> HTTPRequestMessage {
    var request = HTTPRequestMessage(method: "GET", targetURI: "https://bank.example/v1/accounts", fields: HTTPFields())
    if let nonce { try SealedProfile.ask(&request, nonce: nonce) }
    return request
  }

  private func question(saying field: String) -> HTTPRequestMessage {
    HTTPRequestMessage(
      method: "GET", targetURI: "https://bank.example/v1/accounts",
      fields: HTTPFields([("Accept-Signature", field)]))
  }

  @Test("the field has the form of RFC 9421 5.1, with the label and the components that come")
  func form() throws {
    let request = try question()
    #expect(
      request.fields["accept-signature"]
        == #"latchkey=("@status" "content-digest" "content-type" "@method";req "@target-uri";req);created;expires;"#
        + #"nonce="\#(Sample.nonce)";alg="ecdsa-p256-sha256";tag="latchkey-response""#)
    let input = try #require(try Sample.signedResponse(to: request).fields["signature-input"])
    #expect(
      input
        == #"latchkey=("@status" "content-digest" "content-type" "@method";req "@target-uri";req);created=1700000000;"#
        + #"expires=1700000300;nonce="\#(Sample.nonce)";keyid="server-1";alg="ecdsa-p256-sha256";"#
        + #"tag="latchkey-response""#)
  }

  @Test("a signed request wants a signed answer, a plain one does not, one that asks does")
  func wants() throws {
    let signed = try SealedProfile.wantsSignedAnswer(Sample.signedRequest())
    let plain = try SealedProfile.wantsSignedAnswer(question(nil))
    let asking = try SealedProfile.wantsSignedAnswer(question())
    #expect(signed && !plain && asking)
  }

  @Test("the answer carries the nonce")
  func carries() throws {
    let request = try question()
    let verified = try Sample.verify(Sample.signedResponse(to: request), to: request)
    #expect(verified.nonce == Sample.nonce)
  }

  @Test("an earlier answer to the same question does not count")
  func earlier() throws {
    let (first, second, plain) = (try question(), try question(Self.other), try question(nil))
    let answer = try Sample.signedResponse(to: first)
    let unasked = try Sample.signedResponse(to: plain)
    #expect(throws: SealedMessageError.notAuthentic) { try Sample.verify(answer, to: second) }
    #expect(throws: SealedMessageError.notAuthentic) { try Sample.verify(unasked, to: first) }
  }

  @Test("Asking again replaces the earlier request")
  func again() throws {
    var request = try question()
    try SealedProfile.ask(&request, nonce: Self.other)
    #expect(request.fields.lines.count == 1)
    let answer = try Sample.signedResponse(to: request)
    #expect(try Sample.verify(answer, to: request).nonce == Self.other)
  }

  @Test(
    "what other profiles are asked for is passed over", arguments: ["sig=()", #"sig=("@status");tag="other""#, "a=1"])
  func others(field: String) throws {
    let wants = try SealedProfile.wantsSignedAnswer(question(saying: field))
    #expect(!wants)
    let both = question(saying: "\(field), latchkey=();nonce=\"\(Sample.nonce)\";tag=\"latchkey-response\"")
    #expect(try Sample.verify(Sample.signedResponse(to: both), to: both).nonce == Sample.nonce)
  }

  @Test(
    "a field that is none, or asks without a proper nonce, is refused",
    arguments: [
      "", "latchkey=(", "é", #"latchkey=();tag="latchkey-response""#,
      #"latchkey=();nonce="short";tag="latchkey-response""#, #"latchkey=();nonce=12;tag="latchkey-response""#,
      #"a=();nonce="bm9uY2Utb2YtMTI4LWJpdA";tag="latchkey-response", b=();nonce="bm9uY2Utb2YtMTI4LWJpdA";"#
        + #"tag="latchkey-response""#,
    ])
  func malformed(field: String) throws {
    let request = question(saying: field)
    #expect(throws: SealedMessageError.self) { _ = try SealedProfile.wantsSignedAnswer(request) }
    #expect(throws: SealedMessageError.self) { _ = try Sample.signedResponse(to: request) }
    var signed = try Sample.signedRequest()
    signed.fields.lines.append(("accept-signature", field))
    #expect(throws: SealedMessageError.self) { _ = try SealedProfile.wantsSignedAnswer(signed) }
  }

  @Test("A nonce that can be guessed is misuse, and nothing is asked")
  func shortNonce() throws {
    var request = try question(nil)
    do {
      try SealedProfile.ask(&request, nonce: "short")
      Issue.record("asked with a short nonce")
    } catch {
      guard case .misuse = error else { throw error }
    }
    #expect(request.fields.lines.isEmpty)
  }
}
