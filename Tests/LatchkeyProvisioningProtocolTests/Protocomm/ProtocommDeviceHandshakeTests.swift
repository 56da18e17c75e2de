import LatchkeyByteCoding
import LatchkeyProvisioningProtocol
import Testing

/// A device's endpoints `proto-ver` and `prov-session`, as transcripts of writes and reads.
@Suite struct ProtocommDeviceHandshakeTests {
  private let vector1 = ProtocommVectors.all.security1[0]
  private let example = ProtocommBench.example

  @Test("The service has an endpoint for each name, with the numbers that clients know") func service() {
    let machine = ProtocommBench().machine
    #expect(machine.service.uuid == "021A9004-0382-4AEA-BFF4-6B3F1C5ADFB4")
    #expect(
      machine.service.characteristics.map { "\($0.uuid.prefix(8)) \($0.userDescription ?? "")" } == [
        "021AFF4F prov-ctrl", "021AFF50 prov-scan", "021AFF51 prov-session", "021AFF52 prov-config",
        "021AFF53 proto-ver", "021AFF54 custom-data",
      ])
    #expect(machine.service.characteristics.allSatisfy { $0.properties == [.read, .write] })
  }

  @Test("Test 1: any bytes on proto-ver are answered with what the device speaks") func version() {
    var bench = ProtocommBench { $0.application = ("latchkey", "1.0") }
    for bytes in [Array("ESP".utf8), [0], [UInt8](repeating: 0xFF, count: 512)] {
      #expect(bench.write(bytes, to: "proto-ver") == nil)
      #expect(
        String(decoding: bench.read("proto-ver"), as: UTF8.self)
          == "{\n\t\"prov\":\t{\n\t\t\"ver\":\t\"netprov-v1.2\",\n\t\t\"sec_ver\":\t2,\n\t\t\"sec_patch_ver\":\t1,\n"
          + "\t\t\"cap\":\t[\"wifi_prov\", \"wifi_scan\"]\n\t},\n"
          + "\t\"latchkey\":\t{\n\t\t\"ver\":\t\"1.0\",\n\t\t\"cap\":\t[]\n\t}\n}")
    }
  }

  @Test("An empty write does nothing, and 513 bytes are refused") func lengths() {
    var bench = ProtocommBench()
    for endpoint in ["proto-ver", "prov-session", "prov-config"] {
      #expect(bench.write([], to: endpoint) == nil)
      #expect(bench.read(endpoint) == [])
      #expect(bench.write([UInt8](repeating: 0x45, count: 513), to: endpoint) == 0x0D)
    }
    #expect(bench.write([1], to: "no endpoint") == 0x01)
  }

  @Test("Test 4: Security 0 is refused unless it was asked for") func plainRefused() {
    var bench = ProtocommBench()
    #expect(bench.write(hex("5203a20100"), to: "prov-session") == 0x04)
    #expect(bench.read("prov-session") == [])
    #expect(bench.events == [.refused(ProtocommBench.link, "Security 0, which is not accepted")])
  }

  @Test("Test 5: a device that accepts Security 0 opens with it, and says so") func plain() throws {
    var bench = ProtocommBench { configuration in
      (configuration.security0, configuration.security1, configuration.security2) = (.always, .never, .never)
    }
    bench.write([1], to: "proto-ver")
    #expect(String(decoding: bench.read("proto-ver"), as: UTF8.self).contains("\"no_sec\""))
    #expect(bench.write(hex("5203a20100"), to: "prov-session") == nil)
    #expect(bench.read("prov-session") == hex("52050801aa0100"))
    #expect(bench.events == [.opened(ProtocommBench.link, .none)])
    #expect(bench.write(hex("5200"), to: "prov-config") == nil)
    #expect(bench.read("prov-config") == hex("08015a021001"))
  }

  @Test("Security 1 is accepted only after an act at the device, unless it was asked for") func weakAfterAct() throws {
    var bench = ProtocommBench { $0.security1 = .whenAuthorized }
    bench.context.isAuthorized = false
    #expect(bench.write(hex(vector1.command0), to: "prov-session") == 0x08)
    #expect(bench.context.attempts.record.failures == 0)
    bench.context.isAuthorized = true
    _ = try bench.openWeak()
    #expect(bench.events.last == .opened(ProtocommBench.link, .weakCode))
  }

  @Test("A device that does not know its code refuses Security 1") func verifierAlone() {
    var configuration = ProtocommDeviceConfiguration(verifier: ProtocommBench.verifier)
    configuration.security1 = .always
    var bench = ProtocommBench()
    bench.machine = ProtocommDeviceMachine(configuration, random: ScriptedRandom().draw)
    #expect(bench.write(hex(vector1.command0), to: "prov-session") == 0x04)
  }

  @Test("Without a code Security 1 proves nobody, and is told so") func noCode() throws {
    var bench = ProtocommBench()
    var configuration = ProtocommDeviceConfiguration(code: SecretBytes(count: 0), verifier: ProtocommBench.verifier)
    (configuration.security1, configuration.security2) = (.always, .never)
    bench.machine = ProtocommDeviceMachine(configuration, random: ScriptedRandom().draw)
    bench.write([1], to: "proto-ver")
    #expect(
      String(decoding: bench.read("proto-ver"), as: UTF8.self).contains("[\"no_pop\", \"wifi_prov\", \"wifi_scan\"]"))
    _ = try bench.openWeak(code: "")
    #expect(bench.events.last == .opened(ProtocommBench.link, .encryptedOnly))
    #expect(bench.context.attempts.record.failures == 0)
  }

  @Test("Tests 8, 9 and 11: wrong proofs and keys of Security 1 are refused, and counted")
  func weakRefused() throws {
    for proof in [
      [], [UInt8](repeating: 0, count: 31), [UInt8](repeating: 0, count: 33), [UInt8](repeating: 0, count: 32),
    ] {
      var bench = ProtocommBench()
      #expect(bench.write(hex(vector1.command0), to: "prov-session") == nil)
      #expect(bench.context.attempts.record.failures == 1)
      #expect(bench.write(SessionMessage.x25519Command1(verify: proof).encoded, to: "prov-session") == 0x04)
      #expect(bench.read("prov-session") == [])
      #expect(bench.events.first == .wrongCode(ProtocommBench.link))
      // The handshake is over.
      #expect(bench.write(SessionMessage.x25519Command1(verify: proof).encoded, to: "prov-session") == 0x04)
      #expect(bench.context.attempts.record.failures == 1)
    }
    var bench = ProtocommBench()
    let zero = SessionMessage.x25519Command0(clientKey: [UInt8](repeating: 0, count: 32))
    #expect(bench.write(zero.encoded, to: "prov-session") == 0x04)
    #expect(bench.context.attempts.record.failures == 1)
  }

  @Test(
    "Tests 17, 18 and 23: a wrong A, and a user name of 0 or 65 bytes, are refused and counted before they are computed"
  )
  func strongRefused() {
    let key = hex(example.clientKey)
    let name = Array("wifiprov".utf8)
    for (username, clientKey) in [
      (name, []), (name, Array(key.dropLast())), (name, [0] + key), (name, [UInt8](repeating: 0, count: 384)),
      (name, SRPGroup.modulusBytes), ([], key), ([UInt8](repeating: 0x61, count: 65), key),
    ] {
      var bench = ProtocommBench()
      let message = SessionMessage.srpCommand0(username: username, clientKey: clientKey)
      #expect(bench.write(message.encoded, to: "prov-session") == 0x04)
      #expect(bench.context.attempts.record.failures == 1)
      #expect(bench.read("prov-session") == [])
      #expect(bench.machine.nextDeadline == nil)
    }
    var bench = ProtocommBench()
    let long = SessionMessage.srpCommand0(username: [UInt8](repeating: 0x61, count: 65_537), clientKey: key)
    #expect(bench.write(long.encoded, to: "prov-session") == 0x0D)
  }

  @Test("Test 21: a proof first, a proof twice, and keys twice") func order() throws {
    var bench = ProtocommBench()
    #expect(bench.write(hex(example.command1), to: "prov-session") == 0x04)
    #expect(bench.write(hex(vector1.command1), to: "prov-session") == 0x04)
    var cipher = try bench.openStrong()
    // A proof where the session is open is refused, and the session goes on.
    #expect(bench.write(hex(example.command1), to: "prov-session") == 0x04)
    #expect(try bench.request(hex("5200"), to: "prov-config", &cipher) == hex("08015a021001"))
    // New keys begin another handshake: the session is over, and B is another one.
    #expect(bench.write(hex(example.command0), to: "prov-session") == nil)
    let first = bench.read("prov-session")
    #expect(bench.events.suffix(1) == [.closed(ProtocommBench.link)])
    #expect(try bench.request(hex("5200"), to: "prov-config", &cipher) == nil)
    bench.context.now += .seconds(2)
    #expect(bench.write(hex(example.command0), to: "prov-session") == nil)
    #expect(bench.read("prov-session") != first)
    #expect(bench.events.suffix(1) == [.wrongCode(ProtocommBench.link)])
  }

  @Test(
    "Test 22: a message that contradicts itself, and an answer where a command must be, are refused",
    arguments: [
      "10025a25a201220a20" + String(repeating: "09", count: 32),
      "1001" + "5a270802a201220a20" + String(repeating: "09", count: 32),
      "1001" + "5a270802a2012212" + "20" + String(repeating: "09", count: 32), "52050801aa0100",
      ProtocommVectors.all.security1[0].response0, ProtocommVectors.all.security2[0].response1, "ff", "0b", "00",
    ]) func contradictions(_ text: String)
  {
    var bench = ProtocommBench { $0.security0 = .always }
    #expect(bench.write(hex(text), to: "prov-session") == 0x04)
    #expect(bench.context.attempts.record.failures == 0)
  }

  @Test(
    "Of ten tries that fail the tenth is the last, over handshakes that nobody finished too; a right code gives its own back"
  )
  func budget() throws {
    var bench = ProtocommBench()
    _ = try bench.openWeak()
    #expect(bench.context.attempts.record.failures == 0)
    for number in 1...10 {
      #expect(bench.write(hex(vector1.command0), to: "prov-session") == nil)
      // The next one at once is refused for any peer, and is not counted.
      #expect(bench.write(hex(vector1.command0), to: "prov-session", from: ProtocommBench.other) == 0x90)
      #expect(bench.context.attempts.record.failures == number)
      if number % 2 == 0 { bench.machine.disconnected(ProtocommBench.link, context: &bench.context) }
      bench.context.now += .seconds(64)
      guard number == 9 else { continue }
      _ = try bench.openWeak()
      #expect(bench.context.attempts.record.failures == 9)
    }
    for message in [vector1.command0, example.command0] {
      #expect(bench.write(hex(message), to: "prov-session") == 0x90)
    }
    bench.context.attempts.reset()
    _ = try bench.openWeak()
  }

  @Test("A thousand guesses get no further than the budget") func guesses() throws {
    var bench = ProtocommBench()
    var accepted = 0
    for _ in 0..<1000 {
      if bench.write(hex(vector1.command0), to: "prov-session") == nil { accepted += 1 }
      bench.write(SessionMessage.x25519Command1(verify: [UInt8](repeating: 1, count: 32)).encoded, to: "prov-session")
      bench.context.now += .seconds(100)
    }
    #expect(accepted == 10)
  }

  @Test("A handshake that is not finished in 30 s is forgotten") func handshakeTimeout() throws {
    var bench = ProtocommBench()
    var app = try X25519App(code: example.secretCode, random: ScriptedRandom().draw)
    bench.write(app.command.encoded, to: "prov-session")
    let proof = try app.answer(SessionMessage(bench.read("prov-session")))
    #expect(bench.machine.nextDeadline == .seconds(30))
    bench.context.now = .seconds(30)
    bench.machine.handleTimeout(context: &bench.context)
    bench.collect()
    #expect(bench.events == [.wrongCode(ProtocommBench.link)])
    #expect(bench.machine.nextDeadline == nil)
    #expect(bench.write(proof.encoded, to: "prov-session") == 0x04)
  }

  @Test("Test 31: a central that goes leaves nothing to the next one, in a handshake or after it") func disconnection()
    throws
  {
    for isOpen in [false, true] {
      var bench = ProtocommBench()
      var cipher = ProtocommCipher.none
      if isOpen { cipher = try bench.openWeak() } else { bench.write(hex(vector1.command0), to: "prov-session") }
      bench.machine.disconnected(ProtocommBench.link, context: &bench.context)
      bench.collect()
      #expect(bench.events.last == (isOpen ? .closed(ProtocommBench.link) : .wrongCode(ProtocommBench.link)))
      #expect(bench.read("prov-session") == [])
      #expect(bench.read("prov-session", from: ProtocommBench.other) == [])
      #expect(bench.write(hex(vector1.command1), to: "prov-session", from: ProtocommBench.other) == 0x04)
      #expect(bench.write(try cipher.seal(hex("5200")), to: "prov-config", from: ProtocommBench.other) == 0x04)
      bench.context.now += .seconds(64)
      _ = try bench.openWeak(link: ProtocommBench.other)
    }
  }

  @Test("Another central takes the session's place only with keys that are accepted") func replacement() throws {
    var bench = ProtocommBench()
    var cipher = try bench.openWeak()
    for bytes in ["ff", example.command1, "5203a20100"] {
      #expect(bench.write(hex(bytes), to: "prov-session", from: ProtocommBench.other) == 0x04)
    }
    #expect(bench.write(hex("5200"), to: "prov-config", from: ProtocommBench.other) == 0x04)
    #expect(try bench.request(hex("5200"), to: "prov-config", &cipher) == hex("08015a021001"))
    _ = try bench.openWeak(link: ProtocommBench.other)
    #expect(try bench.request(hex("5200"), to: "prov-config", &cipher) == nil)
    #expect(bench.events.contains(.closed(ProtocommBench.link)))
  }

  @Test("Each message of a handshake, cut at every byte or with one bit changed, opens nothing") func damage() throws {
    for index in stride(from: 0, to: hex(vector1.command1).count * 8, by: 3) {
      var bench = ProtocommBench()
      var app = try X25519App(code: example.secretCode, random: ScriptedRandom(seed: 5).draw)
      bench.write(app.command.encoded, to: "prov-session")
      var proof = try app.answer(SessionMessage(bench.read("prov-session"))).encoded
      proof[index / 8] ^= 1 << UInt8(index % 8)
      bench.write(proof, to: "prov-session")
      #expect(!bench.events.contains(.opened(ProtocommBench.link, .weakCode)))
    }
    for message in [vector1.command0, example.command1] {
      let bytes = hex(message)
      for end in 1..<bytes.count {
        var bench = ProtocommBench()
        #expect(bench.write(Array(bytes[..<end]), to: "prov-session") == 0x04)
        #expect(bench.machine.nextDeadline == nil)
      }
    }
  }

  @Test("Test 30: a read before any write is empty, and after two writes gives the second answer") func reads() throws {
    var bench = ProtocommBench()
    for characteristic in bench.machine.service.characteristics {
      #expect(try bench.machine.read(characteristic.uuid, from: ProtocommBench.link, context: &bench.context) == [])
    }
    #expect(throws: ATTFailure(code: 0x01)) {
      try bench.machine.read("2A00", from: ProtocommBench.link, context: &bench.context)
    }
    var cipher = try bench.openWeak()
    bench.write(try cipher.seal(hex("5200")), to: "prov-config")
    let first = try cipher.open(bench.read("prov-config"))
    bench.write(try cipher.seal(hex("0804")), to: "prov-config")
    #expect(first == hex("08015a021001"))
    #expect(try cipher.open(bench.read("prov-config")) == hex("08057a020805"))
  }
}
