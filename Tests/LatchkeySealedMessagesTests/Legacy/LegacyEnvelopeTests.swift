import Crypto
import Foundation
import LatchkeyByteCoding
import LatchkeySealedMessages
import Testing

@Suite("The documented envelope: requests")
struct LegacyEnvelopeRequestTests {
  @Test("the vector comes out bit for bit")
  func vector() throws {
    let body = try SampleEnvelope.sealed()
    let members = try SampleEnvelope.members(body)
    #expect(members["iv"] == "AAECAwQFBgcICQoLDA0ODw==")
    #expect(members["mac"] == SampleEnvelope.mac)
    let payload = try #require(members["payload"])
    #expect(payload.hasPrefix("d/BXHMY6mVuHv027iQad"))
    let ciphertext = try #require(Data(base64Encoded: payload))
    #expect(ciphertext.count == 176)
    #expect(Hexadecimal.encode(SHA256.hash(data: ciphertext)).hasPrefix("fcb648a97d63c70b"))
    #expect(
      String(decoding: body, as: UTF8.self)
        == #"{"iv":"AAECAwQFBgcICQoLDA0ODw==","mac":"\#(SampleEnvelope.mac)","payload":"\#(payload.replacing("/", with: #"\/"#))"}"#
    )
    #expect(
      String(decoding: SampleEnvelope.transfer.plaintext, as: UTF8.self)
        == #"{"toAccount":"123123456456","fromAccount":"654654123123","transferDate":"2012-02-27 05:00:00 +0000","#
        + #""transferNotes":"Book advance to savings.","amount":"23.23"}"#)
  }

  @Test("A sealed message opens, with the data that identifies a replay")
  func opens() throws {
    let opened = try LegacyEnvelope.openTransfer(SampleEnvelope.sealed(), keys: SampleEnvelope.keys())
    #expect(opened.transfer == SampleEnvelope.transfer)
    #expect(opened.iv == SampleEnvelope.counting(16))
    #expect(Hexadecimal.encode(opened.mac) == SampleEnvelope.mac)
    #expect(opened.token == nil)
  }

  @Test("the token can stand in the payload")
  func token() throws {
    let body = try LegacyEnvelope.seal(
      SampleEnvelope.transfer, keys: SampleEnvelope.keys(), token: "a/b", random: SampleEnvelope.counting)
    #expect(String(decoding: body, as: UTF8.self).hasSuffix(#","token":"a\/b"}"#))
    #expect(try LegacyEnvelope.openTransfer(body, keys: SampleEnvelope.keys()).token == "a/b")
  }

  @Test(
    "every text survives", arguments: ["", "/\\\"\u{8}\u{c}\n\r\t\u{1}\u{1f}\u{7f}", "Grüße, 世界 🌍\u{2028}", "e\u{301}"])
  func texts(text: String) throws {
    var transfer = SampleEnvelope.transfer
    transfer.transferNotes = text
    let opened = try LegacyEnvelope.openTransfer(SampleEnvelope.sealed(transfer), keys: SampleEnvelope.keys())
    #expect(opened.transfer.transferNotes.utf8.elementsEqual(text.utf8))
    let plain = try #require(JSONSerialization.jsonObject(with: Data(transfer.plaintext)) as? [String: String])
    #expect(plain["transferNotes"]?.utf8.elementsEqual(text.utf8) == true)
  }

  @Test("the document's defaults: empty accounts and notes, 0.00, and one now")
  func defaults() throws {
    let transfer = try LegacyTransfer(now: 1_330_318_800)
    #expect(
      transfer
        == LegacyTransfer(
          toAccount: "", fromAccount: "", transferDate: "2012-02-27 05:00:00 +0000", transferNotes: "", amount: "0.00"))
    let opened = try LegacyEnvelope.openTransfer(SampleEnvelope.sealed(transfer), keys: SampleEnvelope.keys())
    #expect(opened.transfer == transfer)
    let given = try LegacyTransfer(
      to: "1", from: "2", amount: 23.23, transferDate: 0, notes: "n", now: 1_330_318_800)
    #expect(
      given
        == LegacyTransfer(
          toAccount: "1", fromAccount: "2", transferDate: "1970-01-01 00:00:00 +0000", transferNotes: "n",
          amount: "23.23"))
  }

  @Test(
    "amounts are written by %.02f",
    arguments: [
      (0, "0.00"), (0.005, "0.01"), (0.125, "0.12"), (2.675, "2.67"), (-0.001, "-0.00"), (-5, "-5.00"),
      (999_999_999_999_999, "999999999999999.00"), (1e-300, "0.00"),
    ] as [(Double, String)])
  func amounts(amount: Double, text: String) throws {
    #expect(try LegacyTransfer(amount: amount, now: 0).amount == text)
  }

  @Test("amounts without a text are refused", arguments: [.nan, .infinity, -.infinity, 1e15, -1e300] as [Double])
  func noAmounts(amount: Double) {
    #expect(throws: SealedMessageError.misuse("give an amount of at most 15 digits")) {
      try LegacyTransfer(amount: amount, now: 0)
    }
  }

  @Test(
    "a number as amount is written anew with two decimals", arguments: ["23.23", "2.323e1", "23.2300", "23.229999"])
  func number(number: String) throws {
    let plaintext =
      #"{"amount": \#(number), "toAccount":"1", "x":[{}], "transferDate":"2012-02-27","fromAccount":"2","transferNotes":""}"#
    let opened = try SampleEnvelope.open(
      SampleEnvelope.envelope(plaintext, authenticated: Array("1223.232012-02-27".utf8)))
    #expect(opened.transfer.amount == "23.23")
    #expect(opened.transfer.transferDate == "2012-02-27")
  }

  @Test("A transfer may have unknown members, nested and many, up to the reader's limits")
  func unknownMembers() throws {
    func isRead(_ members: String) -> Bool {
      let text =
        #"{"toAccount":"1","fromAccount":"2","transferDate":"2012-02-27","transferNotes":"","amount":"1.00"\#(members)}"#
      return LegacyTransfer(plaintext: Array(text.utf8)) != nil
    }
    func nested(_ depth: Int) -> String {
      #","x":"# + String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)
    }
    func more(_ count: Int) -> String { (0..<count).map { #","m\#($0)":null"# }.joined() }
    #expect(isRead(nested(7)) && !isRead(nested(8)))
    #expect(isRead(more(59)) && !isRead(more(60)))
    #expect(!isRead(#","amount":"2.00""#))
    #expect(!isRead(#","x":""# + String(repeating: " ", count: LegacyEnvelope.sizeLimit) + "\""))
  }

  @Test("a vector of length 0 is one of 16, and a random source that fails fails the request")
  func vectors() throws {
    #expect(try LegacyEnvelope.initializationVector(ofLength: 0, random: SampleEnvelope.counting).count == 16)
    #expect(try LegacyEnvelope.initializationVector(ofLength: 7, random: SampleEnvelope.counting).count == 7)
    for length in [-1, 1025, Int.max, Int.min] {
      #expect(throws: SealedMessageError.self) {
        try LegacyEnvelope.initializationVector(ofLength: length, random: SampleEnvelope.counting)
      }
    }
    for random in [{ _ in nil }, { _ in [] }, { [UInt8](repeating: 0, count: $0 + 1) }] as [(Int) -> [UInt8]?] {
      #expect(throws: SealedMessageError.misuse("the random source failed: send nothing, and try again later")) {
        try LegacyEnvelope.seal(SampleEnvelope.transfer, keys: SampleEnvelope.keys(), random: random)
      }
    }
  }

  @Test("the MAC's text ends before U+0000, as a C string does")
  func cString() throws {
    var transfer = SampleEnvelope.transfer
    transfer.fromAccount = "654654\u{0}123123"
    #expect(transfer.authenticated == Array("123123456456654654".utf8))
    var other = transfer
    other.amount = "99999.99"
    let opened = try SampleEnvelope.open(
      SampleEnvelope.envelope(
        String(decoding: other.plaintext, as: UTF8.self), authenticated: transfer.authenticated))
    #expect(opened.transfer.amount == "99999.99")
    // The rule that makes the MAC's text unambiguous refuses it.
    #expect(!opened.transfer.isUnambiguous(accountDigits: 12))
  }

  @Test("all that fails, fails alike")
  func oneError() throws {
    let good = try SampleEnvelope.members(SampleEnvelope.sealed())
    let keys = try SampleEnvelope.keys()
    func refuses(_ what: String, _ change: (inout [String: String]) -> Void) throws {
      var members = good
      change(&members)
      let body = try SampleEnvelope.json(members)
      #expect(throws: SealedMessageError.notAuthentic, "\(what)") {
        try LegacyEnvelope.openTransfer(body, keys: keys)
      }
    }
    for key in ["iv", "mac", "payload"] {
      try refuses("no \(key)") { $0[key] = nil }
      try refuses("empty \(key)") { $0[key] = "" }
      try refuses("broken \(key)") { $0[key]?.insert("\n", at: good[key]!.index(good[key]!.startIndex, offsetBy: 4)) }
      try refuses("longer \(key)") { $0[key]?.append("=") }
      try refuses("shorter \(key)") { $0[key]?.removeLast() }
    }
    try refuses("MAC in capitals") { $0["mac"] = $0["mac"]?.uppercased() }
    try refuses("MAC with a space") { $0["mac"] = " " + ($0["mac"]?.dropFirst() ?? "") }
    try refuses("vector of 15") { $0["iv"] = Data(count: 15).base64EncodedString() }
    try refuses("half a block") { $0["payload"] = Data(count: 8).base64EncodedString() }
    try refuses("no block") { $0["payload"] = "" }
    let ciphertext = try #require(Data(base64Encoded: good["payload"] ?? ""))
    for index in ciphertext.indices where index % 7 == 0 || index > 150 {
      var altered = ciphertext
      altered[index] ^= 0x01
      // In the remark's block before last a bit may be turned over unseen; not here, where the block before is no text.
      try refuses("ciphertext \(index)") { $0["payload"] = altered.base64EncodedString() }
    }
    for count in stride(from: 16, to: 176, by: 16) {
      try refuses("first \(count)") { $0["payload"] = ciphertext.prefix(count).base64EncodedString() }
    }
    for body in ["", "{}", "[]", "null", "{", "\"iv\"", "{\"iv\":1,\"mac\":2,\"payload\":3}"] {
      #expect(throws: SealedMessageError.notAuthentic, "\(body)") {
        try LegacyEnvelope.openTransfer(Array(body.utf8), keys: keys)
      }
    }
    #expect(throws: SealedMessageError.notAuthentic) {
      try LegacyEnvelope.openTransfer(
        SampleEnvelope.sealed(),
        keys: LegacyEnvelopeKeys(
          encryption: String(repeating: "k", count: 32), authentication: String(repeating: "m", count: 32)))
    }
  }

  @Test(
    "a plaintext that is no transfer is refused, its MAC right or not",
    arguments: [
      "", "{}", "[]", "null", "{", #"{"toAccount":"1"}"#,
      #"{"toAccount":1,"fromAccount":"2","transferDate":"3","transferNotes":"","amount":"4"}"#,
      #"{"toAccount":"1","fromAccount":"2","transferDate":"3","transferNotes":"","amount":true}"#,
      #"{"toAccount":"1","fromAccount":"2","transferDate":"3","transferNotes":"","amount":1e300}"#,
      #"{"toAccount":"1","fromAccount":"2","transferDate":"3","transferNotes":null,"amount":"4"}"#,
      #"{"toAccount":"1","toAccount":"1","fromAccount":"2","transferDate":"3","transferNotes":"","amount":"4"}"#,
      #"{"toAccount":"1","fromAccount":"2","transferDate":"3","transferNotes":"","amount":"4"}x"#,
      #"{"x":[[[[[[[[[]]]]]]]]],"toAccount":"1","fromAccount":"2","transferDate":"3","transferNotes":"","amount":"4"}"#,
    ])
  func noTransfer(plaintext: String) throws {
    for authenticated in ["", "1243", "124.00"] {
      #expect(throws: SealedMessageError.notAuthentic) {
        try SampleEnvelope.open(SampleEnvelope.envelope(plaintext, authenticated: Array(authenticated.utf8)))
      }
    }
  }

  @Test("bodies are bounded before they are read")
  func bounds() throws {
    let limit = LegacyEnvelope.sizeLimit
    #expect(throws: SealedMessageError.notAuthentic) {
      try LegacyEnvelope.openTransfer([UInt8](repeating: 0x20, count: limit), keys: SampleEnvelope.keys())
    }
    #expect(throws: SealedMessageError.malformed("envelope: more than 65536 bytes")) {
      try LegacyEnvelope.openTransfer([UInt8](repeating: 0x20, count: limit + 1), keys: SampleEnvelope.keys())
    }
    var large = SampleEnvelope.transfer
    large.transferNotes = String(repeating: "n", count: limit)
    #expect(throws: SealedMessageError.self) { try SampleEnvelope.sealed(large) }
  }
}

@Suite("The documented envelope: responses")
struct LegacyEnvelopeResponseTests {
  private let accounts = Array(#"[{"name":"Checking","number":"123123456456","balance":"1000.00"}]"#.utf8)

  private func sealed(_ plaintext: [UInt8]) throws -> [UInt8] {
    try LegacyEnvelope.sealResponse(plaintext, keys: SampleEnvelope.keys(), random: SampleEnvelope.counting)
  }

  @Test("the vector is 16 characters, used as they are, and the MAC covers all of the plaintext")
  func form() throws {
    let members = try SampleEnvelope.members(sealed(accounts))
    #expect(members["iv"] == "0123456789abcdef")
    let keys = try SampleEnvelope.keys()
    let mac = HMAC<SHA256>.authenticationCode(for: accounts, using: SymmetricKey(data: keys.authentication))
    #expect(members["mac"] == Hexadecimal.encode(mac))
    let ciphertext = try #require(Data(base64Encoded: members["payload"] ?? ""))
    #expect(keys.decrypt(Array(ciphertext), iv: Array("0123456789abcdef".utf8)) == accounts)
    #expect(try LegacyEnvelope.openResponse(sealed(accounts), keys: keys) == accounts)
  }

  @Test("the characters are drawn by rejection, and a source without good bytes ends")
  func rejection() throws {
    var draws = 0
    let body = try LegacyEnvelope.sealResponse(accounts, keys: SampleEnvelope.keys()) { count in
      draws += 1
      // Of the first draw only one byte is good: 61; 248 to 255 are not.
      return (0..<count).map { draws > 1 ? 247 - UInt8($0) : $0 == 3 ? 61 : 248 + UInt8($0 % 8) }
    }
    #expect(try SampleEnvelope.members(body)["iv"] == "ZZYXWVUTSRQPONML")
    #expect(throws: SealedMessageError.self) {
      try LegacyEnvelope.sealResponse(accounts, keys: SampleEnvelope.keys()) { [UInt8](repeating: 255, count: $0) }
    }
    #expect(throws: SealedMessageError.self) {
      try LegacyEnvelope.sealResponse(accounts, keys: SampleEnvelope.keys()) { _ in nil }
    }
  }

  @Test("each of the 62 characters is as likely as any other")
  func uniform() throws {
    var counts: [Character: Int] = [:]
    for byte in UInt8.min ... .max {
      guard
        let body = try? LegacyEnvelope.sealResponse(
          accounts, keys: SampleEnvelope.keys(), random: { [UInt8](repeating: byte, count: $0) })
      else {
        #expect(byte >= 248)
        continue
      }
      let first = try #require(SampleEnvelope.members(body)["iv"]?.first)
      counts[first, default: 0] += 1
    }
    #expect(counts.count == 62)
    #expect(counts.values.allSatisfy { $0 == 4 })
  }

  @Test("A failed decryption and a failed verification are two errors, for the user's own program")
  func errors() throws {
    let keys = try SampleEnvelope.keys()
    let good = try SampleEnvelope.members(sealed(accounts))
    func open(_ change: (inout [String: String]) -> Void) throws -> [UInt8] {
      var members = good
      change(&members)
      return try LegacyEnvelope.openResponse(SampleEnvelope.json(members), keys: keys)
    }
    let cannotInterpret = SealedMessageError.malformed("envelope: cannot be decrypted")
    #expect(throws: SealedMessageError.notAuthentic) { try open { $0["mac"] = String(repeating: "0", count: 64) } }
    #expect(throws: SealedMessageError.notAuthentic) { try open { $0["mac"] = nil } }
    #expect(throws: SealedMessageError.notAuthentic) { try open { $0["mac"] = $0["mac"]?.uppercased() } }
    #expect(throws: SealedMessageError.notAuthentic) { try open { $0["iv"] = "1123456789abcdef" } }
    #expect(throws: cannotInterpret) { try open { $0["iv"] = "0123456789abcde" } }
    #expect(throws: cannotInterpret) { try open { $0["iv"] = nil } }
    #expect(throws: cannotInterpret) { try open { $0["payload"] = "AAAA" } }
    #expect(throws: cannotInterpret) { try open { $0["payload"] = Data(count: 16).base64EncodedString() } }
    #expect(throws: cannotInterpret) { try open { $0["payload"] = "" } }
    #expect(throws: cannotInterpret) { try LegacyEnvelope.openResponse(Array("[]".utf8), keys: keys) }
    // A decrypted message must be text.
    #expect(throws: cannotInterpret) { try LegacyEnvelope.openResponse(sealed([0xFF]), keys: keys) }
  }

  @Test("accounts are written as PHP writes them, and read back")
  func list() throws {
    let list = [
      LegacyAccount(name: "Check/ing", number: "123123456456", balance: "1000.00"),
      LegacyAccount(name: "Büro 🌍", number: "654654123123", balance: "-0.05"),
    ]
    let plaintext = LegacyAccount.plaintext(of: list)
    #expect(
      String(decoding: plaintext, as: UTF8.self)
        == #"[{"name":"Check\/ing","number":"123123456456","balance":"1000.00"},"#
        + #"{"name":"B\u00fcro \ud83c\udf0d","number":"654654123123","balance":"-0.05"}]"#)
    #expect(try LegacyAccount.accounts(in: plaintext) == list)
    #expect(LegacyAccount.plaintext(of: []) == Array("[]".utf8))
    #expect(
      try LegacyAccount.accounts(in: Array(#"[{"number":12,"balance":1.5,"name":"a"}]"#.utf8))
        == [LegacyAccount(name: "a", number: "12", balance: "1.5")])
    for text in [
      "", "{}", "[1]", "[{}]", #"[{"name":"a","number":"1"}]"#, #"[{"name":"a","number":"1","balance":null}]"#,
    ] {
      #expect(throws: SealedMessageError.self) { try LegacyAccount.accounts(in: Array(text.utf8)) }
    }
  }
}

@Suite("The documented keys and PIN")
struct LegacyEnvelopeKeysTests {
  @Test("keys are the characters themselves, and of the MAC's the first 32 bytes count")
  func keys() throws {
    let keys = try LegacyEnvelopeKeys(
      encryption: String(repeating: "0", count: 32), authentication: String(repeating: "é", count: 16) + "more")
    #expect(keys.encryption == [UInt8](repeating: 0x30, count: 32))
    #expect(keys.authentication.count == 32)
    for (cipher, mac) in [(31, 32), (33, 32), (32, 31), (0, 0)] {
      #expect(throws: SealedMessageError.self) {
        try LegacyEnvelopeKeys(
          encryption: String(repeating: "k", count: cipher), authentication: String(repeating: "m", count: mac))
      }
    }
    #expect(keys == keys)
    #expect(
      try keys
        != LegacyEnvelopeKeys(
          encryption: String(repeating: "0", count: 32), authentication: String(repeating: "m", count: 32)))
  }

  @Test("keys do not print")
  func silent() throws {
    let keys = try SampleEnvelope.keys()
    var dumped = ""
    dump(keys, to: &dumped)
    for text in ["\(keys)", String(reflecting: keys), String(describing: [keys]), dumped] {
      #expect(!text.contains("48") && !text.contains("0123"), "\(text)")
    }
  }

  @Test("a PIN is one text, and opens")
  func pin() throws {
    let keys = try SampleEnvelope.keys()
    let text = try LegacyPIN.seal("1234", keys: keys)
    #expect(Data(base64Encoded: text)?.count == 16)
    #expect(try LegacyPIN.open(text, keys: keys) == "1234")
    for bad in ["", "1234", text + "=", String(text.dropLast()), Data(count: 16).base64EncodedString()] {
      #expect(throws: SealedMessageError.notAuthentic, "\(bad)") { try LegacyPIN.open(bad, keys: keys) }
    }
    #expect(throws: SealedMessageError.self) { try LegacyPIN.seal(String(repeating: "1", count: 257), keys: keys) }
  }

  @Test("Padding of every valid length is accepted, and of every other length refused")
  func padding() throws {
    let keys = try SampleEnvelope.keys()
    let iv = SampleEnvelope.counting(16)
    for count in 0...33 {
      let text = [UInt8](repeating: 7, count: count)
      let ciphertext = try #require(keys.encrypt(text, iv: iv))
      #expect(ciphertext.count == count / 16 * 16 + 16)
      #expect(keys.decrypt(ciphertext, iv: iv) == text)
    }
    // The last byte of a block of our own making, through the vector before it.
    let block = try #require(keys.encrypt([UInt8](repeating: 0, count: 15), iv: iv))
    for last in UInt8.min ... .max {
      var vector = iv
      vector[15] ^= last ^ 1
      let opened = keys.decrypt(block, iv: vector)
      #expect((opened != nil) == (last == 1), "\(last)")
    }
    for count in [0, 1, 15, 17] {
      #expect(keys.decrypt([UInt8](repeating: 0, count: count), iv: iv) == nil)
    }
    #expect(keys.decrypt(block, iv: []) == nil && keys.encrypt([], iv: [1]) == nil)
  }
}
