import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// Transcripts of the signalling channel, with a peer that is played by hand.
@Suite("A host whose peer opens channels") struct HostChannelSignalTests {
  /// Our MTU of 2 048, MPS of 247 and 128 credits, in a response with our identifier.
  private func accepted(_ local: String) -> String { "5:15010a00\(local)000008f70080000000" }

  private func refused(_ result: UInt8) -> [String] {
    ["5:15010a000000000000000000" + Hexadecimal.encode([result, 0])]
  }

  @Test("accepts one to a service that is published") func accepts() throws {
    let raw = try RawLink()
    #expect(raw.psm == 0x80)
    #expect(try raw.open() == ["opened 80", accepted("40")])
    #expect(try raw.open(source: 0x0041) == ["opened 80", accepted("41")])
    #expect(try raw.receive(0x40, "0300 a1a2a3") == ["data 3"])
  }

  @Test("refuses one to a service that is not there, or not any more") func noService() throws {
    let raw = try RawLink()
    #expect(
      try raw.receive(5, "14 07 0a00 2500 4000 1700 1700 0100") == ["5:15070a0000000000000000000200"])
    let device = raw.couple.device
    _ = try raw.open()
    let isUnpublished = raw.couple.peripheral.with { host, _ in host.unpublishChannel(0x80, client: device) }
    #expect(isUnpublished)
    #expect(try raw.open(source: 0x0041) == refused(2))
    // The open one stays.
    #expect(try raw.receive(0x40, "0100 07") == ["data 1"])
    let isUnpublishedAgain = raw.couple.peripheral.with { host, _ in host.unpublishChannel(0x80, client: device) }
    #expect(!isUnpublishedAgain)
  }

  @Test(
    "refuses identifiers out of their range",
    arguments: [0x0000, 0x0004, 0x0005, 0x003F, 0x0080, 0xFFFF] as [UInt16]) func invalidSource(_ source: UInt16) throws
  {
    let raw = try RawLink()
    #expect(try raw.open(source: source) == refused(9))
  }

  @Test("refuses an identifier that the peer uses already") func allocatedSource() throws {
    let raw = try RawLink()
    #expect(try raw.open(source: 0x007F) == ["opened 80", accepted("40")])
    #expect(try raw.open(source: 0x007F) == refused(10))
    #expect(try raw.receive(5, "06 02 0400 4000 7f00") == ["closed: closedByPeer", "5:0702040040007f00"])
    #expect(try raw.open(source: 0x007F) == ["opened 80", accepted("41")])
  }

  @Test(
    "refuses lengths out of their ranges",
    arguments: [(22, 50), (100, 22), (0, 0), (100, 65534), (100, 65535)] as [(UInt16, UInt16)])
  func unacceptableParameters(_ mtu: UInt16, _ mps: UInt16) throws {
    let raw = try RawLink()
    #expect(try raw.open(mtu: mtu, mps: mps) == refused(11))
    #expect(try raw.open(mtu: 23, mps: 23, credits: 0) == ["opened 80", accepted("40")])
    #expect(try raw.open(source: 0x41, mtu: 65535, mps: 65533, credits: 65535) == ["opened 80", accepted("41")])
  }

  @Test("refuses one that needs encryption, by what the link lacks") func insufficientSecurity() throws {
    let raw = try RawLink(needsEncryption: true)
    let link = raw.couple.peripheralLink
    #expect(try raw.open() == refused(5))
    let bytes = try #require(SecurityKey(Array(1...16)))
    let key = LongTermKey(key: bytes, size: 7, isAuthenticated: false, isSecureConnections: true)
    let isSet = raw.couple.peripheral.with { host, _ in host.setKey(key, for: link) }
    #expect(isSet)
    #expect(try raw.open() == refused(8))
    raw.perform { host, _ in host.links.first?.server.security = LinkSecurity(key, reportedSize: 6) }
    #expect(try raw.open() == refused(7))
    raw.perform { host, _ in host.links.first?.server.security = LinkSecurity(key, reportedSize: nil) }
    #expect(try raw.open() == ["opened 80", accepted("40")])
  }

  @Test("refuses more than it has room for, and accepts again after one is closed") func noResources() throws {
    let raw = try RawLink()
    for number in 0..<32 as Range<UInt16> {
      #expect(try raw.open(source: 0x40 + number).first == "opened 80")
    }
    #expect(try raw.open(source: 0x70) == refused(4))
    let closed = try raw.receive(5, "06 02 0400 4000 4000")
    #expect(closed == ["closed: closedByPeer", "5:0702040040004000"])
    #expect(try raw.open(source: 0x70).first == "opened 80")
  }

  @Test("refuses a peer that opens and closes channels while the app does not run") func unprocessedEnds() throws {
    let raw = try RawLink()
    var (opened, channels): (Int, [ChannelID]) = (0, [])
    for _ in 0..<200 {
      guard try raw.open().contains("opened 80") else { break }
      opened += 1
      let channel = try #require(raw.couple.peripheral.with { host, _ in host.links.first?.channels.all.last })
      channels.append(channel.id)
      let local = Hexadecimal.encode([UInt8(channel.local.rawValue)])
      #expect(try raw.receive(5, "06 02 0400 \(local)00 4000").first == "closed: closedByPeer")
    }
    #expect(opened == ChannelRegistry.mostPerService)
    #expect(try raw.open() == refused(4))
    raw.perform { host, now in host.closeChannel(channels[0], now: now) }
    #expect(try raw.open().first == "opened 80")
  }

  @Test("answers the request to close an unknown channel by a rejection, and drops one for another end")
  func unknownDisconnection() throws {
    let raw = try RawLink()
    #expect(try raw.receive(5, "06 03 0400 4000 4100") == ["5:010306000200" + "40004100"])
    _ = try raw.open()
    #expect(try raw.receive(5, "06 03 0400 4000 4100") == [])
    #expect(try raw.receive(0x40, "0100 07") == ["data 1"])
    #expect(try raw.receive(5, "06 03 0400 4000 4000") == ["closed: closedByPeer", "5:0703040040004000"])
    #expect(try raw.receive(5, "06 03 0400 4000 4000") == ["5:010306000200" + "40004000"])
    #expect(try raw.receive(0x40, "0100 07") == [])
  }

  @Test("ignores credits for channels that are not there") func unknownCredits() throws {
    let raw = try RawLink()
    #expect(try raw.receive(5, "16 01 0400 4000 0000") == [])
    _ = try raw.open(source: 0x0055)
    // The identifier is the peer's, not ours.
    #expect(try raw.receive(5, "16 01 0400 4000 0000") == [])
  }

  @Test("numbers services from 0x80 to 0xFF, and no number at once again") func numbersOfServices() throws {
    let stage = Stage()
    let actor = stage.addActor(1)
    let (one, other) = (actor.addClient(), actor.addClient())
    func publish(_ client: ClientID) -> UInt16? {
      actor.with { host, _ in host.publishChannel(client, ChannelSecurity()) }
    }
    func unpublish(_ psm: UInt16, _ client: ClientID) -> Bool {
      actor.with { host, _ in host.unpublishChannel(psm, client: client) }
    }
    for number in 0x80...0xFF as ClosedRange<UInt16> { #expect(publish(one) == number) }
    #expect(publish(one) == nil)
    #expect(!unpublish(0x90, other))
    #expect(unpublish(0x90, one))
    #expect(unpublish(0xA0, one))
    #expect(publish(other) == 0x90)
    actor.with { host, now in host.removeClient(one, now: now) }
    #expect(publish(one) == nil)
    #expect(publish(other) == 0x91)
  }
}
