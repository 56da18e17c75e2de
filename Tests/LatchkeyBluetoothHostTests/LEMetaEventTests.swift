import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

@Suite struct LEMetaEventTests {
  private let random = BluetoothAddress(0xC0FF_EE00_0001, kind: .random)
  private let `public` = BluetoothAddress(0x0011_2233_4455, kind: .public)

  @Test("Connection Complete has the specification's bytes") func connectionComplete() throws {
    let plain = LEConnectionComplete(
      connectionHandle: 0x0040, role: .peripheral, peer: random, interval: 0x0018, latency: 3,
      supervisionTimeout: 0x01F4, centralClockAccuracy: 5)
    try expectMetaEvent(
      .connectionComplete(plain), "04 3E 13 01 00 4000 01 01 010000EEFFC0 1800 0300 F401 05")
    var enhanced = plain
    enhanced.role = .central
    enhanced.peer = `public`
    enhanced.resolvableAddresses = .init(
      local: BluetoothAddress(0x4A0B_0C0D_0E0F, kind: .random), peer: BluetoothAddress(0, kind: .random))
    try expectMetaEvent(
      .connectionComplete(enhanced),
      "04 3E 1F 0A 00 4000 00 00 554433221100 0F0E0D0C0B4A 000000000000 1800 0300 F401 05")
  }

  @Test("Reserved values of a connection are refused") func reservedValuesOfAConnection() throws {
    try expectMetaEventRefused("01 00 4000 02 01 010000EEFFC0 1800 0300 F401 05")
    try expectMetaEventRefused("01 00 4000 00 04 010000EEFFC0 1800 0300 F401 05")
    try expectMetaEventRefused("0A 00 4000 00 FF 554433221100 000000000000 000000000000 1800 0300 F401 05")
  }

  /// A failure must reach the host, whatever a controller leaves in the undefined fields.
  @Test("A failed connection may have any other fields") func aFailedConnectionMayHoldAnything() throws {
    let packet = try Hexadecimal.decode("04 3E 13 01 02 FFFF FF FF FFFFFFFFFFFF FFFF FFFF FFFF FF")
    guard case .le(.connectionComplete(let event)) = try HCIEvent(decoding: packet) else {
      Issue.record("another event")
      return
    }
    #expect(event.status == .unknownConnectionIdentifier)
  }

  @Test("Resolved peers of links have types of their own") func resolvedPeers() throws {
    for (type, kind) in [("02", BluetoothAddress.Kind.public), ("03", .random)] {
      try expectMetaEvent(
        .connectionComplete(
          LEConnectionComplete(
            connectionHandle: 0x0040, role: .central, peer: BluetoothAddress(0xC0FF_EE00_0001, kind: kind),
            isResolved: true,
            resolvableAddresses: .init(
              local: BluetoothAddress(0, kind: .random), peer: BluetoothAddress(0x4A0B_0C0D_0E0F, kind: .random)),
            interval: 0x0018, latency: 3, supervisionTimeout: 0x01F4, centralClockAccuracy: 5)),
        "04 3E 1F 0A 00 4000 00 \(type) 010000EEFFC0 000000000000 0F0E0D0C0B4A 1800 0300 F401 05")
    }
  }

  @Test("Resolved advertisers have types of their own in each report") func resolvedAdvertisers() throws {
    for (type, kind) in [("02", BluetoothAddress.Kind.public), ("03", .random)] {
      let address = BluetoothAddress(0xC0FF_EE00_0001, kind: kind)
      try expectMetaEvent(
        .advertisingReports([
          LEAdvertisingReport(eventType: [.legacy], address: address, isResolved: true, rssi: -50, data: [])
        ]), "04 3E 0C 02 01 03 \(type) 010000EEFFC0 00 CE")
      try expectMetaEvent(
        .advertisingReports([
          LEAdvertisingReport(
            form: .directed, eventType: [.legacy, .connectable, .directed], address: address, isResolved: true,
            directAddress: random, rssi: -50, data: [])
        ]), "04 3E 12 0B 01 01 \(type) 010000EEFFC0 01 010000EEFFC0 CE")
      try expectMetaEvent(
        .advertisingReports([
          LEAdvertisingReport(
            form: .extended, eventType: [.connectable], address: address, isResolved: true, secondaryPHY: .le1M,
            setIdentifier: 1, rssi: -50, data: [])
        ]), "04 3E 1A 0D 01 0100 \(type) 010000EEFFC0 01 01 01 7F CE 0000 00 000000000000 00")
    }
  }

  @Test("Link events have the specification's bytes") func eventsOfALink() throws {
    try expectMetaEvent(
      .connectionUpdateComplete(.init(connectionHandle: 0x0040, interval: 6, latency: 1, supervisionTimeout: 100)),
      "04 3E 0A 03 00 4000 0600 0100 6400")
    try expectMetaEvent(
      .readRemoteFeaturesComplete(
        .init(status: .unsupportedRemoteFeature, connectionHandle: 0x0040, features: .extendedAdvertising)),
      "04 3E 0C 04 1A 4000 0010000000000000")
    try expectMetaEvent(
      .longTermKeyRequest(
        .init(connectionHandle: 0x0040, randomNumber: 0x0807_0605_0403_0201, encryptedDiversifier: 0x0A09)),
      "04 3E 0D 05 4000 0102030405060708 090A")
    try expectMetaEvent(
      .remoteConnectionParameterRequest(
        .init(
          connectionHandle: 0x0040,
          parameters: .init(minimumInterval: 6, maximumInterval: 12, latency: 0, supervisionTimeout: 200))),
      "04 3E 0B 06 4000 0600 0C00 0000 C800")
    try expectMetaEvent(
      .dataLengthChange(
        .init(
          connectionHandle: 0x0040, maximumTransmitOctets: 251, maximumTransmitTime: 2120, maximumReceiveOctets: 27,
          maximumReceiveTime: 328)),
      "04 3E 0B 07 4000 FB00 4808 1B00 4801")
    try expectMetaEvent(
      .phyUpdateComplete(.init(connectionHandle: 0x0040, transmitPHY: 2, receivePHY: 1)), "04 3E 06 0C 00 4000 02 01")
    try expectMetaEvent(.scanTimeout, "04 3E 01 11")
    try expectMetaEvent(
      .scanRequestReceived(.init(handle: AdvertisingHandle(rawValue: 0xEF), scanner: random)),
      "04 3E 09 13 EF 01 010000EEFFC0")
  }

  @Test("A legacy report has the specification's bytes") func legacyReport() throws {
    try expectMetaEvent(
      .advertisingReports([
        LEAdvertisingReport(
          eventType: [.legacy, .connectable, .scannable], address: random, rssi: -50, data: [0x02, 0x01, 0x06])
      ]), "04 3E 0F 02 01 00 01 010000EEFFC0 03 020106 CE")
  }

  /// Entry after entry, each with its own length.
  @Test("Several legacy reports share one event") func legacyReportsTogether() throws {
    try expectMetaEvent(
      .advertisingReports([
        LEAdvertisingReport(eventType: [.legacy], address: random, rssi: 127, data: []),
        LEAdvertisingReport(
          eventType: [.legacy, .scannable, .scanResponse], address: `public`, rssi: -127, data: [0xAA, 0xBB]),
      ]), "04 3E 18 02 02 03 01 010000EEFFC0 00 7F 04 00 554433221100 02 AABB 81")
  }

  @Test(
    "Legacy event types map to extended ones",
    arguments: [
      (0x00, [.legacy, .connectable, .scannable]), (0x01, [.legacy, .connectable, .directed]),
      (0x02, [.legacy, .scannable]), (0x03, [.legacy]), (0x04, [.legacy, .scannable, .scanResponse]),
    ] as [(UInt8, LEAdvertisingReport.EventType)])
  func legacyEventTypes(byte: UInt8, eventType: LEAdvertisingReport.EventType) throws {
    try expectMetaEvent(
      .advertisingReports([LEAdvertisingReport(eventType: eventType, address: random, rssi: 0, data: [])]),
      "04 3E 0C 02 01 \(Hexadecimal.encode([byte])) 01 010000EEFFC0 00 00")
  }

  @Test("Malformed legacy reports are refused") func legacyReportsThatAreRefused() throws {
    // None; a reserved type; a reserved address type; 32 bytes; a sum of lengths past the end; one entry too few.
    try expectMetaEventRefused("02 00")
    try expectMetaEventRefused("02 01 05 01 010000EEFFC0 00 00")
    try expectMetaEventRefused("02 01 00 FF 010000EEFFC0 00 00")
    try expectMetaEventRefused("02 01 00 01 010000EEFFC0 20" + String(repeating: "00", count: 33))
    try expectMetaEventRefused("02 02 03 01 010000EEFFC0 00 7F 04 00 554433221100 03 AABB 81")
    try expectMetaEventRefused("02 FF 00 01 010000EEFFC0 00 00")
    try expectMetaEventRefused("02 01 00 01 010000EEFFC0 1F" + String(repeating: "00", count: 31))
  }

  @Test("A directed report has the specification's bytes") func directedReport() throws {
    try expectMetaEvent(
      .advertisingReports([
        LEAdvertisingReport(
          form: .directed, eventType: [.legacy, .connectable, .directed], address: random,
          directAddress: BluetoothAddress(0x4A0B_0C0D_0E0F, kind: .random), rssi: -1, data: [])
      ]), "04 3E 12 0B 01 01 01 010000EEFFC0 01 0F0E0D0C0B4A FF")
    try expectMetaEventRefused("0B 01 00 01 010000EEFFC0 01 0F0E0D0C0B4A FF")
    try expectMetaEventRefused("0B 01 01 01 010000EEFFC0 FF 0F0E0D0C0B4A FF")
  }

  /// 0xFE: a resolvable address that the controller could not resolve.
  @Test("An unresolved direct address is decoded") func unresolvedDirectAddress() throws {
    let packet = try Hexadecimal.decode("04 3E 12 0B 01 01 01 010000EEFFC0 FE 0F0E0D0C0B4A FF")
    guard case .le(.advertisingReports(let reports)) = try HCIEvent(decoding: packet) else {
      Issue.record("another event")
      return
    }
    #expect(reports.map(\.directAddress) == [BluetoothAddress(0x4A0B_0C0D_0E0F, kind: .random)])
  }

  @Test("An extended report of a legacy packet is decoded") func extendedReportOfALegacyPacket() throws {
    try expectMetaEvent(
      .advertisingReports([
        LEAdvertisingReport(
          form: .extended, eventType: [.legacy, .connectable, .scannable], address: random, rssi: -50,
          data: [0x02, 0x01, 0x06])
      ]),
      "04 3E 1D 0D 01 1300 01 010000EEFFC0 01 00 FF 7F CE 0000 00 000000000000 03 020106")
  }

  @Test("Extended reports have the specification's bytes") func extendedReports() throws {
    try expectMetaEvent(
      .advertisingReports([
        LEAdvertisingReport(
          form: .extended, eventType: [], dataStatus: .incomplete, address: nil, primaryPHY: .leCoded,
          secondaryPHY: .leCoded, setIdentifier: 0x0F, rssi: -100, txPower: 4, data: [1]),
        LEAdvertisingReport(
          form: .extended, eventType: [.connectable, .directed], dataStatus: .truncated, address: `public`,
          directAddress: random, secondaryPHY: .le2M, setIdentifier: 0, rssi: 20, data: []),
      ]),
      "04 3E 33 0D 02 2000 FF 000000000000 03 03 0F 04 9C 0000 00 000000000000 01 01"
        + "4500 00 554433221100 01 02 00 7F 14 0000 01 010000EEFFC0 00")
  }

  @Test("An extended report holds the most data") func extendedReportOfMostData() throws {
    try expectMetaEvent(
      .advertisingReports([
        LEAdvertisingReport(
          form: .extended, eventType: [.scannable], address: random, secondaryPHY: .le1M, rssi: 0,
          data: Array(repeating: 0xAB, count: 229))
      ]),
      "04 3E FF 0D 01 0200 01 010000EEFFC0 01 01 FF 7F 00 0000 00 000000000000 E5"
        + String(repeating: "AB", count: 229))
  }

  @Test("Malformed extended reports are refused") func extendedReportsThatAreRefused() throws {
    let head = "01 010000EEFFC0 01 00 FF 7F CE 0000 00 000000000000"
    // None; the reserved data status; reserved address types; more data than there is; one entry too few.
    try expectMetaEventRefused("0D 00")
    try expectMetaEventRefused("0D 01 7300" + head + "00")
    try expectMetaEventRefused("0D 01 1300 04 010000EEFFC0 01 00 FF 7F CE 0000 00 000000000000 00")
    try expectMetaEventRefused("0D 01 0500 01 010000EEFFC0 01 00 FF 7F CE 0000 FF 000000000000 00")
    try expectMetaEventRefused("0D 01 1300" + head + "02 AA")
    try expectMetaEventRefused("0D 02 1300" + head + "00")
    try expectMetaEventRefused("0D 01 1300" + head + "E6" + String(repeating: "AB", count: 228))
  }

  /// Bits above the data status are reserved; the interval and an unused direct address are of no account.
  @Test("A real controller's extended report is decoded") func extendedReportsInTheField() throws {
    let packet = try Hexadecimal.decode(
      "04 3E 1B 0D 01 13FF 01 010000EEFFC0 03 02 0F 7F CE 5000 FF FFFFFFFFFFFF 01 AA")
    guard case .le(.advertisingReports(let reports)) = try HCIEvent(decoding: packet) else {
      Issue.record("another event")
      return
    }
    #expect(reports.map(\.eventType) == [[.legacy, .connectable, .scannable]])
    #expect(reports.map(\.dataStatus) == [.complete])
    #expect(reports.map(\.directAddress) == [nil])
    #expect(reports.map(\.primaryPHY) == [.leCoded])
    #expect(reports.map(\.secondaryPHY) == [.le2M])
    #expect(reports.map(\.setIdentifier) == [0x0F])
    #expect(reports.map(\.data) == [[0xAA]])
  }

  /// No advertisement is lost for a layer that came after this code.
  @Test("An unknown physical layer is reported as LE 1M", arguments: ["00", "04", "80", "FF"])
  func unknownLayers(byte: String) throws {
    let packet = try Hexadecimal.decode(
      "04 3E 1A 0D 01 0100 01 010000EEFFC0 \(byte) \(byte) 00 7F CE 0000 00 000000000000 00")
    guard case .le(.advertisingReports(let reports)) = try HCIEvent(decoding: packet) else {
      Issue.record("another event")
      return
    }
    #expect(reports.map(\.primaryPHY) == [.le1M])
    // 0x00 is none, on the secondary channels alone.
    #expect(reports.map(\.secondaryPHY) == [byte == "00" ? nil : .le1M])
  }

  @Test("The end of an advertising set has the specification's bytes") func endOfAdvertisingSet() throws {
    try expectMetaEvent(
      .advertisingSetTerminated(.init(handle: .init(rawValue: 0xEF), connectionHandle: 0x0102)),
      "04 3E 06 12 00 EF 0201 00")
    try expectMetaEvent(
      .advertisingSetTerminated(
        .init(status: .limitReached, handle: .init(rawValue: 0x02), connectionHandle: 0x0040, completedEvents: 9)),
      "04 3E 06 12 43 02 4000 09")
    // Advertising Timeout.
    try expectMetaEvent(
      .advertisingSetTerminated(
        .init(status: HCIStatus(rawValue: 0x3C), handle: .init(rawValue: 0x00), connectionHandle: 0)),
      "04 3E 06 12 3C 00 0000 00")
  }

  /// A set that ended without a connection must not stay enabled in the host's view.
  @Test("A set that ended at a limit may have any connection handle") func endWithoutConnection() throws {
    let packet = try Hexadecimal.decode("04 3E 06 12 43 02 FFFF FF")
    guard case .le(.advertisingSetTerminated(let event)) = try HCIEvent(decoding: packet) else {
      Issue.record("another event")
      return
    }
    #expect(event.status == .limitReached)
    #expect(event.handle.rawValue == 0x02)
    #expect(event.completedEvents == 0xFF)
  }

  @Test("The end of a reserved advertising handle is refused", arguments: ["F0", "F1", "FF"])
  func endOfReservedHandle(handle: String) throws {
    try expectMetaEventRefused("12 00 \(handle) 4000 00")
    try expectMetaEventRefused("12 43 \(handle) 4000 00")
  }
}
