import Foundation
import LatchkeyBluetoothHost

/// Advertisement data in the form of Apple's API.
enum AdvertisementDictionary {
  static func make(of discovery: Discovery) -> [String: Any] {
    let data = discovery.data
    var dictionary: [String: Any] = [
      CBAdvertisementDataIsConnectable: NSNumber(value: discovery.isConnectable)
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
