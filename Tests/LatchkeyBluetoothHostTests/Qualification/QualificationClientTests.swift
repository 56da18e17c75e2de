import Testing

/// The client half, by the tests of the Bluetooth SIG's suite.
@Suite("A client, by the qualification tests") struct QualificationClientTests {
  static let cases: [QualificationCase] = [
    ClientConfigurationCases.configuration, ClientConfigurationCases.timeouts, ClientDiscoveryCases.services,
    ClientDiscoveryCases.servicesByUUID, ClientDiscoveryCases.includes, ClientCharacteristicCases.characteristics,
    ClientCharacteristicCases.descriptors, ClientCharacteristicCases.formats, ClientReadCases.values,
    ClientReadCases.valuesByUUID, ClientLongReadCases.values, ClientWriteCases.values, ClientWriteCases.longValues,
    ClientUpdateCases.notifications, ClientUpdateCases.indications, ClientUpdateCases.serviceChanged,
  ].flatMap { $0 }

  private func play(_ test: QualificationCase) throws {
    var bench = GATTClientBench()
    try bench.play(test.script, test.location)
  }

  @Test("Exchanges ATT_MTU", arguments: ClientConfigurationCases.configuration)
  func configuration(_ test: QualificationCase) throws { try play(test) }

  @Test("Waits 30 s for an answer", arguments: ClientConfigurationCases.timeouts)
  func timeouts(_ test: QualificationCase) throws { try play(test) }

  @Test("Discovers services", arguments: ClientDiscoveryCases.services)
  func services(_ test: QualificationCase) throws { try play(test) }

  @Test("Discovers services by UUID", arguments: ClientDiscoveryCases.servicesByUUID)
  func servicesByUUID(_ test: QualificationCase) throws { try play(test) }

  @Test("Discovers included services", arguments: ClientDiscoveryCases.includes)
  func includes(_ test: QualificationCase) throws { try play(test) }

  @Test("Discovers characteristics", arguments: ClientCharacteristicCases.characteristics)
  func characteristics(_ test: QualificationCase) throws { try play(test) }

  @Test("Discovers descriptors", arguments: ClientCharacteristicCases.descriptors)
  func descriptors(_ test: QualificationCase) throws { try play(test) }

  @Test("Reads formats", arguments: ClientCharacteristicCases.formats)
  func formats(_ test: QualificationCase) throws { try play(test) }

  @Test("Reads a value", arguments: ClientReadCases.values)
  func reads(_ test: QualificationCase) throws { try play(test) }

  @Test("Reads values by UUID", arguments: ClientReadCases.valuesByUUID)
  func readsByUUID(_ test: QualificationCase) throws { try play(test) }

  @Test("Reads a value in parts, and descriptors", arguments: ClientLongReadCases.values)
  func longReads(_ test: QualificationCase) throws { try play(test) }

  @Test("Writes a value, with and without a response", arguments: ClientWriteCases.values)
  func writes(_ test: QualificationCase) throws { try play(test) }

  @Test("Writes a value in parts", arguments: ClientWriteCases.longValues)
  func longWrites(_ test: QualificationCase) throws { try play(test) }

  @Test("Receives notifications", arguments: ClientUpdateCases.notifications)
  func notifications(_ test: QualificationCase) throws { try play(test) }

  @Test("Confirms indications", arguments: ClientUpdateCases.indications)
  func indications(_ test: QualificationCase) throws { try play(test) }

  @Test("Learns of changed services", arguments: ClientUpdateCases.serviceChanged)
  func serviceChanged(_ test: QualificationCase) throws { try play(test) }
}
