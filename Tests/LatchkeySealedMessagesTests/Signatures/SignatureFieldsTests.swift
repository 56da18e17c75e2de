import Foundation
import LatchkeySealedMessages
import Testing

@Suite("The fields Signature-Input and Signature")
struct SignatureFieldsTests {
  private let good = #"a=("@method" "x";sf "y";key="k" "z";bs;req);created=1;keyid="q\"\\";unknown=tok"#

  private func entries(_ input: String, _ signature: String = "a=:AQ==:") throws -> [SignatureFields.Entry] {
    try SignatureFields(HTTPFields([("signature-input", input), ("signature", signature)])).entries
  }

  @Test("components and parameters are read in order, and known parameters by name")
  func reads() throws {
    let entry = try #require(entries(good).first)
    #expect(entry.label == "a")
    #expect(entry.signature == [1])
    #expect(entry.isCanonical)
    #expect(
      entry.input.components == [
        CoveredComponent("@method"), CoveredComponent("x", [.strict]), CoveredComponent("y", [.key("k")]),
        CoveredComponent("z", [.bytes, .request]),
      ])
    #expect(entry.input.created == 1)
    #expect(entry.input.keyID == #"q"\"#)
    #expect(entry.input.expires == nil && entry.input.nonce == nil && entry.input.tag == nil)
    #expect("a=" + entry.input.text == good)
  }

  @Test("several signatures stand beside one another, in one line or in more")
  func several() throws {
    let joined = try entries(#"a=();tag="1,2", b=();tag="(\",""#, "b=:Ag==:,a=:AQ==:")
    #expect(joined.map(\.label) == ["a", "b"])
    #expect(joined.map(\.signature) == [[1], [2]])
    #expect(joined.map(\.input.tag) == ["1,2", #"(","#])
    let lines = try SignatureFields(
      HTTPFields([
        ("Signature-Input", "a=()"), ("Signature", "a=:AQ==:"), ("Signature-Input", "b=()"), ("Signature", "b=:Ag==:"),
      ]))
    #expect(lines.entries.map(\.label) == ["a", "b"])
  }

  @Test("Another spelling of the same value is read, and recorded as different")
  func notCanonical() throws {
    for text in [
      #"a=( "@method")"#, #"a=("@method"  "@path")"#, "a=();created=01", "a=();created=1;created=2", "a=(); x",
    ] {
      #expect(try entries(text).first?.isCanonical == false, "\(text)")
    }
  }

  @Test(
    "A malformed Signature-Input is refused",
    arguments: [
      "", "a", "a=", "a=1", "a=(", "a=()()", "a=(x)", "a=(1)", #"a=("")"#, #"a=("X")"#, #"a=("x" "x")"#, "a=(),",
      #"a=("x";key="k";bs "x";bs;key="k")"#, #"a=("x";tr)"#, #"a=("x";sf=?0)"#, #"a=("x";sf=1)"#, #"a=("x";key=k)"#,
      #"a=("x";other)"#, "a=();created=1.5", #"a=();created="1""#, "a=();created=1234567890123456", "a=();nonce=abc",
      "a=();keyid=:AQ==:", "a=();alg=?1", "a=();tag", "a=(), a=()", "a=(), b=()", "A=()", "a=()\u{0}", "a=(\"x\n\")",
      #"a=("ä")"#,
    ])
  func refused(text: String) {
    #expect(throws: SealedMessageError.self) { try entries(text) }
  }

  @Test(
    "A malformed Signature is refused",
    arguments: [
      "", "a", "a=1", "a=::x", "a=:AQ==", "a=:AQ:", "a=:AR==:", "a=:A:", "a=:AQ==:;x", "a=(:AQ==:)", "b=:AQ==:",
      "a=:AQ==:, a=:AQ==:", "a=:AQ==:, b=:AQ==:", #"a="AQ==""#, "a=:AQ= =:", "a=:A\u{e4}==:",
    ])
  func refusedSignature(text: String) {
    #expect(throws: SealedMessageError.self) { try entries("a=()", text) }
  }

  @Test("one field alone is refused")
  func alone() {
    #expect(throws: SealedMessageError.malformed("signature: missing")) {
      try SignatureFields(HTTPFields([("signature-input", "a=()")]))
    }
    #expect(throws: SealedMessageError.malformed("signature-input: missing")) {
      try SignatureFields(HTTPFields([("signature", "a=:AQ==:")]))
    }
  }

  @Test("counts and sizes are bounded")
  func bounds() throws {
    func list(_ count: Int, _ member: (Int) -> String) -> String { (0..<count).map(member).joined(separator: ", ") }
    let (most, components) = (SignatureLimits.signatures, SignatureLimits.components)
    #expect(try entries(list(most) { "l\($0)=()" }, list(most) { "l\($0)=:AQ==:" }).count == most)
    #expect(throws: SealedMessageError.malformed("signature: too many members")) {
      try entries(list(most + 1) { "l\($0)=()" }, list(most + 1) { "l\($0)=:AQ==:" })
    }
    func covered(_ count: Int) -> String { "a=(" + (0..<count).map { "\"x\($0)\"" }.joined(separator: " ") + ")" }
    #expect(try entries(covered(components)).count == 1)
    #expect(throws: SealedMessageError.malformed("signature-input: too many components")) {
      try entries(covered(components + 1))
    }
    #expect(throws: SealedMessageError.malformed("signature-input: longer than 8192 bytes")) {
      try entries("a=();tag=\"" + String(repeating: "t", count: 8192) + "\"")
    }
  }
}

@Suite("Another signature beside the profile's")
struct SignatureChoiceTests {
  @Test("one with another tag is left alone, unless it hides the right one or doubles its tag")
  func others() throws {
    let request = try Sample.signedRequest()
    var beside = request
    beside.fields.lines.append(("Signature-Input", #"proxy=("@method");created=1;tag="proxy""#))
    beside.fields.lines.append(("Signature", "proxy=:AAAA:"))
    try Sample.verify(beside)
    var twice = request
    twice.fields.lines.append(("Signature-Input", #"other=();tag="latchkey-request""#))
    twice.fields.lines.append(("Signature", "other=:AAAA:"))
    #expect(throws: SealedMessageError.self) { try Sample.verify(twice) }
    var half = request
    half.fields.lines.append(("Signature", "other=:AAAA:"))
    #expect(throws: SealedMessageError.self) { try Sample.verify(half) }
    var same = request
    same.fields.lines.append(("Signature", try #require(request.fields["signature"])))
    #expect(throws: SealedMessageError.malformed("signature: a key stands twice")) { try Sample.verify(same) }
  }

  @Test("another algorithm's name is refused, whatever the signature is", arguments: SignatureAlgorithm.allCases)
  func algorithm(algorithm: SignatureAlgorithm) throws {
    var request = try Sample.signedRequest()
    request.fields.change("signature-input") {
      $0 = $0.replacing("ecdsa-p256-sha256", with: algorithm.rawValue)
    }
    guard algorithm != .ecdsaP256SHA256 else { return try #require(Sample.verify(request).keyID == "device-1") }
    #expect(throws: SealedMessageError.malformed("signature-input: alg is not ecdsa-p256-sha256")) {
      try Sample.verify(request)
    }
  }
}
