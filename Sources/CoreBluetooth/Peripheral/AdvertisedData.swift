import Foundation
package import LatchkeyBluetoothHost
import LatchkeyByteCoding

/// What a device of tests advertises besides a name and services, which are all that Apple's systems take from apps.
///
/// `CBPeripheralManagerAdvertisedDataKey` carries it. It is not restored at the next launch.
package struct AdvertisedData: Sendable, Equatable {
  /// Manufacturer data and data of services, laid out by the host.
  package var structures: [AdvertisingData.Structure] = []
  /// The bytes of advertisement and scan response, in place of a layout.
  package var payloads: AdvertisingParameters.Payloads?
  /// Whether centrals can connect.
  package var isConnectable = true

  /// Data that the host lays out, with the services in the order of their UUIDs.
  ///
  /// - Parameter manufacturerData: the company's identifier, in little-endian order, and its data.
  package init(manufacturerData: Data?, serviceData: [CBUUID: Data]) {
    if let manufacturerData { structures.append(.init(.manufacturerData, [UInt8](manufacturerData))) }
    for (uuid, data) in serviceData.sorted(by: { $0.key.uuidString < $1.key.uuidString }) {
      structures.append(Self.structure(of: uuid, data))
    }
  }

  /// The bytes of both payloads.
  package init(advertisement: Data, scanResponse: Data, isConnectable: Bool) {
    payloads = .init(advertisement: [UInt8](advertisement), scanResponse: [UInt8](scanResponse))
    self.isConnectable = isConnectable
  }

  /// Service data (CSS Part A 1.11). A UUID of 32 bits stands there as one of 128 bits, as in the lists of services.
  package static func structure(of uuid: CBUUID, _ data: Data) -> AdvertisingData.Structure {
    var writer = ByteWriter()
    uuid.bluetoothUUID.encode(into: &writer)
    return .init(
      uuid.bluetoothUUID.short == nil ? .serviceData128 : .serviceData16, writer.bytes + [UInt8](data))
  }

  /// Completes what a manager advertises.
  func complete(_ parameters: inout AdvertisingParameters) {
    parameters.structures = structures
    parameters.payloads = payloads
    parameters.isConnectable = isConnectable
  }
}

/// Further data of an advertisement: an `AdvertisedData`. A key of this package's own devices, for `startAdvertising(_:)`.
package let CBPeripheralManagerAdvertisedDataKey = "LatchkeyAdvertisedData"
