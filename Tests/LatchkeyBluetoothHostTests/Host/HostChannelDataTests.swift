import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// Transcripts of a channel's data and credits, with a peer that is played by hand: our end is 0x0040, the peer's 0x0050.
@Suite("A host with an open channel") struct HostChannelDataTests {
  private let raw: RawLink
  private let channel: ChannelID

  init() throws {
    raw = try RawLink()
    #expect(try raw.open(source: 0x0050).first == "opened 80")
    channel = try #require(raw.channel)
  }

  /// Our request to close the channel.
  private func closing(_ identifier: String) -> String { "5:06\(identifier)0400" + "50004000" }

  private func close() -> [String] { raw.perform { host, now in host.closeChannel(channel, now: now) } }

  private func write(_ bytes: [UInt8]) -> [String] {
    raw.perform { host, now in _ = host.writeChannel(channel, bytes, now: now) }
  }

  @Test("sends what is written, in frames of the peer's length") func sends() throws {
    #expect(write([0xA1, 0xA2]) == ["80:0200a1a2"])
    let bytes = Array(1...60) as [UInt8]
    #expect(
      write(bytes) == ["80:3c00" + Hexadecimal.encode(bytes[..<48]), "80:" + Hexadecimal.encode(bytes[48...])])
  }

  @Test("sends nothing without credits, and goes on with more") func creditsStop() throws {
    for number in 0..<10 as Range<UInt8> { #expect(write([number]) == ["80:0100" + Hexadecimal.encode([number])]) }
    #expect(write([10]) == [])
    #expect(write([11]) == [])
    #expect(try raw.receive(5, "16 09 0400 5000 0100") == ["80:01000a"])
    #expect(try raw.receive(5, "16 0a 0400 5000 0500") == ["80:01000b"])
    #expect(write([12]) == ["80:01000c"])
  }

  @Test("returns half of the window once it was consumed, and nothing before") func creditsComeBack() throws {
    for _ in 0..<64 { #expect(try raw.receive(0x40, "0100 07") == ["data 1"]) }
    var heard = raw.perform { host, now in host.consumeChannel(channel, count: 63, now: now) }
    #expect(heard == [])
    heard = raw.perform { host, now in host.consumeChannel(channel, count: 1, now: now) }
    #expect(heard == ["5:16010400" + "40004000"])
    heard = raw.perform { host, now in host.consumeChannel(channel, count: 1000, now: now) }
    #expect(heard == [])
  }

  @Test("ends it when the peer sends without a credit") func withoutCredit() throws {
    for _ in 0..<128 { #expect(try raw.receive(0x40, "0100 07") == ["data 1"]) }
    #expect(try raw.receive(0x40, "0100 07") == ["closed: frameWithoutCredit", closing("01")])
    #expect(try raw.receive(0x40, "0100 07") == [])
    #expect(write([1]) == [])
    #expect(try raw.receive(5, "07 01 0400 5000 4000") == [])
    // Both identifiers are free again.
    #expect(try raw.open(source: 0x0050).first == "opened 80")
  }

  @Test(
    "ends it when a frame or an SDU is longer than it may be",
    arguments: [
      (["f700" + String(repeating: "00", count: 246)], "frameTooLong"), (["0108"], "dataTooLong"),
      (["ffff"], "dataTooLong"), (["0100 0102"], "excessData"), (["0200 01", "0203"], "excessData"),
      (["0000 01"], "excessData"), ([""], "noLength"), (["01"], "noLength"),
    ] as [([String], String)]) func tooLong(_ frames: [String], _ violation: String) throws
  {
    for frame in frames.dropLast() { #expect(try raw.receive(0x40, frame) == []) }
    #expect(try raw.receive(0x40, frames[frames.count - 1]) == ["closed: \(violation)", closing("01")])
    #expect(try raw.receive(0x40, "0100 07") == [])
  }

  @Test("ends it when the peer gives no credits, or more than 65 535", arguments: ["0000", "f6ff", "ffff"])
  func invalidCredits(_ credits: String) throws {
    #expect(try raw.receive(5, "16 01 0400 5000 f5ff") == [])
    #expect(try raw.receive(5, "16 02 0400 5000 \(credits)") == ["closed: invalidCredits", closing("01")])
    #expect(try raw.receive(5, "16 03 0400 5000 ffff") == [])
    #expect(try raw.receive(5, "07 01 0400 5000 4000") == [])
  }

  @Test("ends the channel of a peer that answers its end by a rejection") func rejectedDisconnection() throws {
    #expect(try raw.receive(0x40, "") == ["closed: noLength", closing("01")])
    #expect(try raw.open(source: 0x0050) == ["5:15010a0000000000000000000a00"])
    #expect(try raw.receive(5, "01 01 0600 0200 5000 4000") == [])
    #expect(try raw.open(source: 0x0050).first == "opened 80")
  }

  @Test("answers a peer that closes it at the same time") func closedByBoth() throws {
    #expect(close() == [closing("01")])
    #expect(try raw.receive(5, "06 07 0400 4000 5000") == ["5:07070400" + "40005000"])
    #expect(try raw.receive(5, "01 01 0600 0200 5000 4000") == [])
    #expect(try raw.open(source: 0x0050).first == "opened 80")
  }

  @Test("sends what was written before it closes it, as far as the peer gives credits") func drains() throws {
    for number in 0..<12 as Range<UInt8> { _ = write([number]) }
    #expect(close() == [])
    #expect(write([99]) == [])
    // Data that nobody reads has no event, and no credits come back.
    for _ in 0..<200 { #expect(try raw.receive(0x40, "0100 07") == []) }
    #expect(try raw.receive(5, "16 09 0400 5000 0100") == ["80:01000a"])
    #expect(try raw.receive(5, "16 0a 0400 5000 0500") == ["80:01000b", closing("01")])
  }

  @Test("closes it after some seconds, if the peer gives no credits") func drainTimeout() throws {
    for number in 0..<12 as Range<UInt8> { _ = write([number]) }
    #expect(close() == [])
    let heard = raw.perform { host, now in host.handleTimeout(now: now + CreditBasedChannel.drainTimeout) }
    #expect(heard == [closing("01")])
  }

  @Test("keeps a bounded queue for a peer that never gives credits, and says when there is room") func fullQueue()
    throws
  {
    var accepted = 0
    raw.perform { host, now in
      while true {
        let count = host.writeChannel(channel, Array(repeating: 1, count: 5000), now: now)
        accepted += count
        guard count == 5000 else { return }
      }
    }
    // Ten frames of the peer's length left for its credits.
    #expect(accepted <= ChannelSender.capacity + 500)
    var canWrite = true
    #expect(raw.perform { host, _ in canWrite = host.canWriteChannel(channel) } == [])
    #expect(!canWrite)
    let heard = try raw.receive(5, "16 01 0400 5000 5001")
    #expect(heard.filter { $0 == "writable" }.count == 1)
  }

  @Test("reports the end of its link once") func linkEnds() throws {
    let heard = raw.perform { host, now in host.receive([0x04, 0x05, 0x04, 0x00, 0x01, 0x00, 0x13], now: now) }
    #expect(heard.filter { $0.hasPrefix("closed") } == ["closed: disconnected"])
    #expect(heard.last?.hasPrefix("disconnected") == true)
    #expect(write([1]) == [])
    #expect(close() == [])
  }

  @Test(
    "drops frames for other identifiers",
    arguments: [0x0000, 0x0003, 0x003F, 0x0041, 0x007F, 0x0080, 0xFFFF] as [UInt16])
  func otherIdentifiers(_ identifier: UInt16) throws {
    let before = raw.couple.peripheral.with { host, _ in host.ignored.frames }
    #expect(try raw.receive(identifier, "0100 07") == [])
    let after = raw.couple.peripheral.with { host, _ in host.ignored.frames }
    #expect(after == before + 1)
  }
}
