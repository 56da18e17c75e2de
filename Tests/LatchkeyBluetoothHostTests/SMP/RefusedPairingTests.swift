import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

@Suite("A host that does not pair") struct RefusedPairingTests {
  private func answer(_ pdu: [UInt8], _ role: LinkRole = .peripheral) -> [UInt8]? {
    var session = PairingPair.session(role, .refusing)
    let outputs = session.receive(ByteReader(pdu), now: .zero)
    // The host decides on a Security Request; see below.
    let asks = outputs.contains { if case .securityRequested = $0 { true } else { false } }
    return asks ? [0x05, 0x05] : outputs.pdus.first
  }

  /// Core 6.0 Vol 3 Part H 3.5.1: DisplayYesNo, no OOB data, bonding with MITM and SC, 16 bytes, all keys.
  static let request: [UInt8] = [0x01, 0x01, 0x00, 0x0D, 0x10, 0x07, 0x07]

  @Test("says so to a peer that wants to") func notSupported() {
    #expect(answer(Self.request) == [0x05, 0x05])
    #expect(answer([0x0B, 0x0D], .central) == [0x05, 0x05])
  }

  @Test("does not know the commands of the other role") func wrongRole() {
    #expect(answer(Self.request, .central) == [0x05, 0x07])
    #expect(answer([0x0B, 0x0D]) == [0x05, 0x07])
  }

  @Test("ignores reserved codes") func reserved() {
    for code in [0x00, 0x0F, 0x10, 0x7F, 0x80, 0xFF] as [UInt8] {
      for count in [0, 1, 6, 64] {
        #expect(answer([code] + Array(repeating: 1, count: count)) == nil)
      }
    }
  }

  @Test("finds each length but the right one invalid", arguments: SMPCode.allCases) func lengths(_ code: SMPCode) {
    for count in 0...70 where count != code.parameterCount {
      let pdu = [code.rawValue] + Array(repeating: UInt8(0), count: count)
      for role in [LinkRole.central, .peripheral] {
        #expect(answer(pdu, role) == (code == .pairingFailed ? nil : [0x05, 0x0A]))
      }
    }
  }

  @Test("finds parameters out of their range invalid")
  func ranges() {
    for (index, value) in [(1, 5), (1, 0xFF), (2, 2), (4, 6), (4, 17), (4, 0)] as [(Int, UInt8)] {
      var pdu = Self.request
      pdu[index] = value
      #expect(answer(pdu) == [0x05, 0x0A])
    }
    for (index, value) in [(1, 4), (2, 1), (3, 0xFF), (4, 7), (5, 0xFF), (6, 0xFF)] as [(Int, UInt8)] {
      var pdu = Self.request
      pdu[index] = value
      #expect(answer(pdu) == [0x05, 0x05])
    }
  }

  @Test("answers no failure, nothing empty, and no step of a pairing that was not begun") func silence() {
    #expect(answer([]) == nil)
    for reason in 0...255 as ClosedRange<UInt8> { #expect(answer([0x05, reason]) == nil) }
    for code in SMPCode.allCases where ![.pairingRequest, .securityRequest].contains(code) {
      #expect(answer([code.rawValue] + Array(repeating: 0, count: code.parameterCount)) == nil)
    }
  }

  @Test("answers over the air, in either role, and goes on") func overTheAir() throws {
    let couple = try Couple()
    /// Passes an SMP PDU to an actor's host, and returns the answer on that channel.
    func exchange(_ actor: Actor, _ pdu: [UInt8]) -> [[UInt8]] {
      actor.with { host, now in
        guard let handle = host.links.first?.handle.rawValue else { return [] }
        let length = [UInt8(pdu.count), 0, 0x06, 0x00]
        host.receive([0x02, UInt8(handle), 0x20, UInt8(pdu.count + 4), 0] + length + pdu, now: now)
        var answers: [[UInt8]] = []
        for case .packet(let packet) in host.dequeueOutputs() where packet.first == 0x02 && packet[7] == 0x06 {
          answers.append(Array(packet.dropFirst(9)))
        }
        return answers
      }
    }
    #expect(exchange(couple.peripheral, Self.request) == [[0x05, 0x05]])
    #expect(exchange(couple.central, [0x0B, 0x01]) == [[0x05, 0x05]])
    #expect(exchange(couple.central, [0x05, 0x05]) == [])
    #expect(couple.central.run(.read(couple.placement[.plain]), couple.app, couple.link)?.value == [])
  }
}
