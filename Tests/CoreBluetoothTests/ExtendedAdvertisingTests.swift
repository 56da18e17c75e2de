import CoreBluetooth
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports
import Testing

/// Extended advertising as apps see it.
@Suite(.timeLimit(.minutes(5))) struct ExtendedAdvertisingTests {
  private func advertise(_ side: PeripheralSide, _ name: String, phy: Any?) async throws {
    var data: [String: Any] = [CBAdvertisementDataLocalNameKey: name]
    data[CBPeripheralManagerAdvertisingPHYKey] = phy
    side.manager.startAdvertising(data)
    let error = try await side.log.first { event -> (any Error)?? in
      if case .advertising(let error) = event { return .some(error) }
      return nil
    }
    if let error { throw error }
  }

  private func advertisement(of name: String, _ central: CentralSide) async throws -> (CBPeripheral, [String: Any]) {
    central.manager.scanForPeripherals(withServices: nil)
    let found: (CBPeripheral, [String: Any]) = try await central.log.first { event in
      guard case .discovered(let peripheral, let data, _) = event,
        data[CBAdvertisementDataLocalNameKey] as? String == name
      else { return nil }
      return (peripheral, data)
    }
    central.manager.stopScan()
    return found
  }

  @Test(
    "A device that advertises on a physical layer is found there, and connected to",
    arguments: [("1M", 1, 1), ("2M", 1, 2), ("coded", 3, 3)]) func layers(
      _ phy: String, _ primary: Int, _ secondary: Int
    )
    async throws
  {
    let lab = Lab()
    try await lab.peripheral.isPoweredOn()
    // More than an advertisement and a scan response of legacy advertising have room for.
    let name = String(repeating: "灯", count: 40)
    try await advertise(lab.peripheral, name, phy: phy)
    try await lab.central.isPoweredOn()
    let (peripheral, data) = try await advertisement(of: name, lab.central)
    #expect(data["kCBAdvDataRxPrimaryPHY"] as? Int == primary)
    #expect(data["kCBAdvDataRxSecondaryPHY"] as? Int == secondary)
    #expect((data[CBAdvertisementDataIsConnectable] as? NSNumber)?.boolValue == true)
    try await lab.central.connect(peripheral)
    // Its advertising goes on beside the connection.
    #expect(lab.peripheral.manager.isAdvertising)
    _ = try await advertisement(of: name, lab.central)
  }

  @Test("A value that names no physical layer leaves advertising legacy", arguments: ["", "3M", "CODED", "2"])
  func unknownLayer(_ phy: String) async throws {
    let lab = Lab()
    try await lab.peripheral.isPoweredOn()
    try await advertise(lab.peripheral, "Lamp", phy: phy)
    try await lab.central.isPoweredOn()
    let (_, data) = try await advertisement(of: "Lamp", lab.central)
    #expect(data["kCBAdvDataRxSecondaryPHY"] as? Int == 0)
  }

  @Test("A number for the physical layer is no name of one") func noText() async throws {
    let lab = Lab()
    try await lab.peripheral.isPoweredOn()
    try await advertise(lab.peripheral, "Lamp", phy: NSNumber(value: 2))
    try await lab.central.isPoweredOn()
    let (_, data) = try await advertisement(of: "Lamp", lab.central)
    #expect(data["kCBAdvDataRxSecondaryPHY"] as? Int == 0)
  }

  @Test("A host without extended advertising refuses a physical layer, and advertises without") func refused()
    async throws
  {
    let name = UUID().uuidString
    let radio = VirtualRadio.named(name)
    let driver = HostDriver(
      configuration: HostConfiguration(ownAddress: .staticRandom(3), usesExtendedAdvertising: false),
      transport: radio.makeTransport("peripheral"), scheduler: DispatchScheduler())
    RadioRegistry.shared.replace(driver, for: .virtual(name: name), role: .peripheral)
    defer { RadioRegistry.shared.remove(.virtual(name: name)) }
    driver.start()
    let side = PeripheralSide([CBManagerOptionControllerKey: "virtual:\(name)"])
    try await side.isPoweredOn()
    await #expect(throws: (any Error).self) { try await advertise(side, "Lamp", phy: "1M") }
    #expect(!side.manager.isAdvertising)
    try await advertise(side, "Lamp", phy: nil)
    #expect(side.manager.isAdvertising)
  }
}
