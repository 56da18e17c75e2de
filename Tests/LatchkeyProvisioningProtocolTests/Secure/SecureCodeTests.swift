import LatchkeyByteCoding
import Testing

@testable import LatchkeyProvisioningProtocol

@Suite struct SecureCodeTests {
  @Test(
    "Codes that guessers try first are weak",
    arguments: [
      "00000000", "99999999", "12345678", "01234567", "89012345", "87654321", "21098765", "12121212", "12341234",
      "10101010",
      "1234567890", "111111111111", "1234123412341234",
    ]) func weak(_ pin: String) throws
  {
    #expect(try SecureCode(pin: pin).isWeak)
  }

  @Test("Other codes are not", arguments: ["31415926", "00000001", "12345679", "13572468", "12121213", "12341235"])
  func strong(_ pin: String) throws {
    #expect(try !SecureCode(pin: pin).isWeak)
  }

  @Test("A code has 8 to 16 digits, and nothing else") func forms() throws {
    #expect(throws: SecureCodeError.length(7)) { try SecureCode(pin: "3141592") }
    #expect(throws: SecureCodeError.length(17)) { try SecureCode(pin: "31415926535897932") }
    #expect(throws: SecureCodeError.length(0)) { try SecureCode(pin: " - ") }
    #expect(throws: SecureCodeError.notDigits) { try SecureCode(pin: "3141592a") }
    #expect(throws: SecureCodeError.notDigits) { try SecureCode(pin: "\u{0663}1415926") }
    #expect(throws: SecureCodeError.length(15)) { try SecureCode(secret: [UInt8](repeating: 1, count: 15)) }
    #expect(throws: SecureCodeError.length(65)) { try SecureCode(secret: [UInt8](repeating: 1, count: 65)) }
    #expect(try SecureCode(pin: "3141-59 26").text == "31415926")
    #expect(try SecureCode(secret: [UInt8](repeating: 1, count: 16)).isWeak)
  }

  @Test("Text is digits, or a secret") func text() throws {
    #expect(try SecureCode(text: "3141 5926").kind == .pin)
    let secret = SecureCode.randomSecret(.test)
    let again = try SecureCode(text: secret.text)
    #expect(again.kind == .qr)
    #expect(again.bytes.array() == secret.bytes.array())
    #expect(throws: SecureCodeError.notDigits) { try SecureCode(text: "no code at all") }
  }

  @Test("A drawn code has eight digits, of which none is preferred, and is not weak") func drawn() throws {
    var counts = [Int](repeating: 0, count: 10)
    for _ in 0..<500 {
      let code = SecureCode.randomPin(.test)
      #expect(code.text.utf8.count == 8)
      #expect(!code.isWeak)
      for digit in code.text.utf8 { counts[Int(digit - 0x30)] += 1 }
    }
    #expect(counts.allSatisfy { (250...550).contains($0) })
    // 250 and more are not taken: they would prefer the first digits.
    let bytes: [UInt8] = [255, 250, 251, 252, 3, 1, 4, 1, 5, 9, 2, 6, 1, 1, 1, 1]
    #expect(SecureCode.randomPin(SecureRandomness(bytes: { _ in bytes })).text == "31415926")
  }

  @Test("A code never prints") func printing() throws {
    let code = try SecureCode(pin: "31415926")
    #expect("\(code) \(String(reflecting: code))".contains("3141") == false)
    let invitation = try SecureInvitation(
      deviceIdentifier: [UInt8](0..<16), name: "Lamp", code: code, protocols: [.secure])
    #expect("\(invitation) \(String(reflecting: invitation))".contains("3141") == false)
  }
}

@Suite struct SecureInvitationTests {
  private static let identifier = "d0d1d2d3d4d5d6d7d8d9dadbdcdddedf"

  @Test("An invitation's text comes back") func roundTrip() throws {
    let secret = try SecureCode(secret: [UInt8](0..<16))
    let invitation = try SecureInvitation(
      deviceIdentifier: hex(Self.identifier), name: "Lámp & Co", code: secret, protocols: [.improv, .secure])
    #expect(
      invitation.text
        == "latchkey:v2?id=\(Self.identifier)&name=L%C3%A1mp%20%26%20Co&secret=AAECAwQFBgcICQoLDA0ODw&protocols=secure,improv"
    )
    let again = try SecureInvitation(text: invitation.text)
    #expect(again.text == invitation.text)
    #expect(again.name == "Lámp & Co")
    let pin = try SecureInvitation(
      deviceIdentifier: hex(Self.identifier), name: "x", code: try SecureCode(pin: "31415926"),
      protocols: Set(SecureInvitation.SpokenProtocol.allCases))
    #expect(try SecureInvitation(text: pin.text).code.text == "31415926")
    #expect(pin.text.hasSuffix("&pin=31415926&protocols=secure,espressif,improv,legacy"))
  }

  @Test(
    "A text with anything else is none",
    arguments: [
      "", "latchkey:v2?", "latchkey:v1?id=ID&name=x&pin=31415926&protocols=secure",
      "LATCHKEY:v2?id=ID&name=x&pin=31415926&protocols=secure",
      "latchkey:v2?name=x&id=ID&pin=31415926&protocols=secure",
      "latchkey:v2?id=ID&name=x&pin=31415926", "latchkey:v2?id=ID&name=x&pin=31415926&protocols=secure&x=1",
      "latchkey:v2?id=ID&name=x&pin=31415926&protocols=secure&",
      "latchkey:v2?id=IDFF&name=x&pin=31415926&protocols=secure",
      "latchkey:v2?id=D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF&name=x&pin=31415926&protocols=secure",
      "latchkey:v2?id=ID&name=&pin=31415926&protocols=secure",
      "latchkey:v2?id=ID&name=a b&pin=31415926&protocols=secure",
      "latchkey:v2?id=ID&name=%61&pin=31415926&protocols=secure",
      "latchkey:v2?id=ID&name=%c3%a1&pin=31415926&protocols=secure",
      "latchkey:v2?id=ID&name=%C3&pin=31415926&protocols=secure",
      "latchkey:v2?id=ID&name=%2&pin=31415926&protocols=secure",
      "latchkey:v2?id=ID&name=x&pin=3141592&protocols=secure",
      "latchkey:v2?id=ID&name=x&pin=3141 5926&protocols=secure",
      "latchkey:v2?id=ID&name=x&secret=AAEC&protocols=secure",
      "latchkey:v2?id=ID&name=x&secret=AAECAwQFBgcICQoLDA0ODw==&protocols=secure",
      "latchkey:v2?id=ID&name=x&secret=AAECAwQFBgcICQoLDA0ODx&protocols=secure",
      "latchkey:v2?id=ID&name=x&pin=31415926&protocols=", "latchkey:v2?id=ID&name=x&pin=31415926&protocols=improv",
      "latchkey:v2?id=ID&name=x&pin=31415926&protocols=improv,secure",
      "latchkey:v2?id=ID&name=x&pin=31415926&protocols=secure,secure",
      "latchkey:v2?id=ID&name=x&pin=31415926&protocols=secure,matter",
      "latchkey:v2?id=ID&name=x&pin=31415926&protocols=secure,",
      "latchkey:v2?id=ID&name=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa&pin=31415926&protocols=secure",
    ]) func refused(_ text: String)
  {
    let text = text.split(separator: "ID", omittingEmptySubsequences: false).joined(separator: Self.identifier)
    #expect(throws: SecureInvitationError.self) { try SecureInvitation(text: text) }
  }

  @Test("A text of more than 400 bytes is not read") func long() throws {
    let text = "latchkey:v2?id=\(Self.identifier)&name=x&pin=31415926&protocols=secure"
    #expect(throws: Never.self) { try SecureInvitation(text: text) }
    #expect(throws: SecureInvitationError.notAnInvitation) {
      try SecureInvitation(text: text + String(repeating: "x", count: 400))
    }
  }
}
