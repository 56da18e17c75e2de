import Testing

@testable import LatchkeySealedMessages

@Suite("Signature fields in their usual form, read without the parser of structured fields")
struct CanonicalFieldTests {
  private static let inputs = [
    #"a=("@method" "@target-uri" "content-digest");created=1;expires=301;nonce="n";keyid="k";alg="x";tag="t""#,
    #"latchkey=("@status" "@method";req "x";sf "y";bs;req "x");created=-1;tag="a,b;c=(""#,
    "a=()", "*=();created=0", "a.b-c_d*1=();created=999999999999999;expires=-999999999999999", #"a=();tag="""#,
    #"a=("x" "x";req "x";bs)"#,
  ]

  /// Valid or not, each has something that the usual form has not.
  private static let others = [
    "", "a", "a=", "a=1", "a=(", "a=()()", "a=(x)", "a=(1)", #"a=("")"#, #"a=("X")"#, #"a=("x" "x")"#, "a=(),", "a=() ",
    " a=()",
    #"a=("x";sf;bs "x";bs;sf)"#, #"a=("x";sf;sf)"#, #"a=("x";key="k")"#, #"a=("x";name="k")"#, #"a=("x";sf=?0)"#,
    #"a=("x";sf=?1)"#,
    #"a=("x";tr)"#, "a=();created=1.5", #"a=();created="1""#, "a=();created=1234567890123456", "a=();created=01",
    "a=();created=-0",
    "a=();created=00", "a=();created=-", "a=();created=", "a=();created", "a=();created=1;created=1", "a=();nonce=abc",
    #"a=();nonce="n";nonce="n""#, #"a=();keyid="\"""#, #"a=();keyid="\\""#, #"a=();keyid="k"#, "a=();keyid=:AQ==:",
    "a=();tag",
    "a=(), a=()", "a=(), b=()", "A=()", "1=()", "=()", "a =()", "a= ()", "a=();x=1", "a=(); created=1", #"a=( "x")"#,
    #"a=("x" )"#,
    #"a=("x"  "y")"#, #"a=("x""y")"#, "a=()\u{0}", "a=(\"x\n\")", #"a=("ä")"#, #"a=();tag="ä""#, "a=();tag=\"\u{7F}\"",
    #"a=("x" "y";req "z")x"#, "a=();",
    "a=(" + (0...24).map { "\"h\($0)\"" }.joined(separator: " ") + ")",
    "a=();tag=\"" + String(repeating: "t", count: 8192) + "\"",
  ]

  private func outcome<Value>(_ body: () throws -> Value) -> String {
    do { return "\(try body())" } catch { return "\(error)" }
  }

  private func read(_ input: String, _ signature: String) -> String {
    outcome { try SignatureFields(HTTPFields([("signature-input", input), ("signature", signature)])).entries }
  }

  @Test("The usual form gives what the parser gives, and is canonical", arguments: inputs)
  func usual(text: String) throws {
    let key = String(text.prefix { $0 != "=" })
    let read = try #require(CanonicalField.signatureInput(text))
    #expect(read.key == key && "\(key)=\(read.input.text)" == text)
    let signature = "\(key)=:AQ==:"
    #expect(self.read(text, signature) == outcome { try SignatureFields.parsed(text, signature) })
    #expect(self.read(text, signature).contains("isCanonical: true"))
  }

  @Test("Any other form is left to the parser", arguments: others)
  func other(text: String) {
    #expect(CanonicalField.signatureInput(text) == nil)
    let trimmed = HTTPFields([("x", text)])["x"] ?? ""
    #expect(read(text, "a=:AQ==:") == outcome { try SignatureFields.parsed(trimmed, "a=:AQ==:") })
  }

  @Test("A byte sequence alone is read, and no other member, padding or parameter")
  func byteSequences() throws {
    for (text, bytes) in [("a=::", []), ("sha-256=:AQ==:", [1]), ("*=:AQID:", [1, 2, 3])] as [(String, [UInt8])] {
      #expect(try #require(CanonicalField.byteSequence(text)).bytes == bytes)
    }
    for text in [
      "", "a", "a=", "a=:", "a=::x", "a=:AQ==", "a=:AQ:", "a=:AR==:", "a=:A:", "a=:AQ==:;x", "a=(:AQ==:)",
      "a=:AQ==:, b=:AQ==:",
      #"a="AQ==""#, "a=:AQ= =:", "a=:A\u{e4}==:", "A=:AQ==:", "a=:AQ==:,", "a=:AQ==: ",
      "a=:" + String(repeating: "A", count: 8192) + ":",
    ] {
      #expect(CanonicalField.byteSequence(text) == nil, "\(text)")
      #expect(
        outcome { try ContentDigest.verify(text, of: []) }
          == outcome { try ContentDigest.verifyParsed(text, sha256: { [] }, sha512: { [] }) }, "\(text)")
    }
  }

  @Test("Every label that differs between the two fields is refused") func labels() {
    #expect(read("a=()", "b=:AQ==:") == outcome { try SignatureFields.parsed("a=()", "b=:AQ==:") })
    #expect(throws: SealedMessageError.self) {
      try SignatureFields(HTTPFields([("signature-input", "a=()"), ("signature", "b=:AQ==:")]))
    }
  }

  @Test("Messages that this product signs have the usual form") func ownMessages() throws {
    var request = HTTPRequestMessage(
      method: "POST", targetURI: "https://x/y", fields: HTTPFields([("content-type", "application/json")]))
    let der: [UInt8] = [0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01]
    try SealedProfile.sign(
      &request, body: [1], keyID: "key", nonce: String(repeating: "n", count: 22), now: 1, by: { _ in der })
    var response = HTTPResponseMessage(status: 200, fields: HTTPFields([("content-type", "application/json")]))
    try SealedProfile.sign(&response, body: [1], to: request, keyID: "key", now: 1, by: { _ in der })
    for fields in [request.fields, response.fields] {
      #expect(CanonicalField.signatureInput(fields["signature-input"] ?? "") != nil)
      #expect(CanonicalField.byteSequence(fields["signature"] ?? "") != nil)
      #expect(CanonicalField.byteSequence(fields["content-digest"] ?? "")?.key == "sha-256")
    }
  }
}
