import LatchkeyByteCoding
import LatchkeyProvisioningProtocol
import Testing

/// A device's endpoints in an open session.
@Suite struct ProtocommDeviceRequestTests {
  @Test("Test 24: a text of 0 or 15 bytes is refused, a tag alone is a request for the status") func texts() throws {
    var bench = ProtocommBench()
    var cipher = try bench.openStrong()
    #expect(bench.write([UInt8](repeating: 0, count: 15), to: "prov-config") == 0x04)
    #expect(bench.write([UInt8](repeating: 0, count: 16), to: "prov-config") == 0x04)
    #expect(try bench.request([], to: "prov-config", &cipher) == hex("08015a021001"))
  }

  @Test("Test 25: a request sent again is refused, and the numbers stand still") func repeated() throws {
    var bench = ProtocommBench()
    var cipher = try bench.openStrong()
    let request = try cipher.seal(hex("5200"))
    #expect(bench.write(request, to: "prov-config") == nil)
    let answer = bench.read("prov-config")
    for _ in 0..<3 { #expect(bench.write(request, to: "prov-config") == 0x04) }
    #expect(bench.write(answer, to: "prov-config") == 0x04)
    #expect(try cipher.open(answer) == hex("08015a021001"))
    #expect(try bench.request(hex("0804"), to: "prov-config", &cipher) == hex("08057a020805"))
  }

  @Test("A request altered in any bit is refused, and the session goes on") func altered() throws {
    var bench = ProtocommBench()
    var cipher = try bench.openStrong()
    let request = try cipher.seal(ConfigMessage.set(homeSettings).encoded)
    for index in request.indices {
      var changed = request
      changed[index] ^= 1 << UInt8(index % 8)
      #expect(bench.write(changed, to: "prov-config") == 0x04)
      #expect(bench.write(Array(request[..<index]), to: "prov-config") == (index == 0 ? nil : 0x04))
    }
    #expect(bench.write(request, to: "prov-config") == nil)
    #expect(try cipher.open(bench.read("prov-config")) == hex("08036a00"))
  }

  @Test("Test 27: with number ffffffff no request is answered, and the session ends") func lastNumber() throws {
    var bench = ProtocommBench { $0.firstNumber = .max - 2 }
    var cipher = try bench.openStrong()
    #expect(try bench.request(hex("5200"), to: "prov-config", &cipher) == hex("08015a021001"))
    #expect(bench.write(try cipher.seal(hex("5200")), to: "prov-config") == 0x04)
    #expect(bench.events.contains(.closed(ProtocommBench.link)))
    #expect(bench.write([UInt8](repeating: 0, count: 20), to: "prov-config") == 0x04)
  }

  @Test(
    "Test 32: names of 32 bytes, passphrases of 63 and addresses of 6 are accepted, longer or other ones not",
    arguments: [
      (1, 0, 0, true), (32, 63, 6, true), (32, 8, 0, true), (0, 8, 0, false), (33, 8, 0, false), (4, 64, 0, false),
      (4, 8, 5, false), (4, 8, 7, false),
    ])
  func settings(_ ssid: Int, _ passphrase: Int, _ bssid: Int, _ isAccepted: Bool) throws {
    var bench = ProtocommBench()
    var cipher = try bench.openWeak()
    let settings = NetworkSettings(
      ssid: [UInt8](repeating: 0x41, count: ssid), passphrase: SecretBytes([UInt8](repeating: 0x42, count: passphrase)),
      bssid: [UInt8](repeating: 0x43, count: bssid))
    #expect(
      try bench.request(ConfigMessage.set(settings).encoded, to: "prov-config", &cipher)
        == hex(isAccepted ? "08036a00" : "08036a020804"))
    let applied = try bench.request(hex("0804"), to: "prov-config", &cipher, work: isAccepted ? .done : nil)
    #expect(applied == hex(isAccepted ? "08057a00" : "08057a020805"))
  }

  @Test("Test 33: apply in both forms without a network, and twice, gives status 5") func apply() throws {
    var bench = ProtocommBench()
    var cipher = try bench.openWeak()
    for form in ["0804", "08047200"] {
      #expect(try bench.request(hex(form), to: "prov-config", &cipher) == hex("08057a020805"))
    }
    #expect(try bench.request(ConfigMessage.set(homeSettings).encoded, to: "prov-config", &cipher) == hex("08036a00"))
    #expect(bench.write(try cipher.seal(hex("08047200")), to: "prov-config") == nil)
    // The write is not answered before the work is done.
    #expect(bench.answer == nil)
    #expect(bench.read("prov-config") == [])
    guard case .join(let credentials) = bench.works.first?.work else {
      Issue.record("no join")
      return
    }
    #expect(credentials.ssid == Array("Home".utf8))
    #expect(credentials.withPassphrase { Array($0) } == Array("secret123".utf8))
    // A request before the answer is refused, and the work is not begun twice.
    #expect(bench.write([1], to: "prov-config") == 0x04)
    bench.complete(.done)
    #expect(bench.answer == .some(nil))
    #expect(try cipher.open(bench.read("prov-config")) == hex("08057a00"))
    for _ in 0..<2 { #expect(try bench.request(hex("0804"), to: "prov-config", &cipher) == hex("08057a020805")) }
    #expect(try bench.request(ConfigMessage.set(homeSettings).encoded, to: "prov-config", &cipher) == hex("08036a00"))
    #expect(try bench.request(hex("0804"), to: "prov-config", &cipher) == hex("08057a020805"))
    #expect(bench.works.isEmpty)
  }

  @Test("Work that is refused is status 5, and can be tried again") func refusedWork() throws {
    var bench = ProtocommBench()
    var cipher = try bench.openWeak()
    _ = try bench.request(ConfigMessage.set(homeSettings).encoded, to: "prov-config", &cipher)
    #expect(
      try bench.request(hex("0804"), to: "prov-config", &cipher, work: .failed(.busy)) == hex("08057a020805"))
    #expect(try bench.request(hex("0804"), to: "prov-config", &cipher, work: .done) == hex("08057a00"))
  }

  @Test("Test 34: the status before an attempt, of a wrong passphrase, of no network and of a joined one") func status()
    throws
  {
    var bench = ProtocommBench()
    var cipher = try bench.openWeak()
    var joined = JoinedNetwork(ssid: Array("Home".utf8))
    joined.address = "10.0.0.2"
    for (state, answer) in [
      (NetworkState.idle, "08015a021001"), (.connecting, "08015a021001"),
      (.failed(.wrongPassphrase), "08015a0410035000"),
      (.failed(.networkNotFound), "08015a0410035001"), (.failed(.noAddress), "08015a0410035001"),
      (.connected(joined), "08015a125a100a0831302e302e302e321a04486f6d65"),
    ] {
      bench.context.network = state
      #expect(try bench.request(hex("5200"), to: "prov-config", &cipher) == hex(answer))
    }
  }

  @Test("Test 37: pages within 16 networks are given, others refused, and no number wraps") func pages() throws {
    var bench = ProtocommBench()
    var cipher = try bench.openWeak()
    #expect(try bench.request(hex("080472021003"), to: "prov-scan", &cipher) == nil)
    #expect(
      try bench.request(hex("520408012078"), to: "prov-scan", &cipher, work: .networks(threeNetworks(40)))
        == hex("08015a00"))
    #expect(try bench.request(hex("08026200"), to: "prov-scan", &cipher) == hex("08036a0408011010"))
    for (start, count) in [(UInt32(15), UInt32(2)), (.max, 2), (2, .max), (16, 1), (0, 17), (0, 0), (16, 0)] {
      let message = ScanMessage.getResult(start: start, count: count).encoded
      #expect(try bench.request(message, to: "prov-scan", &cipher) == nil)
    }
    for (start, count) in [(UInt32(0), UInt32(4)), (12, 4), (15, 1), (0, 8)] {
      let answer = try bench.request(
        ScanMessage.getResult(start: start, count: count).encoded, to: "prov-scan", &cipher)
      let page = threeNetworks(40)[Int(start)..<Int(start + count)]
      #expect(try ScanMessage(answer ?? []) == .result(.success, Array(page)))
    }
  }

  @Test("A page with the longest names fits, and a longer one is cut to what does") func longPages() throws {
    let networks = (0..<16).map { index in
      ScannedNetwork(
        ssid: [UInt8](repeating: UInt8(index), count: 32), rssi: -90, security: .wpa2WPA3, channel: 165,
        bssid: [9, 9, 9, 9, 9, 9])
    }
    var bench = ProtocommBench()
    var cipher = try bench.openWeak()
    _ = try bench.request(hex("520408012078"), to: "prov-scan", &cipher, work: .networks(networks))
    let four = try bench.request(ScanMessage.getResult(start: 0, count: 4).encoded, to: "prov-scan", &cipher)
    #expect(four?.count == 245)
    let all = try #require(
      try bench.request(ScanMessage.getResult(start: 0, count: 16).encoded, to: "prov-scan", &cipher))
    #expect(all.count <= 512)
    guard case .result(_, let page) = try ScanMessage(all) else { return }
    #expect((4..<16).contains(page.count))
  }

  @Test("No network is a finished scan of none, and its page is refused: an iPhone's app ends at an empty one")
  func emptyScan() throws {
    var bench = ProtocommBench()
    var cipher = try bench.openWeak()
    #expect(try bench.request(hex("520408012078"), to: "prov-scan", &cipher, work: .networks([])) == hex("08015a00"))
    #expect(try bench.request(hex("08026200"), to: "prov-scan", &cipher) == hex("08036a020801"))
    #expect(try bench.request(hex("080472021004"), to: "prov-scan", &cipher) == nil)
  }

  @Test("A scan that does not block is answered at once, and finishes later; a second one meanwhile is status 5")
  func background() throws {
    var bench = ProtocommBench()
    var cipher = try bench.openWeak()
    #expect(try bench.request(hex("52022078"), to: "prov-scan", &cipher) == hex("08015a00"))
    #expect(try bench.request(hex("08026200"), to: "prov-scan", &cipher) == hex("08036a00"))
    #expect(try bench.request(hex("52022078"), to: "prov-scan", &cipher) == hex("080110055a00"))
    bench.complete(.networks(threeNetworks()))
    #expect(try bench.request(hex("08026200"), to: "prov-scan", &cipher) == hex("08036a0408011003"))
  }

  @Test("A scan that fails is status 5, and another one may follow") func failedScan() throws {
    var bench = ProtocommBench()
    var cipher = try bench.openWeak()
    #expect(
      try bench.request(hex("520408012078"), to: "prov-scan", &cipher, work: .failed(.unavailable))
        == hex("080110055a00"))
    #expect(
      try bench.request(hex("520408012078"), to: "prov-scan", &cipher, work: .networks(threeNetworks()))
        == hex("08015a00"))
  }

  @Test("A reset forgets an attempt that failed, does nothing when there is none, and is status 5 otherwise")
  func reset() throws {
    var bench = ProtocommBench()
    var cipher = try bench.openWeak()
    #expect(try bench.request(hex("08015a00"), to: "prov-ctrl", &cipher) == hex("08026200"))
    _ = try bench.request(ConfigMessage.set(homeSettings).encoded, to: "prov-config", &cipher)
    _ = try bench.request(hex("0804"), to: "prov-config", &cipher, work: .done)
    bench.context.network = .connecting
    #expect(try bench.request(hex("08015a00"), to: "prov-ctrl", &cipher) == hex("080210056200"))
    bench.context.network = .failed(.wrongPassphrase)
    #expect(try bench.request(hex("08015a00"), to: "prov-ctrl", &cipher, work: .done) == hex("08026200"))
    bench.context.network = .idle
    _ = try bench.request(ConfigMessage.set(homeSettings).encoded, to: "prov-config", &cipher)
    #expect(try bench.request(hex("0804"), to: "prov-config", &cipher, work: .done) == hex("08057a00"))
  }

  @Test("A joined network is left only where the device allows it", arguments: [false, true]) func again(
    _ isAllowed: Bool
  ) throws {
    var bench = ProtocommBench { $0.canProvisionAgain = isAllowed }
    var cipher = try bench.openWeak()
    #expect(try bench.request(hex("08036a00"), to: "prov-ctrl", &cipher) == hex("080410057200"))
    bench.context.network = .connected(JoinedNetwork(ssid: [0x41]))
    let answer = try bench.request(hex("08036a00"), to: "prov-ctrl", &cipher, work: isAllowed ? .done : nil)
    #expect(answer == hex(isAllowed ? "08047200" : "080410057200"))
  }

  @Test("A maker's endpoint has any bytes, none too; its failure and an answer of 513 bytes are errors") func custom()
    throws
  {
    var bench = ProtocommBench()
    var cipher = try bench.openWeak()
    let all = (0...255).map { UInt8($0) }
    #expect(try bench.request(all, to: "custom-data", &cipher, work: .response(all + all)) == all + all)
    #expect(try bench.request([7], to: "custom-data", &cipher, work: .failed(.invalid)) == nil)
    #expect(
      try bench.request([7], to: "custom-data", &cipher, work: .response([UInt8](repeating: 1, count: 513))) == nil)
    #expect(try bench.request([7], to: "custom-data", &cipher, work: .done) == nil)
    #expect(try bench.request([7], to: "custom-data", &cipher, work: .response([])) == [])
  }

  @Test(
    "Test 38: texts that are no message are refused, and the session goes on",
    arguments: [
      "08", "0b", "5a8080808008", "08ff", "080c", "08025200", "08025a00", "08068201020801", "08015a00", "08057a00",
    ]) func noMessages(_ text: String) throws
  {
    var bench = ProtocommBench()
    var cipher = try bench.openWeak()
    #expect(try bench.request(hex(text), to: "prov-config", &cipher) == nil)
    #expect(bench.works.isEmpty)
    #expect(try bench.request(hex("5200"), to: "prov-config", &cipher) == hex("08015a021001"))
  }

  @Test("Requests before a session, and with another scheme's text, are refused") func noSession() throws {
    var bench = ProtocommBench()
    for endpoint in ["prov-config", "prov-scan", "prov-ctrl", "custom-data"] {
      #expect(bench.write(hex("5200"), to: endpoint) == 0x04)
    }
    bench.write(hex(ProtocommVectors.all.security1[0].command0), to: "prov-session")
    #expect(bench.write(hex("5200"), to: "prov-config") == 0x04)
    #expect(bench.works.isEmpty)
  }

  @Test("Work of a link that went, or of a session that was replaced, changes nothing") func lateWork() throws {
    var bench = ProtocommBench()
    var cipher = try bench.openWeak()
    bench.write(try cipher.seal(hex("520408012078")), to: "prov-scan")
    bench.machine.disconnected(ProtocommBench.link, context: &bench.context)
    bench.complete(.networks(threeNetworks()))
    #expect(bench.answer == nil)
    bench.machine.completed(99, .done, context: &bench.context)
    // A session that another link replaces: the write that waited is refused, and the new session has no scan.
    cipher = try bench.openWeak()
    bench.write(try cipher.seal(hex("520408012078")), to: "prov-scan")
    var second = try bench.openWeak(link: ProtocommBench.other)
    bench.complete(.networks(threeNetworks()))
    #expect(bench.answer == .some(0x04))
    #expect(try bench.request(hex("08026200"), to: "prov-scan", &second, link: ProtocommBench.other) == hex("08036a00"))
  }

  @Test(
    "The service stops soon after an app was told of the network, or 30 s after it was joined, and comes back with the next attempt"
  )
  func stop() throws {
    for isTold in [true, false] {
      var bench = ProtocommBench()
      var cipher = try bench.openWeak()
      _ = try bench.request(ConfigMessage.set(homeSettings).encoded, to: "prov-config", &cipher)
      _ = try bench.request(hex("0804"), to: "prov-config", &cipher, work: .done)
      bench.context.network = .connected(JoinedNetwork(ssid: [0x41]))
      bench.machine.changed(context: &bench.context)
      #expect(bench.machine.nextDeadline == .seconds(30))
      if isTold { _ = try bench.request(hex("5200"), to: "prov-config", &cipher) }
      #expect(bench.machine.nextDeadline == (isTold ? .milliseconds(100) : .seconds(30)))
      bench.context.now = try #require(bench.machine.nextDeadline)
      bench.machine.handleTimeout(context: &bench.context)
      #expect(!bench.machine.isAdvertised)
      #expect(bench.machine.nextDeadline == nil)
      // Who asks on gets an answer.
      #expect(try bench.request(hex("5200"), to: "prov-config", &cipher) != nil)
      #expect(bench.machine.nextDeadline == nil)
      bench.context.network = .failed(.other)
      bench.machine.changed(context: &bench.context)
      #expect(bench.machine.isAdvertised)
    }
  }

  @Test("A network that was joined before does not stop the service") func joinedBefore() throws {
    var bench = ProtocommBench()
    bench.context.network = .connected(JoinedNetwork(ssid: [0x41]))
    bench.machine.changed(context: &bench.context)
    var cipher = try bench.openWeak()
    _ = try bench.request(hex("5200"), to: "prov-config", &cipher)
    #expect(bench.machine.nextDeadline == nil)
    #expect(bench.machine.isAdvertised)
  }

  @Test("Answers are kept for 16 links at most") func manyLinks() {
    var bench = ProtocommBench()
    for id in UInt64(10)..<100 { bench.write([1], to: "proto-ver", from: ProvisioningLink(id: id)) }
    let kept = (UInt64(10)..<100).filter { !bench.read("proto-ver", from: ProvisioningLink(id: $0)).isEmpty }
    #expect(kept == Array(84..<100))
  }
}
