import CoreBluetooth
import LatchkeyCommandLine

/// A service as it was discovered, for printing.
struct DiscoveredService: Sendable {
  struct Characteristic: Sendable {
    let uuid: String
    let properties: [String]
    let descriptors: [String]
  }

  let uuid: String
  let characteristics: [Characteristic]

  init(_ service: CBService) {
    uuid = service.uuid.uuidString
    characteristics = (service.characteristics ?? []).map { characteristic in
      Characteristic(
        uuid: characteristic.uuid.uuidString, properties: Self.names(of: characteristic.properties),
        descriptors: (characteristic.descriptors ?? []).map(\.uuid.uuidString))
    }
  }

  /// The lines for people.
  var lines: [String] {
    ["service \(uuid)"]
      + characteristics.flatMap { characteristic in
        ["  characteristic \(characteristic.uuid)  \(characteristic.properties.joined(separator: " "))"]
          + characteristic.descriptors.map { "    descriptor \($0)" }
      }
  }

  /// The fields of the JSON event `service`.
  var fields: KeyValuePairs<String, JSONLine.Value> {
    [
      "uuid": .text(uuid),
      "characteristics": .list(
        characteristics.map { characteristic in
          .object([
            "uuid": .text(characteristic.uuid), "properties": .list(characteristic.properties.map { .text($0) }),
            "descriptors": .list(characteristic.descriptors.map { .text($0) }),
          ])
        }),
    ]
  }

  private static let propertyNames: [(CBCharacteristicProperties, String)] = [
    (.broadcast, "broadcast"), (.read, "read"), (.writeWithoutResponse, "writeWithoutResponse"), (.write, "write"),
    (.notify, "notify"), (.indicate, "indicate"), (.authenticatedSignedWrites, "authenticatedSignedWrites"),
    (.extendedProperties, "extendedProperties"),
  ]

  private static func names(of properties: CBCharacteristicProperties) -> [String] {
    propertyNames.filter { properties.contains($0.0) }.map(\.1)
  }
}
