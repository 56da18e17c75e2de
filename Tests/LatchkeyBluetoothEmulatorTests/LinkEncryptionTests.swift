import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothEmulator

@Suite("Encryption between two controllers") struct LinkEncryptionTests {
  private static let key = "101112131415161718191a1b1c1d1e1f"
  private static let otherKey = "101112131415161718191a1b1c1d1e1e"
  /// LE Enable Encryption of link 1: a number, a diversifier, and the key.
  private static let enable = "0119201c0100" + "0102030405060708" + "090a"
  private static let request = "043e0d05" + "0100" + "0102030405060708" + "090a"
  private static let reply = "011a20120100"
  private static let started = "040f0400011920"
  private static let encrypted = "040804" + "00" + "0100" + "01"
  private static let refreshed = "043003" + "00" + "0100"

  private let bench = RadioBench()
  private let a: ControllerID
  private let b: ControllerID

  init() throws {
    (a, b) = (bench.addReady(alice), bench.addReady(bob))
    _ = try bench.connect(a, b)
  }

  /// Both hosts' answers to a central that encrypts with one key and a peripheral that has another.
  private func encrypt(_ central: String, _ peripheral: String) throws -> (central: [String], peripheral: [String]) {
    try bench.send(Self.enable + central, a)
    try bench.send(Self.reply + peripheral, b)
    return (bench.dequeueHex(a), bench.dequeueHex(b))
  }

  @Test("asks the peripheral's host for the key, and reports the change to both") func start() throws {
    try bench.send(Self.enable + Self.key, a)
    #expect(bench.dequeueHex(a) == [Self.started])
    #expect(bench.dequeueHex(b) == [Self.request])
    try bench.send(Self.reply + Self.key, b)
    #expect(bench.dequeueHex(b) == ["040e0601" + "1a20" + "000100", Self.encrypted])
    #expect(bench.dequeueHex(a) == [Self.encrypted])
    #expect(bench.radio.nextDeadline == nil)
  }

  @Test("with another key reports its refresh to both") func refresh() throws {
    _ = try encrypt(Self.key, Self.key)
    let second = try encrypt(Self.otherKey, Self.otherKey)
    #expect(second.central == [Self.started, Self.refreshed])
    #expect(second.peripheral == [Self.request, "040e06011a20000100", Self.refreshed])
    #expect(bench.radio.nextDeadline == nil)
  }

  @Test("with different keys ends the link: the packet's integrity check fails") func differentKeys() throws {
    let hosts = try encrypt(Self.key, Self.otherKey)
    #expect(hosts.central == [Self.started, "0405040001003d"])
    #expect(hosts.peripheral == [Self.request, "040e06011a20000100", "0405040001003d"])
    #expect(bench.radio.nextDeadline == nil)
  }

  @Test("that is refreshed with different keys ends the link, too") func differentKeysOfRefresh() throws {
    _ = try encrypt(Self.key, Self.key)
    let hosts = try encrypt(Self.key, Self.otherKey)
    #expect(hosts.central.last == "0405040001003d")
    #expect(hosts.peripheral.last == "0405040001003d")
  }

  @Test("is refused by a host without the key; the link goes on in clear") func noKey() throws {
    try bench.send(Self.enable + Self.key, a)
    try bench.send("011b20020100", b)
    #expect(bench.dequeueHex(a) == [Self.started, "04080406010000"])
    #expect(bench.dequeueHex(b) == [Self.request, "040e06011b20000100"])
    bench.sendData(1, handle: 1, a)
    #expect(try bench.dequeueNumbers(b) == [1])
    // It may be tried again.
    #expect(try encrypt(Self.key, Self.key).central.last == Self.encrypted)
  }

  @Test("that was paused never goes on in clear: without the key the link ends") func noKeyOfRefresh() throws {
    _ = try encrypt(Self.key, Self.key)
    try bench.send(Self.enable + Self.otherKey, a)
    try bench.send("011b20020100", b)
    #expect(bench.dequeueHex(a) == [Self.started, "04050400010006"])
    #expect(bench.dequeueHex(b) == [Self.request, "040e06011b20000100", "04050400010006"])
  }

  @Test("is refused where the host's mask leaves out the request") func maskedRequest() throws {
    bench.send(HCILESetEventMask(mask: 0x0F), b)
    _ = bench.dequeue(b)
    try bench.send(Self.enable + Self.key, a)
    #expect(bench.dequeueHex(a) == [Self.started, "04080406010000"])
    #expect(bench.dequeueHex(b).isEmpty)
  }

  @Test("is refused by a controller that cannot encrypt, and unknown to it") func withoutFeature() throws {
    let c = bench.addReady(carol, ControllerConfiguration(features: []))
    let link = try bench.connect(a, c)
    try bench.send("0119201c0200" + "0102030405060708" + "090a" + Self.key, a)
    #expect(link.central == 2)
    #expect(bench.dequeueHex(a) == [Self.started, "0408041a020000"])
    #expect(bench.dequeueHex(c).isEmpty)
    try bench.send(Self.enable + Self.key, c)
    #expect(bench.dequeueHex(c) == ["040f0401011920"])
  }

  @Test("begins at the central alone") func peripheralMayNot() throws {
    try bench.send(Self.enable + Self.key, b)
    #expect(bench.dequeueHex(b) == ["040f040c011920"])
    #expect(bench.dequeueHex(a).isEmpty)
  }

  @Test("does not begin twice, nor while the link is being ended") func twice() throws {
    try bench.send(Self.enable + Self.key, a)
    try bench.send(Self.enable + Self.otherKey, a)
    #expect(bench.dequeueHex(a) == [Self.started, "040f040c011920"])
    try bench.send(Self.reply + Self.key, b)
    #expect(bench.dequeueHex(a) == [Self.encrypted])
    bench.radio.setLoss(1, between: a, and: b, now: bench.now)
    bench.send(HCIDisconnect(connectionHandle: 1), a)
    _ = bench.dequeue(a)
    try bench.send(Self.enable + Self.key, a)
    #expect(bench.dequeueHex(a) == ["040f040c011920"])
  }

  @Test("has one answer to a request, and none without one") func answersOutOfTurn() throws {
    try bench.send(Self.reply + Self.key, b)
    try bench.send("011b20020100", b)
    #expect(bench.dequeueHex(b) == ["040e04011a200c", "040e04011b200c"])
    try bench.send(Self.enable + Self.key, a)
    try bench.send(Self.reply + Self.key, a)
    #expect(bench.dequeueHex(a) == [Self.started, "040e04011a200c"])
    try bench.send("011b20020100", b)
    try bench.send(Self.reply + Self.key, b)
    #expect(bench.dequeueHex(b) == [Self.request, "040e06011b20000100", "040e04011a200c"])
    #expect(bench.dequeueHex(a) == ["04080406010000"])
  }

  @Test("holds data of both hosts until both have heard of it") func dataWaits() throws {
    try bench.send(Self.enable + Self.key, a)
    for number: UInt8 in 1...3 {
      bench.sendData(number, handle: 1, a)
      bench.sendData(number, handle: 1, b)
    }
    #expect(bench.dequeueHex(a) == [Self.started])
    #expect(bench.dequeueHex(b) == [Self.request])
    try bench.send(Self.reply + Self.key, b)
    for host in [a, b] {
      let packets = bench.dequeue(host)
      let change = try #require(packets.firstIndex { Hexadecimal.encode($0) == Self.encrypted })
      let data = packets.indices.filter { packets[$0].first == 0x02 }
      #expect(data.count == 3)
      #expect(data.allSatisfy { $0 > change })
    }
    bench.sendData(4, handle: 1, a)
    #expect(try bench.dequeueNumbers(b) == [4])
    #expect(bench.radio.nextDeadline == nil)
  }

  @Test("does not hold back the end of the link", arguments: [true, false]) func disconnectInBetween(_ isCentral: Bool)
    throws
  {
    try bench.send(Self.enable + Self.key, a)
    bench.sendData(1, handle: 1, isCentral ? a : b)
    bench.send(HCIDisconnect(connectionHandle: 1), isCentral ? a : b)
    #expect(bench.dequeueHex(a).last == (isCentral ? "04050400010016" : "04050400010013"))
    #expect(bench.dequeueHex(b).last == (isCentral ? "04050400010013" : "04050400010016"))
    try bench.send(Self.reply + Self.key, b)
    #expect(bench.dequeueHex(b) == ["040e04011a2002"])
    #expect(bench.radio.nextDeadline == nil)
  }

  @Test("whose key is never given ends the link after 40 s") func lostReply() throws {
    var faults = ControllerFaults()
    faults.silentCommands = [0x201A]
    bench.radio.setFaults(faults, on: b, now: bench.now)
    try bench.send(Self.enable + Self.key, a)
    try bench.send(Self.reply + Self.key, b)
    bench.advance(by: .milliseconds(39_999))
    #expect(bench.dequeueHex(a) == [Self.started])
    bench.advance(by: .milliseconds(1))
    #expect(bench.dequeueHex(a) == ["04050400010022"])
    #expect(bench.dequeueHex(b) == [Self.request, "04050400010022"])
    #expect(bench.radio.nextDeadline == nil)
  }

  @Test("leaves nothing behind on the next link") func nextLink() throws {
    _ = try encrypt(Self.key, Self.key)
    bench.send(HCIDisconnect(connectionHandle: 1), a)
    _ = (bench.dequeue(a), bench.dequeue(b))
    let link = try bench.connect(a, b)
    #expect(link.central == 2)
    try bench.send("0119201c0200" + "0000000000000000" + "0000" + Self.key, a)
    #expect(bench.dequeueHex(b) == ["043e0d0502000000000000000000" + "0000"])
    try bench.send("011a20120200" + Self.key, b)
    // Encryption Change, not Key Refresh: the new link was not encrypted.
    #expect(bench.dequeueHex(a) == [Self.started, "04080400020001"])
  }

  @Test("works where PDUs are lost and late", arguments: [1, 2, 3] as [UInt64]) func lossyAir(_ seed: UInt64) throws {
    let bench = RadioBench(RadioConfiguration(seed: seed))
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    _ = try bench.connect(a, b)
    bench.radio.setLoss(0.5, between: a, and: b, now: bench.now)
    try bench.send(Self.enable + Self.key, a)
    bench.sendData(1, handle: 1, a)
    bench.advance(by: .seconds(2))
    #expect(bench.dequeueHex(b) == [Self.request])
    try bench.send(Self.reply + Self.key, b)
    bench.advance(by: .seconds(2))
    #expect(bench.dequeueHex(a).dropFirst().first == Self.encrypted)
    let packets = bench.dequeueHex(b)
    #expect(packets.count == 3 && packets[1] == Self.encrypted && packets[2].hasPrefix("02"))
  }
}
