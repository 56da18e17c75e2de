import CoreBluetooth
import Foundation
import LatchkeyBluetoothHost

extension DeviceDefinition.Advertisement {
  /// Manufacturer data and service data, as a peripheral manager takes them.
  var advertisedData: AdvertisedData {
    AdvertisedData(manufacturerData: manufacturerData, serviceData: serviceData)
  }

  /// Throws what would not be advertised as it says. Services that do not fit are left out, as Apple's systems do.
  func validate() throws(DefinitionError) {
    if let phy, !["1M", "2M", "coded"].contains(phy) {
      throw DefinitionError("advertisement.phy", "is none of 1M, 2M, coded")
    }
    if let manufacturerData, manufacturerData.count < 2 {
      throw DefinitionError("advertisement.manufacturerData", "has no identifier of a company, which has two bytes")
    }
    let data = advertisedData
    var parameters = AdvertisingParameters(
      localName: localName, services: services.compactMap { BluetoothUUID(bigEndian: [UInt8]($0.data)) })
    parameters.structures = data.structures
    let extended = phy == nil ? nil : AdvertisingPayload.extendedCapacity
    guard let omitted = AdvertisingPayload(parameters, extended: extended).omittedStructures.first else { return }
    let space =
      extended.map { "the advertisement has \($0) bytes" } ?? "advertisement and scan response have 31 bytes each"
    let service = serviceData.first { AdvertisedData.structure(of: $0.key, $0.value) == omitted }
    throw DefinitionError(
      service.map { "advertisement.serviceData.\($0.key.uuidString)" } ?? "advertisement.manufacturerData",
      "does not fit: \(space), of which flags have 3, each structure 2, and services what they need")
  }
}
