import CoreBluetooth
import Testing

/// A delegate of a central manager with the methods that few apps implement.
final class ThoroughCentralDelegate: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
  var restored: [CBPeripheral] = []
  var services: [CBUUID] = []
  var scanOptions: [String: Any] = [:]
  var events: [CBConnectionEvent] = []
  var channel: CBL2CAPChannel?
  var isReconnecting = false

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    central.registerForConnectionEvents(options: [
      .serviceUUIDs: [CBUUID(string: "180D")], CBConnectionEventMatchingOption.peripheralUUIDs: [UUID()],
    ])
    central.registerForConnectionEvents()
    central.registerForConnectionEvents(options: nil)
    central.scanForPeripherals(
      withServices: nil, options: [CBCentralManagerScanOptionSolicitedServiceUUIDsKey: [CBUUID(string: "180D")]])
  }

  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
    restored = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
    services = dict[CBCentralManagerRestoredStateScanServicesKey] as? [CBUUID] ?? []
    scanOptions = dict[CBCentralManagerRestoredStateScanOptionsKey] as? [String: Any] ?? [:]
  }

  func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
  ) {
    switch event {
    case .peerConnected: central.connect(peripheral, options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
    case .peerDisconnected: events.append(event)
    @unknown default: break
    }
  }

  func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral) {
    _ = peripheral.ancsAuthorized
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: Error?
  ) { self.isReconnecting = isReconnecting }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.openL2CAPChannel(CBL2CAPPSM(0x80))
  }

  func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: Error?) {
    guard let channel else { return }
    self.channel = channel
    let psm: UInt16 = channel.psm
    let input: InputStream = channel.inputStream
    let output: OutputStream = channel.outputStream
    let peer: CBPeer = channel.peer
    _ = (psm, input, output, peer.identifier)
  }

  func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: Error?) {}
}

/// A delegate of a peripheral manager with the methods that few apps implement.
final class ThoroughPeripheralDelegate: NSObject, CBPeripheralManagerDelegate {
  var restored: [CBMutableService] = []
  var advertisement: [String: Any] = [:]
  var published: CBL2CAPPSM?

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    peripheral.publishL2CAPChannel(withEncryption: false)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
    restored = dict[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService] ?? []
    advertisement = dict[CBPeripheralManagerRestoredStateAdvertisementDataKey] as? [String: Any] ?? [:]
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: Error?) {
    published = PSM
    peripheral.unpublishL2CAPChannel(PSM)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: Error?) {
    published = nil
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: Error?) {}
}

/// The older names. They are deprecated, as Apple's are: through this protocol tests use them without a warning.
protocol OlderNames {
  func rssi(_ peripheral: CBPeripheral) -> NSNumber?
  func isBroadcasted(_ characteristic: CBCharacteristic) -> Bool
  func authorizationIsGranted() -> Bool
  func rawStates() -> [Int]
}

struct OlderCode: OlderNames {
  @available(*, deprecated)
  func rssi(_ peripheral: CBPeripheral) -> NSNumber? { peripheral.rssi }

  @available(*, deprecated)
  func isBroadcasted(_ characteristic: CBCharacteristic) -> Bool { characteristic.isBroadcasted }

  @available(*, deprecated)
  func authorizationIsGranted() -> Bool {
    let status: CBPeripheralManagerAuthorizationStatus = CBPeripheralManager.authorizationStatus()
    return status == .authorized
  }

  @available(*, deprecated)
  func rawStates() -> [Int] {
    [CBCentralManagerState.poweredOn.rawValue, CBPeripheralManagerState.poweredOff.rawValue]
  }
}

struct WholeSurfaceIdiomTests {
  @Test(
    "The strings of options and keys are those of Apple's systems",
    arguments: [
      (CBCentralManagerOptionRestoreIdentifierKey, "kCBInitOptionRestoreIdentifier"),
      (CBPeripheralManagerOptionRestoreIdentifierKey, "kCBInitOptionRestoreIdentifier"),
      (CBCentralManagerOptionDeviceAccessForMedia, "kCBInitOptionDeviceAccessForMedia"),
      (CBCentralManagerScanOptionSolicitedServiceUUIDsKey, "kCBScanOptionSolicitedServiceUUIDs"),
      (CBConnectPeripheralOptionStartDelayKey, "kCBConnectOptionStartDelay"),
      (CBConnectPeripheralOptionEnableTransportBridgingKey, "kCBConnectOptionEnableTransportBridging"),
      (CBConnectPeripheralOptionRequiresANCS, "kCBConnectOptionRequiresANCS"),
      (CBConnectPeripheralOptionEnableAutoReconnect, "kCBConnectOptionAutoReconnect"),
      (CBCentralManagerRestoredStatePeripheralsKey, "kCBRestoredPeripherals"),
      (CBCentralManagerRestoredStateScanServicesKey, "kCBRestoredScanServices"),
      (CBCentralManagerRestoredStateScanOptionsKey, "kCBRestoredScanOptions"),
      (CBPeripheralManagerRestoredStateServicesKey, "kCBRestoredServices"),
      (CBPeripheralManagerRestoredStateAdvertisementDataKey, "kCBRestoredAdvertisement"),
      (CBUUIDL2CAPPSMCharacteristicString, "ABDD3056-28FA-441D-A470-55A75A52553A"),
    ]) func stringsAreApples(_ constant: String, _ string: String)
  { #expect(constant == string) }

  @Test("Connection events and features have Apple's raw values") func rawValuesAreApples() {
    #expect(CBConnectionEvent(rawValue: 0) == .peerDisconnected)
    #expect(CBConnectionEvent(rawValue: 1) == .peerConnected)
    #expect(CBConnectionEvent(rawValue: 2) == nil)
    #expect(CBCentralManager.Feature.extendedScanAndConnect.rawValue == 1)
    #expect(CBCentralManager.Feature.channelSounding.rawValue == 1024)
    #expect(CBCentralManager.supports(.extendedScanAndConnect))
    #expect(CBCentralManager.supports([.extendedScanAndConnect, .channelSounding]))
    #expect(!CBCentralManager.supports(CBCentralManager.Feature(rawValue: 1 << 20)))
    #expect(CBCentralManager.supports([]))
  }

  @Test("The older names compile") func olderNamesCompile() {
    let code: any OlderNames = OlderCode()
    let characteristic = CBMutableCharacteristic(
      type: CBUUID(string: "2A37"), properties: [.read, .broadcast], value: nil, permissions: .readable)
    #expect(!code.isBroadcasted(characteristic))
    #expect(code.authorizationIsGranted())
    #expect(code.rawStates() == [5, 4])
  }
}
