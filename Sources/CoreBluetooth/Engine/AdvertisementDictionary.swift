import Foundation
import LatchkeyBluetoothHost

/// Advertisement data in the form of Apple's API.
enum AdvertisementDictionary {
  // Keys that Apple's systems add, without names in the API.
  static let timestampKey = "kCBAdvDataTimestamp"
  static let primaryPHYKey = "kCBAdvDataRxPrimaryPHY"
  static let secondaryPHYKey = "kCBAdvDataRxSecondaryPHY"

  /// - Parameter time: when the advertisement was received.
  static func make(of discovery: Discovery, at time: CFAbsoluteTime) -> [String: Any] {
    let data = discovery.data
    var dictionary: [String: Any] = [
      CBAdvertisementDataIsConnectable: NSNumber(value: discovery.isConnectable),
      timestampKey: NSNumber(value: time),
      // As HCI numbers them (Core 6.0 Vol 4 Part E 7.7.65.13): 1 is LE 1M, 2 is LE 2M, 3 is LE Coded, 0 is none.
      primaryPHYKey: NSNumber(value: discovery.primaryPHY.rawValue),
      secondaryPHYKey: NSNumber(value: discovery.secondaryPHY?.rawValue ?? 0),
    ]
    dictionary[CBAdvertisementDataLocalNameKey] = data.localName
    dictionary[CBAdvertisementDataManufacturerDataKey] = data[.manufacturerData].map { Data($0) }
    dictionary[CBAdvertisementDataTxPowerLevelKey] = data.txPowerLevel.map { NSNumber(value: $0) }
    dictionary[CBAdvertisementDataServiceUUIDsKey] = uuids(data.serviceUUIDs)
    dictionary[CBAdvertisementDataSolicitedServiceUUIDsKey] = uuids(data.solicitedServiceUUIDs)
    let serviceData = data.serviceData
    if !serviceData.isEmpty {
      dictionary[CBAdvertisementDataServiceDataKey] = Dictionary(
        serviceData.map { (CBUUID($0.service), Data($0.data)) }, uniquingKeysWith: { first, _ in first })
    }
    return dictionary
  }

  /// Nil for an empty list: the key is then absent.
  private static func uuids(_ uuids: [BluetoothUUID]) -> [CBUUID]? { uuids.isEmpty ? nil : uuids.map { CBUUID($0) } }
}
