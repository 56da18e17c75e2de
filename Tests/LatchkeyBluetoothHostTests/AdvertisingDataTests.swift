import Testing

@testable import LatchkeyBluetoothHost

@Suite struct AdvertisingDataTests {
  @Test("The fields of an advertisement are decoded") func readsWhatAnAdvertiserSends() {
    let data = AdvertisingData(decoding: [
      0x02, 0x01, 0x06, 0x05, 0x03, 0x00, 0xF1, 0x00, 0xF2, 0x05, 0x09, 0x4C, 0x61, 0x6D, 0x70, 0x02, 0x0A, 0xF4,
      0x04, 0x16, 0x0F, 0x18, 0x64,
    ])
    #expect(data.serviceUUIDs == [0xF100, 0xF200])
    #expect(data.localName == "Lamp")
    #expect(data.txPowerLevel == -12)
    #expect(data.serviceData.map(\.service) == [0x180F])
    #expect(data.serviceData.map(\.data) == [[0x64]])
    #expect(data.encode().count == 23)
  }

  @Test(
    "A truncated structure ends the list",
    arguments: [
      [], [0x00], [0x05], [0x03, 0x09, 0x41], [0xFF, 0xFF], [0x00, 0x02, 0x01, 0x06],
    ] as [[UInt8]])
  func whatIsCutShortEndsTheList(bytes: [UInt8]) {
    #expect(AdvertisingData(decoding: bytes).structures.isEmpty)
  }

  @Test("Structures before a truncated one count") func whatCameBeforeTheCutCounts() {
    let data = AdvertisingData(decoding: [0x02, 0x01, 0x06, 0x09, 0x09, 0x41])
    #expect(data.structures == [AdvertisingData.Structure(.flags, [0x06])])
    #expect(data.localName == nil)
  }

  @Test("A UUID list with a partial entry yields its whole UUIDs") func oddListsYieldTheWholeUUIDsOnly() {
    #expect(AdvertisingData(decoding: [0x04, 0x03, 0x00, 0xF2, 0x01]).serviceUUIDs == [0xF200])
    #expect(AdvertisingData(decoding: [0x05, 0x05, 0x0F, 0x18, 0x00, 0x00]).serviceUUIDs == [0x180F])
    #expect(AdvertisingData(decoding: [0x03, 0x07, 0x00, 0xF2]).serviceUUIDs == [])
  }

  @Test("A name that is not UTF-8 reads as nil") func aNameThatIsNoUTF8IsNone() {
    #expect(AdvertisingData(decoding: [0x03, 0x09, 0xFF, 0xFE]).localName == nil)
    #expect(AdvertisingData(decoding: [0x03, 0x0A, 0x01, 0x02]).txPowerLevel == nil)
  }
}

@Suite struct AdvertisingPayloadTests {
  @Test("Services come before the name") func servicesThenName() {
    let payload = AdvertisingPayload(AdvertisingParameters(localName: "Lamp", services: [0xF100, 0xF200]))
    #expect(
      payload.advertisement.encode() == [
        0x02, 0x01, 0x06, 0x05, 0x03, 0x00, 0xF1, 0x00, 0xF2, 0x05, 0x09, 0x4C, 0x61, 0x6D, 0x70,
      ])
    #expect(payload.scanResponse.encode().isEmpty)
    #expect(payload.omittedServices.isEmpty)
  }

  @Test("A long name moves to the scan response") func aLongNameMovesToTheScanResponse() {
    let name = String(repeating: "x", count: 29)
    let payload = AdvertisingPayload(AdvertisingParameters(localName: name, services: [0xF200]))
    #expect(payload.advertisement.localName == nil)
    #expect(payload.scanResponse.localName == name)
    #expect(payload.scanResponse.encode().count == 31)
  }

  @Test("A name that fits neither payload is cut between characters") func aNameThatFitsNowhereIsCutBetweenCharacters()
  {
    let payload = AdvertisingPayload(AdvertisingParameters(localName: String(repeating: "灯", count: 12)))
    #expect(payload.scanResponse[.shortenedLocalName]?.count == 27)
    #expect(payload.scanResponse.localName == String(repeating: "灯", count: 9))
  }

  @Test("A 32-bit service is in the list of 128-bit UUIDs") func aServiceOf32BitsStandsInTheLongList() {
    let service = BluetoothUUID(0x1234_5678 as UInt32)
    let payload = AdvertisingPayload(AdvertisingParameters(services: [service]))
    let structures = payload.advertisement.structures
    #expect(structures.map(\.kind) == [.flags, .completeServices128])
    #expect(
      structures.last?.data == [
        0xFB, 0x34, 0x9B, 0x5F, 0x80, 0x00, 0x00, 0x80, 0x00, 0x10, 0x00, 0x00, 0x78, 0x56, 0x34, 0x12,
      ])
    #expect(payload.advertisement.serviceUUIDs == [service])
  }

  @Test("Omitted services are reported") func whatDoesNotFitIsSaid() throws {
    let long = (1...3).map { BluetoothUUID(high: UInt64($0), low: 1) }
    let payload = AdvertisingPayload(AdvertisingParameters(localName: "Lamp", services: long))
    #expect(payload.advertisement.serviceUUIDs == [long[0]])
    #expect(payload.advertisement[.incompleteServices128] != nil)
    #expect(payload.scanResponse.serviceUUIDs == [long[1]])
    #expect(payload.omittedServices == [long[2]])
  }

  @Test("Extended packets have one payload, with as much as the controller holds") func extendedPayload() {
    let services = (1...6).map { BluetoothUUID(high: UInt64($0), low: 1) }
    let parameters = AdvertisingParameters(localName: String(repeating: "灯", count: 40), services: services)
    let roomy = AdvertisingPayload(parameters, extended: 1650)
    // 3 bytes of flags, 98 of services, 122 of the name.
    #expect(roomy.advertisement.encode().count == 223)
    #expect(roomy.advertisement.serviceUUIDs == services)
    #expect(roomy.advertisement[.completeLocalName]?.count == 120)
    #expect(roomy.scanResponse.structures.isEmpty && roomy.omittedServices.isEmpty)
    let narrow = AdvertisingPayload(parameters, extended: 110)
    #expect(narrow.advertisement.encode().count == 109)
    #expect(narrow.advertisement.localName == "灯灯")
    #expect(narrow.scanResponse.structures.isEmpty && narrow.omittedServices.isEmpty)
    // What does not fit at all is left out.
    let none = AdvertisingPayload(parameters, extended: 31)
    #expect(none.advertisement.serviceUUIDs == [services[0]])
    #expect(none.advertisement[.shortenedLocalName]?.count == 6)
    #expect(none.omittedServices == Array(services[1...]))
  }

  @Test("Further structures come after the services and before the name, each where it fits as a whole")
  func furtherStructures() {
    var parameters = AdvertisingParameters(localName: "Lamp", services: [0xF200])
    parameters.structures = [
      .init(.manufacturerData, [UInt8](repeating: 1, count: 23)),
      .init(.serviceData16, [0x0F, 0x18] + [UInt8](repeating: 2, count: 24)), .init(.txPowerLevel, [0]),
      .init(.manufacturerData, [3, 3, 3]),
    ]
    // Flags and services leave 24 bytes; the first structure needs 25, the second 28.
    let payload = AdvertisingPayload(parameters)
    #expect(
      payload.advertisement.structures.map(\.kind) == [
        .flags, .completeServices16, .txPowerLevel, .manufacturerData, .completeLocalName,
      ])
    #expect(payload.scanResponse.structures == [parameters.structures[0]])
    #expect(payload.omittedStructures == [parameters.structures[1]])
  }

  @Test("Bytes that a client gives are sent as they are, whatever they are") func givenBytes() {
    var parameters = AdvertisingParameters(localName: "Lamp", services: [0xF200])
    parameters.payloads = .init(advertisement: [0x02, 0x01, 0x04, 0x00, 0x00], scanResponse: [0x09])
    let payload = AdvertisingPayload(parameters)
    #expect(payload.advertisementBytes == [0x02, 0x01, 0x04, 0x00, 0x00])
    #expect(payload.scanResponseBytes == [0x09])
    #expect(payload.advertisement.structures == [.init(.flags, [0x04])])
    #expect(payload.scanResponse.structures.isEmpty)
  }

  @Test("No extended payload exceeds its capacity", arguments: [0, 1, 2, 3, 4, 5, 30, 31, 110, 229, 230, 1650])
  func neverMoreThanAnExtendedPayloadHolds(capacity: Int) {
    for count in stride(from: 0, through: 200, by: 7) {
      let services = (0..<count).map { BluetoothUUID(UInt16(0xF000 + $0)) }
      let payload = AdvertisingPayload(
        AdvertisingParameters(localName: String(repeating: "é", count: count), services: services), extended: capacity)
      #expect(payload.advertisement.encode().count <= max(3, min(capacity, 229)))
      #expect(payload.scanResponse.structures.isEmpty)
      #expect(payload.advertisement.serviceUUIDs + payload.omittedServices == services)
    }
  }

  @Test("No payload exceeds its capacity", arguments: 0...40)
  func neverMoreThanAPayloadHolds(count: Int) {
    let services = (0..<count).map { BluetoothUUID(UInt16(0xF000 + $0)) }
    let payload = AdvertisingPayload(
      AdvertisingParameters(localName: String(repeating: "é", count: count), services: services))
    #expect(payload.advertisement.encode().count <= 31)
    #expect(payload.scanResponse.encode().count <= 31)
    let sent = payload.advertisement.serviceUUIDs + payload.scanResponse.serviceUUIDs + payload.omittedServices
    #expect(sent == services)
  }
}
