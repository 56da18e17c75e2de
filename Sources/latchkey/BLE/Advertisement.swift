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
    if !services.isEmpty {
      let labels = services.map { AttributeNames.label($0, .service) }
      parts.append("services \(labels.joined(separator: " "))")
    }
    if let manufacturerData {
      let company = AttributeNames.company(of: manufacturerData)?.name
      parts.append("manufacturer \(Hexadecimal.encode(manufacturerData))" + (company.map { " (\($0))" } ?? ""))
    }
    if isConnectable == false { parts.append("not connectable") }
    return parts.joined(separator: "  ")
  }

  /// The fields of the JSON event `device`.
  var fields: EventFields {
    let company = manufacturerData.flatMap(AttributeNames.company)
    return [
      ("identifier", .text(identifier.uuidString)), ("name", .maybe(name)), ("rssi", .integer(rssi)),
      ("services", .list(services.map { .text($0) })),
      ("manufacturerData", .maybe(manufacturerData.map { Hexadecimal.encode($0) })),
      ("connectable", .maybe(isConnectable)),
      ("serviceNames", .list(services.map { AttributeNames.json($0, .service) })),
      ("company", .maybe(company?.number)), ("companyName", .maybe(company?.name)),
    ]
  }
}
