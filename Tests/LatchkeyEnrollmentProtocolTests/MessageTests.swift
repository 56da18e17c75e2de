import Crypto
import Foundation
import LatchkeyByteCoding
import LatchkeyEnrollmentProtocol
import Testing

@Suite("Messages between client and server")
struct MessageTests {
  @Test("A transfer's digest is over each field behind its length")
  func digest() {
    let transfer = Transfer(
      from: "654654123123", to: "123123456456", amount: Amount(minorUnits: 2323), currency: "EUR", notes: "日")
    let canonical = "latchkey-transfer-v1\n12:65465412312312:1231234564565:23.233:EUR3:日"
    #expect(transfer.digest == Array(SHA256.hash(data: Data(canonical.utf8))))
  }

  @Test("A date is the last field of another version; without one message and digest are what they always were")
  func dates() throws {
    var transfer = Transfer(
      from: "654654123123", to: "123123456456", amount: Amount(minorUnits: 2323), currency: "EUR", notes: "日")
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(
      String(decoding: try encoder.encode(transfer), as: UTF8.self)
        == #"{"amount":"23.23","currency":"EUR","from":"654654123123","notes":"日","to":"123123456456"}"#)
    #expect(Hexadecimal.encode(transfer.digest) == "364a382583f54c829108b4dc73def9f1c750c4438cf95c7dce4b7c4dca118941")
    transfer.date = 1_796_083_200
    #expect(Hexadecimal.encode(transfer.digest) == "8afa799101130ce634c61fc5bb1026ae18d94dce4e2774a20edf4e3200b5f9ce")
    #expect(try JSONDecoder().decode(Transfer.self, from: encoder.encode(transfer)) == transfer)
    var (other, noted) = (transfer, transfer)
    other.date = 1_796_083_201
    #expect(other.digest != transfer.digest)
    // The date's text at the end of the notes is no date.
    noted.date = nil
    noted.notes = "日10:1796083200"
    #expect(noted.digest != transfer.digest)
    let receipt = TransferReceipt(
      transfer: "t", from: "1", to: "2", amount: Amount(minorUnits: 1), currency: "EUR",
      balance: Amount(minorUnits: 0), booked: 1)
    #expect(
      String(decoding: try encoder.encode(receipt), as: UTF8.self)
        == #"{"amount":"0.01","balance":"0.00","booked":1,"currency":"EUR","from":"1","to":"2","transfer":"t"}"#)
  }

  @Test("Fields that would run into one another in the documented envelope have different digests here")
  func unambiguous() {
    let one = Transfer(from: "3", to: "12", amount: Amount(minorUnits: 4500), currency: "EUR")
    let other = Transfer(from: "23", to: "1", amount: Amount(minorUnits: 4500), currency: "EUR")
    #expect(one.digest != other.digest)
    #expect(
      Transfer(from: "1", to: "2", amount: Amount(minorUnits: 1), currency: "EUR", notes: "a").digest
        != Transfer(from: "1", to: "2", amount: Amount(minorUnits: 1), currency: "EURa", notes: "").digest)
  }

  @Test("A challenge for one purpose or content is no challenge for another")
  func challenges() {
    let challenge = Challenge(id: "1", value: Base64Bytes(repeatElement(7, count: 32)), expiresIn: 60)
    let content = [UInt8](repeating: 1, count: 32)
    let messages = Set([
      challenge.signedMessage(purpose: .login), challenge.signedMessage(purpose: .transfer, content: content),
      challenge.signedMessage(purpose: .attestation), challenge.signedMessage(purpose: .transfer),
      challenge.signedMessage(purpose: .login, content: content),
    ])
    #expect(messages.count == 5)
    let expected = Array("latchkey-challenge-v1\nservice-ledger\n".utf8) + [UInt8](repeating: 7, count: 32) + content
    #expect(challenge.signedMessage(purpose: .transfer, content: content) == expected)
  }

  @Test(
    "base64 in JSON is strict",
    arguments: ["AQI", "AQI=\\n", "AQ=I", "AQJ=", "A Q I=", "AQI==", "_-8=", "\\u0000"])
  func strictBase64(text: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([Base64Bytes].self, from: Data("[\"\(text)\"]".utf8))
    }
  }

  @Test("base64 in JSON carries bytes there and back")
  func base64() throws {
    let bytes = Base64Bytes(0...255)
    #expect(try JSONDecoder().decode(Base64Bytes.self, from: JSONEncoder().encode(bytes)) == bytes)
    #expect(
      try JSONDecoder().decode([Base64Bytes].self, from: Data(#"["","AQI="]"#.utf8)).map(\.bytes) == [[], [1, 2]])
  }

  @Test("base64url is unpadded and strict")
  func base64URL() {
    #expect(Base64URL.encode([0xFB, 0xFF]) == "-_8")
    #expect(Base64URL.decode("-_8") == [0xFB, 0xFF])
    #expect(Base64URL.decode("") == [])
    for wrong in ["+/8", "-_8=", "-_9", "-_", "-", "- _8", "-_8\n"] {
      #expect(Base64URL.decode(wrong) == nil || wrong == "-_")
    }
    for length in 0..<50 {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37) }
      #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
    }
  }

  @Test("Every code has a status of an error, and comes back from JSON")
  func problems() throws {
    for code in Problem.Code.allCases {
      let problem = Problem(code, detail: "what to do", serverTime: 1)
      #expect((400...503).contains(problem.status))
      #expect(problem.type == "urn:latchkey:problem:\(code.rawValue)")
      #expect(try JSONDecoder().decode(Problem.self, from: JSONEncoder().encode(problem)) == problem)
      var asking = problem
      asking.retryAfter = .seconds(600)
      #expect(try JSONDecoder().decode(Problem.self, from: JSONEncoder().encode(asking)) == problem)
    }
  }
}
