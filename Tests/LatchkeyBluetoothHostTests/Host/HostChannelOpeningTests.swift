import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// Transcripts of channels that this host requests, with a peer that is played by hand.
@Suite("A host that opens a channel") struct HostChannelOpeningTests {
  private let raw: RawLink

  init() throws { raw = try RawLink() }

  /// Requests a channel; the host's request is the only thing that is heard.
  private func open(psm: UInt16 = 0x25, identifier: String = "01", local: String = "40") throws -> ChannelID {
    let (device, link) = (raw.couple.device, raw.couple.peripheralLink)
    var id: ChannelID?
    let heard = raw.perform { host, now in id = host.openChannel(device, to: psm, on: link, now: now) }
    #expect(heard == ["5:14\(identifier)0a002500\(local)000008f7008000"])
    return try #require(id)
  }

  @Test("has one when the peer accepts") func accepted() throws {
    let id = try open()
    #expect(try raw.receive(5, "15 01 0a00 4100 1700 1700 0200 0000") == ["opened 25"])
    let heard = raw.perform { host, now in _ = host.writeChannel(id, Array(1...30), now: now) }
    #expect(heard == ["65:1700" + Hexadecimal.encode(Array(1...21)), "65:1617"])
    #expect(try raw.receive(0x40, "0100 aa") == ["data 1"])
    #expect(try raw.receive(5, "15 01 0a00 4100 1700 1700 0200 0000") == [])
  }

  @Test("is told each reason of a refusal", arguments: [2, 4, 5, 6, 7, 8, 9, 10, 11, 3, 0xFFFF] as [UInt16])
  func refused(_ result: UInt16) throws {
    _ = try open()
    let code = Hexadecimal.encode([UInt8(result & 0xFF), UInt8(result >> 8)])
    #expect(try raw.receive(5, "15 01 0a00 0000 0000 0000 0000 \(code)") == ["refused \(result)"])
    #expect(try raw.receive(5, "15 01 0a00 0000 0000 0000 0000 \(code)") == [])
    _ = try open(identifier: "02", local: "41")
  }

  @Test("has none when the peer does not know such a request") func rejected() throws {
    _ = try open()
    #expect(try raw.receive(5, "01 01 0200 0000") == ["not opened: notSupported"])
  }

  @Test("has none of an invalid answer, and closes the peer's end where there is one") func invalidAnswers() throws {
    _ = try open()
    #expect(try raw.receive(5, "15 01 0a00 3f00 1700 1700 0200 0000") == ["not opened: peerMisbehaved"])
    _ = try open(identifier: "02", local: "41")
    #expect(
      try raw.receive(5, "15 02 0a00 4100 1600 1700 0200 0000")
        == ["not opened: peerMisbehaved", "5:06030400" + "41004100"])
    // The identifier of a channel that is open.
    _ = try open(identifier: "04", local: "42")
    #expect(try raw.receive(5, "15 04 0a00 4200 1700 1700 0200 0000") == ["opened 25"])
    _ = try open(identifier: "05", local: "43")
    #expect(try raw.receive(5, "15 05 0a00 4200 1700 1700 0200 0000") == ["not opened: peerMisbehaved"])
    #expect(try raw.receive(0x42, "0100 07") == ["data 1"])
  }

  @Test("gives up after 30 seconds, and closes what the peer opens later") func timesOut() throws {
    _ = try open()
    var heard = raw.perform { host, now in host.handleTimeout(now: now + .milliseconds(29_999)) }
    #expect(heard == [])
    heard = raw.perform { host, now in host.handleTimeout(now: now + .seconds(30)) }
    #expect(heard == ["not opened: timedOut"])
    #expect(try raw.receive(0x40, "0100 07") == [])
    #expect(try raw.receive(5, "15 01 0a00 4100 1700 1700 0200 0000") == ["5:06020400" + "41004000"])
    #expect(try raw.receive(5, "07 02 0400 4100 4000") == [])
  }

  @Test("that is no longer wanted closes what the peer opens") func givenUp() throws {
    let id = try open()
    let heard = raw.perform { host, now in host.closeChannel(id, now: now) }
    #expect(heard == [])
    #expect(try raw.receive(5, "15 01 0a00 4100 1700 1700 0200 0000") == ["5:06020400" + "41004000"])
  }

  @Test("is told once when the link ends before the answer") func linkEnds() throws {
    _ = try open()
    let heard = raw.perform { host, now in host.receive([0x04, 0x05, 0x04, 0x00, 0x01, 0x00, 0x13], now: now) }
    #expect(heard.filter { $0.hasPrefix("not opened") } == ["not opened: disconnected"])
    let (device, link) = (raw.couple.device, raw.couple.peripheralLink)
    let later = raw.perform { host, now in host.openChannel(device, to: 0x25, on: link, now: now) }
    #expect(later == ["not opened: disconnected"])
  }

  @Test("is told once when the controller is lost before the answer") func controllerLost() throws {
    _ = try open()
    let heard = raw.perform { host, now in host.stop(now: now) }
    #expect(heard.filter { $0.hasPrefix("not opened") } == ["not opened: disconnected"])
  }

  @Test("has at most 64 on a link, and is told so") func noIdentifiers() throws {
    let (device, link) = (raw.couple.device, raw.couple.peripheralLink)
    for _ in 0..<64 {
      raw.perform { host, now in host.openChannel(device, to: 0x25, on: link, now: now) }
    }
    let heard = raw.perform { host, now in host.openChannel(device, to: 0x25, on: link, now: now) }
    #expect(heard == ["not opened: noResources"])
    #expect(try raw.open() == ["5:15010a0000000000000000000400"])
  }

  @Test("ends its channels with its client") func clientRemoved() throws {
    let id = try open()
    #expect(try raw.receive(5, "15 01 0a00 4100 1700 1700 0200 0000") == ["opened 25"])
    _ = try open(identifier: "02", local: "41")
    let device = raw.couple.device
    let heard = raw.perform { host, now in host.removeClient(device, now: now) }
    #expect(heard.filter { $0.hasPrefix("5:") } == ["5:06030400" + "41004000"])
    let count = raw.couple.peripheral.with { host, now in host.writeChannel(id, [1], now: now) }
    #expect(count == 0)
    // The service of the client is gone, too.
    #expect(try raw.open() == ["5:15010a0000000000000000000200"])
  }
}
