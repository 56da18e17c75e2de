import CoreBluetooth
import Foundation
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeySystem

/// What a scan saw of a device.
struct Advertisement: Equatable, Sendable {
  let identifier: UUID
  let name: String?
  let rssi: Int
  let services: [String]
  let manufacturerData: [UInt8]?
  let isConnectable: Bool?
}

extension Advertisement {
  init(_ peripheral: CBPeripheral, _ data: [String: Any], rssi: NSNumber) {
    self.init(
      identifier: peripheral.identifier,
      name: data[CBAdvertisementDataLocalNameKey] as? String ?? peripheral.name,
      rssi: rssi.intValue,
      services: (data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []).map(\.uuidString),
      manufacturerData: (data[CBAdvertisementDataManufacturerDataKey] as? Data).map { Array($0) },
      isConnectable: data[CBAdvertisementDataIsConnectable] as? Bool)
  }

  /// Whether `other` has the same contents, whatever its signal strength.
  func isSame(as other: Advertisement) -> Bool {
    identifier == other.identifier && name == other.name && services == other.services
      && manufacturerData == other.manufacturerData && isConnectable == other.isConnectable
  }

  /// The line for people.
  var line: String {
    var parts = ["\(rssi) dBm", identifier.uuidString, name.map(PrintableText.escaped) ?? "(no name)"]
    if !services.isEmpty { parts.append("services \(services.joined(separator: " "))") }
    if let manufacturerData { parts.append("manufacturer \(Hexadecimal.encode(manufacturerData))") }
    if isConnectable == false { parts.append("not connectable") }
    return parts.joined(separator: "  ")
  }

  /// The fields of the JSON event `device`.
  var fields: KeyValuePairs<String, JSONLine.Value> {
    [
      "identifier": .text(identifier.uuidString), "name": name.map { .text($0) } ?? .null, "rssi": .integer(rssi),
      "services": .list(services.map { .text($0) }),
      "manufacturerData": manufacturerData.map { .text(Hexadecimal.encode($0)) } ?? .null,
      "connectable": isConnectable.map { .boolean($0) } ?? .null,
    ]
  }
}
