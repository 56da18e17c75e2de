import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// Peers that send what they like.
@Suite struct GATTHostilePeerTests {
  /// Noise that is the same in every run (SplitMix64).
  private struct Noise: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) } }
  }

  @Test("64 KiB of noise in one PDU") func oneLongPDU() throws {
    var noise = Noise(state: 1)
    let body = noise.bytes(0xFFFE)
    for opcode in UInt8(0)...255 {
      let pdu = ByteReader([opcode] + body)
      var bench = try ATTServerBench(mtu: 517)
      var outputs: [ATTServerOutput] = []
      bench.server.receive(pdu, database: bench.database, now: .zero, ids: &bench.ids, into: &outputs)
      let isSilent = opcode & ATTOpcode.commandFlag != 0 || opcode == 0x1E
      #expect(outputs.count == (isSilent ? 0 : 1), "opcode \(opcode)")
      if case .send(let frame) = outputs.first { #expect(ATTText.frame(frame).hasPrefix("< 01")) }

      var client = GATTClientBench().client
      var results: [GATTClientOutput] = []
      client.receive(pdu, into: &results)
      #expect(results.count == (opcode == 0x1D ? 1 : 0), "opcode \(opcode)")
    }
  }

  @Test("64 KiB of noise in small PDUs, to a server", arguments: 0..<8 as Range<UInt64>)
  func noiseToServer(seed: UInt64) throws {
    var noise = Noise(state: seed)
    var bench = try ATTServerBench(mtu: 64)
    var requests = 0
    var answers = 0
    var sent = 0
    while sent < 65_536 {
      let pdu = [UInt8.random(in: 0...0x25, using: &noise)] + noise.bytes(Int.random(in: 0...12, using: &noise))
      sent += pdu.count
      if pdu[0] != 0x1E { requests += 1 }
      var outputs: [ATTServerOutput] = []
      bench.server.receive(ByteReader(pdu), database: bench.database, now: .zero, ids: &bench.ids, into: &outputs)
      while !outputs.isEmpty {
        switch outputs.removeFirst() {
        case .send(let frame):
          answers += 1
          #expect(frame.count - OutgoingFrame.headroom <= bench.server.mtu)
        case .readRequest(_, let request):
          _ = bench.server.respond(
            to: request.id, with: .value([1]), database: bench.database, ids: &bench.ids, into: &outputs)
        case .writeRequest(_, let request):
          guard let id = request.id else { break }
          _ = bench.server.respond(to: id, with: .written, database: bench.database, ids: &bench.ids, into: &outputs)
        default: break
        }
      }
    }
    #expect(requests == answers)
    #expect(!bench.server.isDead)
  }

  @Test("noise for answers: every procedure ends once", arguments: 0..<8 as Range<UInt64>)
  func noiseToClient(seed: UInt64) throws {
    var noise = Noise(state: seed)
    let all = AttributeHandleRange.all
    let characteristic = GATTCharacteristicRecord(
      uuid: 1, declaration: 1, valueHandle: 2, end: 9, properties: .notify)
    let procedures: [GATTProcedure] = [
      .discoverServices(nil), .discoverServices([0x1800]), .discoverIncludedServices(all),
      .discoverCharacteristics(all),
      .discoverDescriptors(all), .read(3), .readByUUID(0x2A00, all), .write(3, [UInt8](repeating: 1, count: 100)),
      .configureNotifications(characteristic, enabled: true), .configureNotifications(characteristic, enabled: false),
    ]
    for round in 0..<100 {
      var client = GATTClient(preferredMTU: 64, exchangesMTU: round % 2 == 0)
      var outputs: [GATTClientOutput] = []
      for index in 0..<20 {
        client.submit(procedures[index % 10], id: RequestID(UInt64(index)), client: ClientID(1), into: &outputs)
      }
      var steps = 0
      while let frame = client.nextFrame(now: .zero, into: &outputs), steps < 2000 {
        steps += 1
        // Mostly the right opcode, and small numbers: noise that gets somewhere.
        let opcode = Int.random(in: 0...99, using: &noise) == 0 ? 0x01 : frame[OutgoingFrame.headroom] + 1
        let body = noise.bytes(Int.random(in: 0...40, using: &noise)).map { $0 & 0x17 }
        client.receive(ByteReader([opcode] + body), into: &outputs)
      }
      client.disconnect(into: &outputs)
      let ended = outputs.compactMap { output -> UInt64? in
        guard case .completion(let id, _) = output else { return nil }
        return id.value
      }
      #expect(ended == Array(0..<20))
    }
  }
}
