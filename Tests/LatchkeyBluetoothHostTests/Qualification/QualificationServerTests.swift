import Testing

/// The server half, by the tests of the Bluetooth SIG's suite.
@Suite("A server, by the qualification tests") struct QualificationServerTests {
  static let cases: [QualificationCase] = [
    ServerConfigurationCases.configuration, ServerConfigurationCases.unsupported, ServerConfigurationCases.timeouts,
    ServerDiscoveryCases.services, ServerDiscoveryCases.servicesByUUID, ServerDiscoveryCases.includes,
    ServerDiscoveryCases.characteristics, ServerDiscoveryCases.descriptors,
    ServerReadCases.values, ServerReadCases.valuesByUUID, ServerLongReadCases.values,
    ServerReadMultipleCases.fixedLength, ServerReadMultipleCases.variableLength, ServerWriteCases.commands,
    ServerWriteCases.values, ServerWriteCases.descriptors, ServerLongWriteCases.values,
    ServerLongWriteCases.reliableWrites, ServerUpdateCases.notifications, ServerUpdateCases.indications,
    ServerUpdateCases.serviceChanged, ServerUpdateCases.formats, ServerCachingCases.caching,
  ].flatMap { $0 }

  private func play(_ test: QualificationCase) throws {
    var server = try QualificationServer()
    try server.play(test)
  }

  @Test("Exchanges ATT_MTU and rejects PDUs that are none", arguments: ServerConfigurationCases.configuration)
  func configuration(_ test: QualificationCase) throws { try play(test) }

  @Test("Refuses unknown requests, and ignores commands", arguments: ServerConfigurationCases.unsupported)
  func unsupported(_ test: QualificationCase) throws { try play(test) }

  @Test("Waits 30 s for a confirmation", arguments: ServerConfigurationCases.timeouts)
  func timeouts(_ test: QualificationCase) throws { try play(test) }

  @Test("Lists its primary services", arguments: ServerDiscoveryCases.services)
  func services(_ test: QualificationCase) throws { try play(test) }

  @Test("Finds its primary services by UUID", arguments: ServerDiscoveryCases.servicesByUUID)
  func servicesByUUID(_ test: QualificationCase) throws { try play(test) }

  @Test("Lists included services", arguments: ServerDiscoveryCases.includes)
  func includes(_ test: QualificationCase) throws { try play(test) }

  @Test("Lists characteristics", arguments: ServerDiscoveryCases.characteristics)
  func characteristics(_ test: QualificationCase) throws { try play(test) }

  @Test("Lists descriptors", arguments: ServerDiscoveryCases.descriptors)
  func descriptors(_ test: QualificationCase) throws { try play(test) }

  @Test("Answers reads of a value", arguments: ServerReadCases.values)
  func reads(_ test: QualificationCase) throws { try play(test) }

  @Test("Answers reads by UUID", arguments: ServerReadCases.valuesByUUID)
  func readsByUUID(_ test: QualificationCase) throws { try play(test) }

  @Test("Answers reads in parts, and of descriptors", arguments: ServerLongReadCases.values)
  func longReads(_ test: QualificationCase) throws { try play(test) }

  @Test("Answers reads of several values", arguments: ServerReadMultipleCases.fixedLength)
  func multipleReads(_ test: QualificationCase) throws { try play(test) }

  @Test("Answers reads of several values with their lengths", arguments: ServerReadMultipleCases.variableLength)
  func variableReads(_ test: QualificationCase) throws { try play(test) }

  @Test("Handles Write Commands", arguments: ServerWriteCases.commands)
  func commands(_ test: QualificationCase) throws { try play(test) }

  @Test("Answers writes of a value", arguments: ServerWriteCases.values)
  func writes(_ test: QualificationCase) throws { try play(test) }

  @Test("Answers writes of configurations", arguments: ServerWriteCases.descriptors)
  func descriptorWrites(_ test: QualificationCase) throws { try play(test) }

  @Test("Answers writes in parts", arguments: ServerLongWriteCases.values)
  func longWrites(_ test: QualificationCase) throws { try play(test) }

  @Test("Answers writes of several values", arguments: ServerLongWriteCases.reliableWrites)
  func reliableWrites(_ test: QualificationCase) throws { try play(test) }

  @Test("Notifies values", arguments: ServerUpdateCases.notifications)
  func notifications(_ test: QualificationCase) throws { try play(test) }

  @Test("Indicates values", arguments: ServerUpdateCases.indications)
  func indications(_ test: QualificationCase) throws { try play(test) }

  @Test("Indicates changes of its services", arguments: ServerUpdateCases.serviceChanged)
  func serviceChanged(_ test: QualificationCase) throws { try play(test) }

  @Test("Refuses clients that do not know of a change once", arguments: ServerCachingCases.caching)
  func caching(_ test: QualificationCase) throws { try play(test) }

  @Test("Holds formats", arguments: ServerUpdateCases.formats)
  func formats(_ test: QualificationCase) throws { try play(test) }
}
