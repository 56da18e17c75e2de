import LatchkeyByteCoding
import LatchkeyProvisioningProtocol
import Testing

/// The endpoints' messages, by the bytes that Espressif's code gives.
@Suite struct ProtocommMessageTests {
  private static let home = NetworkSettings(
    ssid: Array("Home".utf8), passphrase: SecretBytes(Array("secret123".utf8)))

  @Test(
    "Messages about the network are Espressif's",
    arguments: [
      ("5200", ConfigMessage.getStatus), ("08015a021001", .status(NetworkReport(.connecting))),
      ("08015a0410035000", .status(NetworkReport(.failed, .failure(0)))),
      ("08015a0410035001", .status(NetworkReport(.failed, .failure(1)))),
      ("08015a06100162020802", .status(NetworkReport(.connecting, .attemptFailed(remaining: 2)))),
      ("080262110a04486f6d651209736563726574313233", .set(home)), ("08036a00", .setResponse(.success)),
      ("08036a020804", .setResponse(.invalidArgument)), ("08047200", .apply), ("08057a00", .applyResponse(.success)),
      ("08057a020805", .applyResponse(.internalError)),
    ]) func config(_ text: String, _ message: ConfigMessage) throws
  {
    #expect(message.encoded == hex(text))
    #expect(try ConfigMessage(hex(text)) == message)
  }

  @Test("A content may be left out where there is nothing in it") func missingContents() throws {
    #expect(try ConfigMessage([]) == .getStatus)
    #expect(try ConfigMessage(hex("0804")) == .apply)
    #expect(try ConfigMessage(hex("0805")) == .applyResponse(.success))
    #expect(try ScanMessage(hex("0802")) == .getStatus)
    #expect(try ControlMessage(hex("0801")) == .reset)
  }

  @Test("A joined network has all its fields, and Connected is 0 and not written") func connected() throws {
    var connection = NetworkReport.Connection()
    connection.address = Array("192.168.1.20".utf8)
    connection.security = 3
    connection.ssid = Array("Home".utf8)
    connection.bssid = [1, 2, 3, 4, 5, 6]
    connection.channel = 11
    let message = ConfigMessage.status(NetworkReport(.connected, .connected(connection)))
    #expect(
      message.encoded == hex("08015a225a200a0c3139322e3136382e312e323010031a04486f6d652206010203040506280b"))
    #expect(try ConfigMessage(message.encoded) == message)
  }

  @Test(
    "Messages about scans are Espressif's",
    arguments: [
      ("520408012078", ScanMessage.start(ScanSettings())), ("08015a00", .startResponse(.success)),
      ("080110055a00", .startResponse(.internalError)), ("08026200", .getStatus),
      ("08036a0408011003", .status(.success, isFinished: true, count: 3)),
      ("080472021003", .getResult(start: 0, count: 3)),
      ("080472040803100 1", .getResult(start: 3, count: 1)),
    ]) func scan(_ text: String, _ message: ScanMessage) throws
  {
    #expect(message.encoded == hex(text))
    #expect(try ScanMessage(hex(text)) == message)
  }

  @Test("A signal of -60 dBm has ten bytes, and is -60 again") func negativeSignal() throws {
    let network = ScannedNetwork(
      ssid: Array("Home".utf8), rssi: -60, security: .wpa2, channel: 6, bssid: [1, 2, 3, 4, 5, 6])
    let message = ScanMessage.result(.success, [network])
    #expect(
      message.encoded
        == hex("08057a1f0a1d0a04486f6d65100618c4ffffffffffffffff0122060102030405062803"))
    #expect(try ScanMessage(message.encoded) == message)
    // A number with the upper bits missing is the same one to a reader of 32 bits.
    #expect(
      try ScanMessage(hex("08057a080a0618c4ffffff0f"))
        == .result(
          .success, [ScannedNetwork(ssid: [], rssi: -60, security: .open)]))
  }

  @Test("Test 35: security 9, a name that is no UTF-8, -127 dBm and unknown fields are read") func oddEntries() throws {
    let entry = "0a02fffe" + "1881ffffffffffffffff01" + "2809" + "98060a"
    let bytes = hex("08057a160a14" + entry)
    guard case .result(.success, let networks) = try ScanMessage(bytes), let network = networks.first else {
      Issue.record("no result")
      return
    }
    #expect(network == ScannedNetwork(ssid: [0xFF, 0xFE], rssi: -127, security: NetworkSecurity(rawValue: 9)))
    #expect(network.name == "\u{FFFD}\u{FFFD}")
  }

  @Test("An entry with 33 bytes of name, or 5 or 7 of address, is refused") func entryLengths() {
    for entry in ["0a21" + String(repeating: "41", count: 33), "22050102030405", "220701020304050607"] {
      let inner = hex(entry)
      let bytes = hex("08057a") + [UInt8(inner.count + 2), 0x0A, UInt8(inner.count)] + inner
      #expect(throws: ProtobufError.self) { try ScanMessage(bytes) }
    }
  }

  @Test(
    "Control messages are Espressif's",
    arguments: [
      ("08015a00", ControlMessage.reset), ("08026200", .resetResponse(.success)),
      ("080210056200", .resetResponse(.internalError)), ("08036a00", .provisionAgain),
      ("08047200", .provisionAgainResponse(.success)),
    ]) func control(_ text: String, _ message: ControlMessage) throws
  {
    #expect(message.encoded == hex(text))
    #expect(try ControlMessage(hex(text)) == message)
  }

  @Test("There is no control message 0") func noControlZero() {
    #expect(throws: ProtobufError.kind) { try ControlMessage([]) }
    #expect(throws: ProtobufError.kind) { try ControlMessage(hex("5200")) }
  }

  @Test("Messages about Thread are known by name and not read") func thread() throws {
    #expect(try ConfigMessage(hex("08068201050a03010203")) == .thread(kind: 6))
    #expect(try ConfigMessage(hex("080892010 20a00")) == .thread(kind: 8))
    #expect(try ScanMessage(hex("08068201020801")) == .thread(kind: 6))
    #expect(try ControlMessage(hex("08057a00")) == .thread(kind: 5))
  }

  @Test("Test 5: Security 0's handshake is Espressif's") func plain() throws {
    #expect(SessionMessage.plainCommand.encoded == hex("5203a20100"))
    #expect(SessionMessage.plainResponse(.success).encoded == hex("52050801aa0100"))
    #expect(try SessionMessage(hex("5203a20100")) == .plainCommand)
    #expect(try SessionMessage(hex("52050801aa0100")) == .plainResponse(.success))
  }

  @Test(
    "A handshake's message that contradicts itself is refused",
    arguments: [
      "", "5200", "10015203a20100", "5a03a20100", "10025a03a20100", "10036203a20100", "1001",
      // Kind 0 with the content of 1, kind 2 with that of 0, kinds 2 and 4 of Security 0, two schemes.
      "1001" + "5a03aa0100", "1001" + "5a050802a20100", "52050802b20100", "52050804a20100",
      "1001" + "5203a20100" + "5a03a20100", "1001" + "5a020801", "10ffffffffffffffffff01" + "5203a20100",
    ]) func contradictions(_ text: String)
  {
    #expect(throws: ProtobufError.self) { try SessionMessage(hex(text)) }
  }

  @Test("The handshake's messages are esp_prov's, and decode to what they were made of") func handshakes() throws {
    let one = ProtocommVectors.all.security1.flatMap { [$0.command0, $0.response0, $0.command1, $0.response1] }
    let two = ProtocommVectors.all.security2.flatMap { [$0.command0, $0.response0, $0.command1, $0.response1] }
    for text in one + two { #expect(try SessionMessage(hex(text)).encoded == hex(text)) }
    // 406, 416, 75 and 89 bytes, as they are with the user name `wifiprov`.
    let example = ProtocommVectors.all.security2[0]
    #expect(
      [example.command0, example.response0, example.command1, example.response1].map { $0.count / 2 } == [
        406, 416, 75, 89,
      ])
  }

  @Test("Cut anywhere, a handshake's message is refused or another one, and nothing traps") func cuts() throws {
    for text in [ProtocommVectors.all.security1[0].response0, ProtocommVectors.all.security2[0].response1] {
      let bytes = hex(text)
      for end in 0..<bytes.count { #expect((try? SessionMessage(Array(bytes[..<end]))) == nil) }
    }
  }
}
