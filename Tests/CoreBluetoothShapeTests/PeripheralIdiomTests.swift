import CoreBluetooth
import Testing

/// Subclasses, as apps and their mocks make them.
class StoringCharacteristic: CBMutableCharacteristic {
  var history: [Data] = []
}

class CountingCentralManager: CBCentralManager {
  private(set) var scans = 0

  override func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil) {
    scans += 1
    super.scanForPeripherals(withServices: serviceUUIDs, options: options)
  }
}

struct PeripheralIdiomTests {
  /// Apple's import of Objective-C lets every result be dropped, and warnings are errors here.
  private func resultsMayBeDropped(
    _ central: CBCentralManager, _ peripheral: CBPeripheral, _ manager: CBPeripheralManager,
    _ characteristic: CBMutableCharacteristic
  ) {
    central.retrievePeripherals(withIdentifiers: [])
    central.retrieveConnectedPeripherals(withServices: [])
    peripheral.maximumWriteValueLength(for: .withResponse)
    manager.updateValue(Data(), for: characteristic, onSubscribedCentrals: nil)
  }

  @Test("Services are built from mutable parts") func servicesAreBuiltFromMutableParts() {
    let description = CBMutableDescriptor(
      type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "readwrite")
    let characteristic = StoringCharacteristic(
      type: CBUUID(string: "FFF2"), properties: [.read, .write], value: nil, permissions: [.readable, .writeable])
    characteristic.descriptors = [description]
    let service = CBMutableService(type: CBUUID(string: "FFF0"), primary: true)
    service.characteristics = [characteristic]
    #expect(characteristic.service === service)
    #expect(description.characteristic === characteristic)
    #expect(service.isPrimary)
    #expect(service.peripheral == nil)
    #expect(characteristic.permissions == [.readable, .writeable])
    #expect(characteristic.subscribedCentrals?.isEmpty ?? true)
    characteristic.value = Data([1])
    characteristic.properties.insert(.notify)
    #expect(characteristic.value == Data([1]))
    #expect(characteristic.properties.contains(.notify))
    service.characteristics = nil
    #expect(characteristic.service == nil)
  }

  @Test("Option sets have Apple's bits") func optionSetsHaveApplesBits() {
    let properties: [CBCharacteristicProperties] = [
      .broadcast, .read, .writeWithoutResponse, .write, .notify, .indicate, .authenticatedSignedWrites,
      .extendedProperties, .notifyEncryptionRequired, .indicateEncryptionRequired,
    ]
    #expect(properties.map(\.rawValue) == (0..<10).map { 1 << UInt($0) })
    let permissions: [CBAttributePermissions] = [
      .readable, .writeable, .readEncryptionRequired, .writeEncryptionRequired,
    ]
    #expect(permissions.map(\.rawValue) == [1, 2, 4, 8])
    #expect(CBCharacteristicWriteType.withResponse.rawValue == 0)
    #expect(CBCharacteristicWriteType.withoutResponse.rawValue == 1)
    #expect(CBManagerState.poweredOn.rawValue == 5)
    #expect(CBPeripheralState.connected.rawValue == 2)
  }

  @Test("Keys have Apple's strings") func keysAreThoseThatAppleLogs() {
    #expect(CBAdvertisementDataLocalNameKey == "kCBAdvDataLocalName")
    #expect(CBAdvertisementDataServiceUUIDsKey == "kCBAdvDataServiceUUIDs")
    #expect(CBAdvertisementDataOverflowServiceUUIDsKey == "kCBAdvDataHashedServiceUUIDs")
    #expect(CBErrorDomain == "CBErrorDomain")
    #expect(CBATTErrorDomain == "CBATTErrorDomain")
    #expect(CBManagerOptionControllerKey == "LatchkeyController")
  }

  @Test("Authorization is always granted") func authorizationIsGiven() {
    #expect(CBManager.authorization == .allowedAlways)
    #expect(CBCentralManager.authorization == .allowedAlways)
    #expect(CBPeripheralManager.authorization == .allowedAlways)
  }

  @Test("Foundation, Dispatch and CoreFoundation's time are re-exported")
  func foundationDispatchAndCoreFoundationTimeComeAlong() {
    let start: CFAbsoluteTime = CFAbsoluteTimeGetCurrent()
    let interval: CFTimeInterval = Date().timeIntervalSinceReferenceDate - start
    #expect(interval > -1 && interval < 60)
    #expect(DispatchQueue.main.label == "com.apple.main-thread" || !DispatchQueue.main.label.isEmpty)
  }
}
