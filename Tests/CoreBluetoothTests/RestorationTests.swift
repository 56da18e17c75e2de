import Foundation
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports
import LatchkeyByteCoding
import Testing

@testable import CoreBluetooth

/// The state of managers that outlives the process. A process that ended is played by a manager that is released, whose
/// file is put back: a process that is killed leaves the file as it is.
@Suite(.timeLimit(.minutes(5)))
final class RestorationTests {
  private let folder = StateFolder(
    FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-\(UUID().uuidString)/state"))
  private let lab = Lab()

  deinit { try? FileManager.default.removeItem(at: folder.url.deletingLastPathComponent()) }

  private func options(_ key: String, _ identifier: String) -> [String: Any] {
    var options: [String: Any] = lab.options
    options[key] = identifier
    options[Controller.stateFolderKey] = folder
    return options
  }

  private func central(_ identifier: String = "app") -> CentralSide {
    CentralSide(options(CBCentralManagerOptionRestoreIdentifierKey, identifier))
  }

  private func peripheral(_ identifier: String = "device") -> PeripheralSide {
    PeripheralSide(options(CBPeripheralManagerOptionRestoreIdentifierKey, identifier))
  }

  private func name(_ role: String, _ identifier: String) -> String {
    "restoration-\(role)-\(Hexadecimal.encode(Array(identifier.utf8)))"
  }

  /// Releases a manager as the death of its process does: its file stays.
  private func kill(_ role: String, _ identifier: String, _ release: () -> Void) throws {
    let data = try #require(try folder.read(name(role, identifier)))
    release()
    #expect(try folder.read(name(role, identifier)) == nil)
    try folder.replace(name(role, identifier), with: data)
  }

  // MARK: Central

  @Test("A new process connects again to what the last one was connected to, and scans again")
  func centralBeginsAnew() async throws {
    try await lab.publish([Lab.characteristic("FFF1", [.read], value: Data([7]), permissions: .readable)])
    let first = central()
    try await first.isPoweredOn()
    #expect(first.restored.pending.isEmpty)
    var found: CBPeripheral? = try await first.find("Lamp")
    let identifier = try #require(found?.identifier)
    try await first.connect(#require(found))
    first.manager.scanForPeripherals(
      withServices: [CBUUID(string: "180F")],
      options: [
        CBCentralManagerScanOptionAllowDuplicatesKey: true,
        CBCentralManagerScanOptionSolicitedServiceUUIDsKey: [CBUUID(string: "1805")],
      ])
    // The app holds the peripheral until its process ends: one that is released before is disconnected, and not restored.
    try kill("central", "app") {
      first.dropManager()
      found = nil
    }

    let second = central()
    let state = try await second.restored.first { $0 }
    let peripherals = try #require(state[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral])
    #expect(peripherals.map(\.identifier) == [identifier])
    #expect(second.stateWhenRestored == .unknown)
    #expect(second.restoredPeripherals == [.connecting])
    #expect(
      state[CBCentralManagerRestoredStateScanServicesKey] as? [CBUUID] == [CBUUID(string: "180F")])
    let scan = try #require(state[CBCentralManagerRestoredStateScanOptionsKey] as? [String: Any])
    #expect((scan[CBCentralManagerScanOptionAllowDuplicatesKey] as? NSNumber)?.boolValue == true)
    #expect(scan[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] as? [CBUUID] == [CBUUID(string: "1805")])
    let peripheral = try #require(peripherals.first)
    peripheral.delegate = second
    try await second.isConnected(to: peripheral)
    #expect(second.manager.isScanning)
    let characteristics = try await second.discover(Lab.service, of: peripheral)
    #expect(characteristics.keys.sorted() == ["FFF1"])
  }

  @Test("A restored scan finds devices without another call") func scanBeginsAnew() async throws {
    let first = central()
    try await first.isPoweredOn()
    first.manager.scanForPeripherals(withServices: [CBUUID(string: Lab.service)])
    try kill("central", "app") { first.dropManager() }
    let second = central()
    let state = try await second.restored.first { $0 }
    #expect((state[CBCentralManagerRestoredStateScanOptionsKey] as? [String: Any])?.isEmpty == true)
    #expect(state[CBCentralManagerRestoredStatePeripheralsKey] == nil)
    try await lab.publish([])
    let found: CBPeripheral = try await second.log.first { event in
      if case .discovered(let peripheral, _, _) = event { return peripheral }
      return nil
    }
    #expect(found.state == .disconnected)
  }

  @Test("A restored peripheral that the app does not retain is not connected") func unretainedPeripheral() async throws
  {
    try await lab.publish([])
    let first = central()
    try await first.isPoweredOn()
    let found = try await first.find("Lamp")
    try await first.connect(found)
    try withExtendedLifetime(found) {
      try kill("central", "app") { first.dropManager() }
    }
    let second = central()
    second.retainsRestored = false
    _ = try await second.restored.first { _ in true }
    try await second.isPoweredOn()
    #expect(second.manager.state == .poweredOn)
    #expect(try folder.read(name("central", "app")) == nil)
  }

  @Test("What the app ended is not restored") func endedRequests() async throws {
    try await lab.publish([])
    let first = central()
    try await first.isPoweredOn()
    let found = try await first.find("Lamp")
    #expect(try folder.read(name("central", "app")) == nil)
    try await first.connect(found)
    #expect(try folder.read(name("central", "app")) != nil)
    first.manager.cancelPeripheralConnection(found)
    #expect(try folder.read(name("central", "app")) == nil)
  }

  @Test("A connection that the peer ended is not restored, unless it is requested again") func lostConnection()
    async throws
  {
    try await lab.publish([])
    let first = central()
    try await first.isPoweredOn()
    let found = try await first.find("Lamp")
    try await first.connect(found)
    lab.peripheral.dropManager()
    lab.radio.setPowered(false, "peripheral")
    _ = try await first.disconnection()
    #expect(try folder.read(name("central", "app")) == nil)
  }

  @Test("A manager that is released leaves no state") func releasedManager() async throws {
    let first = central()
    try await first.isPoweredOn()
    first.manager.scanForPeripherals(withServices: nil)
    #expect(try folder.read(name("central", "app")) != nil)
    first.dropManager()
    #expect(try folder.read(name("central", "app")) == nil)
    let second = central()
    try await second.isPoweredOn()
    #expect(second.restored.pending.isEmpty)
  }

  @Test("Two managers with one identifier: the second stores and restores nothing") func oneManagerAnIdentifier()
    async throws
  {
    let first = central()
    try await first.isPoweredOn()
    first.manager.scanForPeripherals(withServices: [CBUUID(string: "180F")])
    let stored = try folder.read(name("central", "app"))
    let second = central()
    try await second.isPoweredOn()
    #expect(second.restored.pending.isEmpty)
    second.manager.scanForPeripherals(withServices: [CBUUID(string: "180A")])
    #expect(try folder.read(name("central", "app")) == stored)
    second.dropManager()
    #expect(try folder.read(name("central", "app")) == stored)
  }

  @Test(
    "A malformed file restores nothing, and is written anew",
    arguments: [
      "", "{", "[]", "null", #"{"version":2,"identifier":"app","state":{"connections":[]}}"#,
      #"{"version":1,"identifier":"other","state":{"connections":[],"scan":{}}}"#,
      #"{"version":1,"identifier":"app","state":{"connections":7}}"#,
      #"{"version":1,"identifier":"app","state":{"connections":[]}}"#,
    ])
  func malformedFiles(text: String) async throws {
    try folder.replace(name("central", "app"), with: Data(text.utf8))
    let side = central()
    try await side.isPoweredOn()
    #expect(side.restored.pending.isEmpty)
    side.manager.scanForPeripherals(withServices: nil)
    #expect(try RestorationTests.record(folder.read(name("central", "app"))) == #"{"connections":[],"scan":{}}"#)
  }

  @Test("Malformed addresses and UUIDs in a well-formed file are left out") func malformedMembers() async throws {
    let text = #"""
      {"version":1,"identifier":"app","state":{"scan":{"services":["180F","nonsense"]},"connections":[
      {"peer":{"address":"zz","kind":0},"reconnects":true},{"peer":{"address":"C0:FF:EE:00:00:01","kind":9},"reconnects":true},
      {"peer":{"address":"C0:FF:EE:00:00:01","kind":1},"reconnects":false}]}}
      """#
    try folder.replace(name("central", "app"), with: Data(text.utf8))
    let side = central()
    let state = try await side.restored.first { $0 }
    #expect((state[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral])?.count == 1)
    #expect(state[CBCentralManagerRestoredStateScanServicesKey] == nil)
    try await side.isPoweredOn()
    #expect(!side.manager.isScanning)
  }

  @Test("An identifier that is empty or too long stores nothing", arguments: ["", String(repeating: "é", count: 51)])
  func unusableIdentifiers(identifier: String) async throws {
    let side = central(identifier)
    try await side.isPoweredOn()
    side.manager.scanForPeripherals(withServices: nil)
    #expect(!FileManager.default.fileExists(atPath: folder.url.path))
  }

  @Test("A folder that cannot be made is reported, and the manager works") func unusableFolder() async throws {
    let parent = folder.url.deletingLastPathComponent()
    try FileManager.default.createDirectory(at: parent.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data().write(to: parent)
    let side = central()
    try await side.isPoweredOn()
    side.manager.scanForPeripherals(withServices: nil)
    #expect(side.manager.isScanning)
  }

  @Test("A radio that is off at first: connections begin when it is on") func radioIsOffAtFirst() async throws {
    try await lab.publish([])
    let first = central()
    try await first.isPoweredOn()
    let found = try await first.find("Lamp")
    try await first.connect(found)
    try withExtendedLifetime(found) {
      try kill("central", "app") { first.dropManager() }
    }
    lab.radio.setPowered(false, "central")
    let second = central()
    let state = try await second.restored.first { $0 }
    let peripheral = try #require((state[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral])?.first)
    try await second.log.first { event in
      if case .state(.poweredOff) = event { return () }
      return nil
    }
    #expect(try folder.read(name("central", "app")) != nil)
    lab.radio.setPowered(true, "central")
    try await second.isConnected(to: peripheral)
    #expect(try folder.read(name("central", "app")) != nil)
  }

  // MARK: Peripheral

  @Test("A new process serves and advertises what the last one did") func peripheralBeginsAnew() async throws {
    let first = peripheral()
    try await first.isPoweredOn()
    let included = CBMutableService(type: CBUUID(string: "180A"), primary: false)
    let fixed = Lab.characteristic("FFF1", [.read], value: Data([7]), permissions: .readable)
    fixed.descriptors = [
      CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "lamp"),
      CBMutableDescriptor(
        type: CBUUID(string: CBUUIDCharacteristicFormatString), value: Data([4, 0, 0, 0, 1, 0, 0])),
    ]
    let service = CBMutableService(type: CBUUID(string: Lab.service), primary: true)
    service.includedServices = [included]
    service.characteristics = [fixed, Lab.characteristic("FFF2", [.read, .write, .notify])]
    let removed = CBMutableService(type: CBUUID(string: "180D"), primary: true)
    for service in [removed, included, service] { try await first.add(service) }
    first.manager.remove(removed)
    try await first.advertise("Lamp", services: [service.uuid])
    try kill("peripheral", "device") { first.dropManager() }

    let second = peripheral()
    let state = try await second.restored.first { $0 }
    let services = try #require(state[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService])
    #expect(services.map(\.uuid.uuidString) == ["180A", Lab.service])
    #expect(services.map(\.isPrimary) == [false, true])
    #expect(services.last?.includedServices?.first === services.first)
    let characteristics = try #require(services.last?.characteristics as? [CBMutableCharacteristic])
    #expect(characteristics.map(\.uuid.uuidString) == ["FFF1", "FFF2"])
    #expect(characteristics.map(\.value) == [Data([7]), nil])
    #expect(characteristics.map(\.properties) == [.read, [.read, .write, .notify]])
    #expect(characteristics.first?.permissions == .readable)
    #expect(characteristics.first?.descriptors?.map { $0.value as? String } == ["lamp", nil])
    let advertised = try #require(state[CBPeripheralManagerRestoredStateAdvertisementDataKey] as? [String: Any])
    #expect(advertised[CBAdvertisementDataLocalNameKey] as? String == "Lamp")
    #expect(advertised[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [CBUUID(string: Lab.service)])
    try await second.isPoweredOn()
    #expect(second.manager.isAdvertising)

    // The app answers for the restored objects.
    try await lab.central.isPoweredOn()
    let found = try await lab.central.find("Lamp")
    try await lab.central.connect(found)
    let remote = try await lab.central.discover(Lab.service, of: found)
    try found.writeValue(Data([1, 2]), for: #require(remote["FFF2"]), type: .withResponse)
    let requests = try await second.write()
    #expect(requests.first?.characteristic === characteristics.last)
    #expect(requests.first?.value == Data([1, 2]))
  }

  @Test("Neither the addition of restored services nor their advertising is reported") func noCallbacks() async throws {
    let first = peripheral()
    try await first.isPoweredOn()
    try await first.add(CBMutableService(type: CBUUID(string: "180F"), primary: true))
    try await first.advertise("Lamp")
    try kill("peripheral", "device") { first.dropManager() }
    let second = peripheral()
    try await second.isPoweredOn()
    // A later callback: whatever came before it is in the log.
    let service = CBMutableService(type: CBUUID(string: "180D"), primary: true)
    second.manager.add(service)
    let isFirst = try await second.log.first { event in
      if case .added(service, nil) = event { return true }
      return false
    }
    #expect(isFirst)
    second.manager.startAdvertising(nil)
    let error = try await second.log.first { event -> (any Error)?? in
      if case .advertising(let error) = event { return .some(error) }
      return nil
    }
    // Many apps start advertising whenever the radio is on: as after an interruption, the app's call replaces what resumed.
    #expect(error == nil)
  }

  @Test("A service that cannot be restored is left out, with those that include it") func malformedService()
    async throws
  {
    let text = #"""
      {"version":1,"identifier":"device","state":{"services":[
      {"uuid":"1800","isPrimary":true,"handle":1,"includes":[],"characteristics":[]},
      {"uuid":"180A","isPrimary":true,"handle":9,"includes":[1],"characteristics":[]},
      {"uuid":"zz","isPrimary":true,"handle":11,"includes":[],"characteristics":[]},
      {"uuid":"180D","isPrimary":true,"handle":12,"includes":[],"characteristics":[
        {"uuid":"2A37","properties":18446744073709551615,"permissions":1,"descriptors":[]}]},
      {"uuid":"180F","isPrimary":true,"handle":20,"includes":[],"characteristics":[
        {"uuid":"2A19","properties":2,"permissions":1,"descriptors":[]}]}]}}
      """#
    try folder.replace(name("peripheral", "device"), with: Data(text.utf8))
    let side = peripheral()
    let state = try await side.restored.first { $0 }
    let services = try #require(state[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService])
    #expect(services.map(\.uuid.uuidString) == ["180F"])
    #expect(state[CBPeripheralManagerRestoredStateAdvertisementDataKey] == nil)
  }

  private static func record(_ data: Data?) throws -> String {
    let object = try #require(try JSONSerialization.jsonObject(with: data ?? Data()) as? [String: Any])
    let state = try JSONSerialization.data(withJSONObject: object["state"] ?? [:], options: .sortedKeys)
    return String(decoding: state, as: UTF8.self)
  }
}
