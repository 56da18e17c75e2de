import Testing

@testable import LatchkeyBluetoothTransports

struct H4FramerTests {
  /// One of each kind that a controller sends, the empty ones included.
  private let fromController: [[UInt8]] = [
    [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00],
    [0x02, 0x40, 0x20, 0x07, 0x00, 0x03, 0x00, 0x04, 0x00, 0x0A, 0x01, 0x00],
    [0x04, 0x10, 0x00],
    [0x03, 0x01, 0x00, 0x02, 0xAA, 0xBB],
    [0x02, 0x40, 0x00, 0x00, 0x00],
    // The two top bits of an ISO length are reserved (Core 6.0 Vol 4 Part E 5.4.5).
    [0x05, 0x01, 0x00, 0x03, 0xC0, 0x01, 0x02, 0x03],
  ]

  private let fromHost: [[UInt8]] = [
    [0x01, 0x03, 0x0C, 0x00],
    [0x01, 0x01, 0x0C, 0x08, 0xFF, 0xFF, 0xFB, 0xFF, 0x07, 0xF8, 0xBF, 0x3D],
    [0x02, 0x40, 0x00, 0x01, 0x00, 0x55],
  ]

  private func packets(of chunks: [[UInt8]], from origin: H4Framer.Origin) throws -> [[UInt8]] {
    var framer = H4Framer(from: origin)
    var packets: [[UInt8]] = []
    for chunk in chunks { try framer.receive(chunk) { packets.append($0) } }
    #expect(framer.isAtBoundary)
    return packets
  }

  @Test("A stream in one piece is split into its packets") func aStreamInOnePiece() throws {
    #expect(try packets(of: [fromController.flatMap { $0 }], from: .controller) == fromController)
    #expect(try packets(of: [fromHost.flatMap { $0 }], from: .host) == fromHost)
  }

  @Test("A stream cut in two at any byte gives the same packets") func aStreamCutInTwoAtEveryPlace() throws {
    let stream = fromController.flatMap { $0 }
    for cut in 0...stream.count {
      let chunks = [Array(stream[..<cut]), Array(stream[cut...])]
      #expect(try packets(of: chunks, from: .controller) == fromController, "cut at \(cut)")
    }
  }

  @Test("A stream in pieces of one size gives the same packets", arguments: 1...7)
  func aStreamInPiecesOfOneSize(size: Int) throws {
    let stream = fromController.flatMap { $0 }
    let chunks = stride(from: 0, to: stream.count, by: size).map { Array(stream[$0..<min($0 + size, stream.count)]) }
    #expect(try packets(of: chunks, from: .controller) == fromController)
  }

  @Test("The longest packet arrives byte by byte") func theLongestPacketDrippingIn() throws {
    let packet: [UInt8] = [0x02, 0x40, 0x00, 0xFF, 0xFF] + Array(repeating: 0x5A, count: 0xFFFF)
    #expect(packet.count == H4Framer.maximumPacketLength)
    #expect(try packets(of: packet.map { [$0] }, from: .controller) == [packet])
  }

  @Test("Half a packet is no boundary") func halfAPacketIsNoBoundary() throws {
    var framer = H4Framer(from: .controller)
    try framer.receive([0x04, 0x0E]) { _ in Issue.record("no packet is whole") }
    #expect(!framer.isAtBoundary)
  }

  @Test(
    "An indicator that controllers do not send is refused", arguments: [0x00, 0x01, 0x06, 0x07, 0x80, 0xFF] as [UInt8])
  func aControllerSendsNoSuchIndicator(indicator: UInt8) {
    var framer = H4Framer(from: .controller)
    #expect(throws: H4FramingError.unknownIndicator(indicator)) {
      try framer.receive([indicator, 0x03, 0x0C, 0x00]) { _ in Issue.record("no packet") }
    }
  }

  @Test("An indicator that hosts do not send is refused", arguments: [0x00, 0x04, 0x06, 0xFF] as [UInt8])
  func aHostSendsNoSuchIndicator(indicator: UInt8) {
    var framer = H4Framer(from: .host)
    #expect(throws: H4FramingError.unknownIndicator(indicator)) {
      try framer.receive([indicator]) { _ in Issue.record("no packet") }
    }
  }

  @Test("Packets before a wrong indicator are delivered and none after it")
  func packetsBeforeAWrongIndicatorAreDeliveredAndNothingAfterIt() {
    var framer = H4Framer(from: .controller)
    var packets: [[UInt8]] = []
    #expect(throws: H4FramingError.unknownIndicator(0x99)) {
      try framer.receive(fromController[0] + [0x99] + fromController[0]) { packets.append($0) }
    }
    #expect(packets == [fromController[0]])
    #expect(throws: H4FramingError.unknownIndicator(0x99)) {
      try framer.receive(fromController[0]) { packets.append($0) }
    }
    #expect(packets.count == 1)
    #expect(!framer.isAtBoundary)
  }

  @Test("The error names the indicator") func theErrorSaysWhatCame() {
    #expect(H4FramingError.unknownIndicator(0x0A).description.contains("0x0a"))
  }
}
