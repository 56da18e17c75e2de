import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

/// Packets by the tables of Core 6.0 Vol 4 Part E 7.7: indicator, code, length, parameters.
@Suite struct HCIEventTests {
  @Test("Command Complete has the specification's bytes") func commandComplete() throws {
    let packet: [UInt8] = [0x04, 0x0E, 0x04, 0x03, 0x03, 0x0C, 0x00]
    guard case .commandComplete(let credits, let opcode, let parameters) = try HCIEvent(decoding: packet) else {
      Issue.record("another event")
      return
    }
    #expect(credits == 3)
    #expect(opcode == .reset)
    #expect(parameters.remaining == 1)
    #expect(HCIEvent.complete(HCIReset.self, .init(), credits: 3).encode() == packet)
  }

  /// Before a Reset, or to grant credits alone: no command, no parameters.
  @Test("Command Complete without a command only grants credits") func commandCompleteOfNoCommand() throws {
    guard
      case .commandComplete(let credits, let opcode, let parameters) = try HCIEvent(decoding: [0x04, 0x0E, 3, 1, 0, 0])
    else {
      Issue.record("another event")
      return
    }
    #expect(credits == 1)
    #expect(opcode == HCIOpcode.none)
    #expect(parameters.isEmpty)
    for count in 0..<6 {
      #expect(throws: ByteCodingError.self) { try HCIEvent(decoding: Array([0x04, 0x0E, 3, 1, 0, 0][..<count])) }
    }
    for count in 0..<3 {
      #expect(throws: ByteCodingError.self) {
        try HCIEvent(decoding: [0x04, 0x0E, UInt8(count)] + [1, 0, 0][..<count])
      }
    }
  }

  @Test("Command Status has the specification's bytes") func commandStatus() throws {
    guard case .commandStatus(let status, let credits, let opcode) = try expectEvent("04 0F 04 01 00 0D20") else {
      Issue.record("another event")
      return
    }
    #expect(status == .unknownCommand)
    #expect(credits == 0)
    #expect(opcode == .leCreateConnection)
  }

  @Test("Disconnection Complete has the specification's bytes") func disconnectionComplete() throws {
    guard case .disconnectionComplete(let event) = try expectEvent("04 05 04 00 4000 13") else {
      Issue.record("another event")
      return
    }
    #expect(event == .init(connectionHandle: 0x0040, reason: .remoteUserTerminated))
  }

  @Test("Encryption Change has the specification's bytes") func encryptionChange() throws {
    guard case .encryptionChange(let plain) = try expectEvent("04 08 04 00 4000 01"),
      case .encryptionChange(let sized) = try expectEvent("04 59 05 06 4000 00 10")
    else {
      Issue.record("another event")
      return
    }
    #expect(plain == .init(connectionHandle: 0x0040, isEncrypted: true))
    #expect(sized == .init(status: .pinOrKeyMissing, connectionHandle: 0x0040, isEncrypted: false, keySize: 16))
    #expect(throws: ByteCodingError.self) { try HCIEvent(decoding: [0x04, 0x08, 4, 0, 0x40, 0, 2]) }
  }

  @Test("Encryption Key Refresh Complete has the specification's bytes") func encryptionKeyRefreshComplete() throws {
    guard case .encryptionKeyRefreshComplete(let event) = try expectEvent("04 30 03 00 4000"),
      case .encryptionKeyRefreshComplete(let failed) = try expectEvent("04 30 03 06 FF0E")
    else {
      Issue.record("another event")
      return
    }
    #expect(event == .init(connectionHandle: 0x0040))
    #expect(failed == .init(status: .pinOrKeyMissing, connectionHandle: 0x0EFF))
  }

  @Test("Read Remote Version Complete has the specification's bytes") func readRemoteVersionComplete() throws {
    guard case .readRemoteVersionComplete(let event) = try expectEvent("04 0C 08 00 4000 0E F105 0201") else {
      Issue.record("another event")
      return
    }
    #expect(event == .init(connectionHandle: 0x0040, version: 0x0E, companyIdentifier: 0x05F1, subversion: 0x0102))
  }

  @Test("Error events of the controller have the specification's bytes") func errorsOfTheController() throws {
    guard case .hardwareError(0x42) = try expectEvent("04 10 01 42"),
      case .dataBufferOverflow(linkType: 0x01) = try expectEvent("04 1A 01 01")
    else {
      Issue.record("another event")
      return
    }
  }

  @Test("Number Of Completed Packets has the specification's bytes") func numberOfCompletedPackets() throws {
    guard case .numberOfCompletedPackets(let event) = try expectEvent("04 13 09 02 4000 0100 4110 0302") else {
      Issue.record("another event")
      return
    }
    #expect(
      Array(event) == [.init(connectionHandle: 0x0040, count: 1), .init(connectionHandle: 0x0041, count: 0x0203)])
    #expect(
      HCINumberOfCompletedPackets.packet(0x0040, count: 2)
        == HCIEvent.numberOfCompletedPackets(.init([.init(connectionHandle: 0x0040, count: 2)])).encode())
    guard case .numberOfCompletedPackets(let none) = try expectEvent("04 13 01 00") else {
      Issue.record("another event")
      return
    }
    #expect(Array(none).isEmpty)
  }

  @Test("Completed packets are read in place from whole packets, and from nothing else")
  func readsCompletedPacketsInPlace() throws {
    let packet: [UInt8] = [0x04, 0x13, 0x09, 0x02, 0x40, 0x00, 0x01, 0x00, 0x41, 0xF0, 0x03, 0x02]
    #expect(HCINumberOfCompletedPackets.entryCount(of: packet) == 2)
    guard case .numberOfCompletedPackets(let event) = try HCIEvent(decoding: packet) else {
      Issue.record("another event")
      return
    }
    #expect((0..<2).map { HCINumberOfCompletedPackets.entry($0, of: packet) } == Array(event))
    #expect(HCINumberOfCompletedPackets.entryCount(of: [0x04, 0x13, 0x01, 0x00]) == 0)
    for length in 0..<packet.count {
      #expect(HCINumberOfCompletedPackets.entryCount(of: Array(packet.prefix(length))) == nil)
    }
    #expect(HCINumberOfCompletedPackets.entryCount(of: packet + [0]) == nil)
    // Another indicator, event, length and number of entries.
    for (index, value) in [(0, 0x02), (1, 0x0E), (2, 0x08), (2, 0x0A), (3, 0x01), (3, 0x03), (3, 0xFF)]
      as [(Int, UInt8)]
    {
      var other = packet
      other[index] = value
      #expect(HCINumberOfCompletedPackets.entryCount(of: other) == nil)
    }
  }

  @Test("Unknown events are decoded to their code") func unknownEventsAreNamedByTheirCode() throws {
    guard case .unknown(0xFF) = try HCIEvent(decoding: [0x04, 0xFF, 0x02, 1, 2]),
      case .le(.unknown(0x7F)) = try HCIEvent(decoding: [0x04, 0x3E, 0x03, 0x7F, 1, 2])
    else {
      Issue.record("another event")
      return
    }
    #expect(throws: ByteCodingError.self) { try HCIEvent(decoding: [0x04, 0xFF, 0x02, 1]) }
    #expect(throws: ByteCodingError.self) { try HCIEvent(decoding: [0x04, 0xFF, 0x02, 1, 2, 3]) }
    #expect(throws: ByteCodingError.self) { try HCIEvent(decoding: [0x04, 0x3E, 0x00]) }
    #expect(throws: ByteCodingError.self) { try HCIEvent(decoding: [0x01, 0x10, 0x01, 0x00]) }
  }
}
