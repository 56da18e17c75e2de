import Testing

@testable import LatchkeyAssignedNumbers

@Suite struct AssignedNumbersTests {
  private static let tables: [(name: String, table: NumberTable, least: Int)] = [
    ("services", AssignedNumbers.services, 66), ("characteristics", AssignedNumbers.characteristics, 462),
    ("descriptors", AssignedNumbers.descriptors, 18), ("appearances", AssignedNumbers.appearances, 302),
    ("companies", AssignedNumbers.companies, 3918),
  ]

  @Test("Each table is read whole, is sorted, and has each number once") func sorted() {
    for (name, table, least) in Self.tables {
      #expect(table.entries.count >= least, "\(name)")
      let numbers = table.entries.map(\.number)
      #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "\(name)")
    }
  }

  @Test("Names are trimmed, not empty, and have no control characters") func clean() {
    for (name, table, _) in Self.tables {
      for entry in table.entries {
        #expect(entry.name.first?.isWhitespace == false && entry.name.last?.isWhitespace == false, "\(name) \(entry)")
        #expect(
          !entry.name.unicodeScalars.contains {
            $0.properties.generalCategory == .control || $0.properties.generalCategory == .format
          }, "\(name) \(entry)")
      }
    }
  }

  @Test(
    "Numbers have the names of the Assigned Numbers",
    arguments: [
      (0x1800, "Generic Access"), (0x180A, "Device Information"), (0x180D, "Heart Rate"), (0x180F, "Battery"),
      (0x1826, "Fitness Machine"), (0x183A, "Insulin Delivery"), (0x1859, "Mesh Proxy Solicitation"),
    ] as [(UInt16, String)]) func services(number: UInt16, name: String)
  {
    #expect(AssignedNumbers.name(ofService: number) == name)
  }

  @Test("Characteristics, descriptors, companies and appearances have theirs") func others() {
    #expect(AssignedNumbers.name(ofCharacteristic: 0x2A00) == "Device Name")
    #expect(AssignedNumbers.name(ofCharacteristic: 0x2A19) == "Battery Level")
    #expect(AssignedNumbers.name(ofCharacteristic: 0x2A37) == "Heart Rate Measurement")
    #expect(AssignedNumbers.name(ofCharacteristic: 0x2B2A) == "Database Hash")
    #expect(AssignedNumbers.name(ofDescriptor: 0x2901) == "Characteristic User Description")
    #expect(AssignedNumbers.name(ofDescriptor: 0x2902) == "Client Characteristic Configuration")
    #expect(AssignedNumbers.name(ofCompany: 0x0000) == "Ericsson AB")
    #expect(AssignedNumbers.name(ofCompany: 0x004C) == "Apple, Inc.")
    #expect(AssignedNumbers.name(ofCompany: 0x0059) == "Nordic Semiconductor ASA")
    // The first one of the second table, and the last one before it.
    #expect(AssignedNumbers.name(ofCompany: 0x07FF) != nil && AssignedNumbers.name(ofCompany: 0x0800) != nil)
    #expect(AssignedNumbers.name(ofAppearance: 0x0340) == "Heart Rate Sensor")
    #expect(AssignedNumbers.name(ofAppearance: 0x03C1) == "Human Interface Device: Keyboard")
  }

  @Test("What is not assigned has no name") func unassigned() {
    #expect(AssignedNumbers.name(ofService: 0x2A37) == nil)
    #expect(AssignedNumbers.name(ofService: 0xFFF0) == nil)
    #expect(AssignedNumbers.name(ofCharacteristic: 0x180D) == nil)
    #expect(AssignedNumbers.name(ofDescriptor: 0x28FF) == nil)
    #expect(AssignedNumbers.name(ofCompany: 0xFFFE) == nil)
    #expect(AssignedNumbers.name(ofAppearance: 0xFFFF) == nil)
  }

  @Test("An unknown subcategory has the name of its category") func subcategory() {
    #expect(AssignedNumbers.name(ofAppearance: 0x037F) == "Heart Rate Sensor")
  }

  @Test(
    "A name is found in either case, with hyphens, underscores or spaces",
    arguments: [
      "Heart Rate Measurement", "heart-rate-measurement", "HEART_RATE_MEASUREMENT", "heartRateMeasurement",
    ]) func spellings(name: String) throws
  {
    #expect(try AssignedNumbers.characteristic(named: name) == 0x2A37)
  }

  @Test(
    "Service at the end of a service's name does not count",
    arguments: [
      "battery", "Battery Service", "battery-service", "batteryService",
    ]) func serviceSuffix(name: String) throws
  {
    #expect(try AssignedNumbers.service(named: name) == 0x180F)
  }

  @Test("Each name of services, characteristics and descriptors leads back to its number") func roundTrip() throws {
    for entry in AssignedNumbers.services.entries {
      #expect(try AssignedNumbers.service(named: entry.name) == entry.number)
    }
    for entry in AssignedNumbers.descriptors.entries {
      #expect(try AssignedNumbers.descriptor(named: entry.name) == entry.number)
    }
    // Each look-up reads the whole table: one in seven.
    for (index, entry) in AssignedNumbers.characteristics.entries.enumerated() where index % 7 == 0 {
      #expect(try AssignedNumbers.characteristic(named: entry.name) == entry.number)
    }
  }

  @Test("A part of a name is refused, with the names that contain it") func partOfAName() {
    do throws(UnassignedName) {
      _ = try AssignedNumbers.characteristic(named: "heart-rate")
      Issue.record("it was taken")
    } catch {
      #expect(!error.isAmbiguous)
      #expect(error.candidates.contains { $0.number == 0x2A37 && $0.name == "Heart Rate Measurement" })
      #expect(error.candidates.count <= UnassignedName.mostCandidates)
    }
  }

  @Test("A name without letters and digits is none", arguments: ["", " ", "--", "💡"]) func nothing(name: String) {
    #expect(throws: UnassignedName(name: name, isAmbiguous: false, candidates: [])) {
      try AssignedNumbers.service(named: name)
    }
  }

  @Test("A name that two numbers have is refused, with both") func ambiguous() {
    let table = NumberTable("2A00 Level|Level State\n2B00 LEVEL")
    do throws(UnassignedName) {
      _ = try table.number(named: "level")
      Issue.record("it was taken")
    } catch {
      #expect(error.isAmbiguous)
      #expect(error.candidates.map(\.number) == [0x2A00, 0x2B00])
    }
  }

  @Test("Lines that are none, and numbers past the last one, are left out") func damaged() {
    let table = NumberTable("nonsense\nFFFE a|b|c\n\n12345 d\n0001")
    #expect(table.entries.map(\.number) == [0xFFFE, 0xFFFF])
  }
}
