import CoreBluetooth
import LatchkeyCommandLine

/// A service as it was discovered, for printing.
struct DiscoveredService: Sendable {
  struct Characteristic: Sendable {
    let uuid: String
    let handle: UInt16?
    let properties: [String]
    let descriptors: [(uuid: String, handle: UInt16?)]
  }

  let uuid: String
  let handle: UInt16?
  let characteristics: [Characteristic]

  init(_ service: CBService) {
    uuid = service.uuid.uuidString
    handle = service.handle
    characteristics = (service.characteristics ?? []).map { characteristic in
      Characteristic(
        uuid: characteristic.uuid.uuidString, handle: characteristic.handle,
        properties: Self.names(of: characteristic.properties),
        descriptors: (characteristic.descriptors ?? []).map { ($0.uuid.uuidString, $0.handle) })
    }
  }

  /// The lines for people.
  var lines: [String] {
    ["service \(AttributeNames.label(uuid, .service))"]
      + characteristics.flatMap { characteristic in
        [
          "  characteristic \(AttributeNames.label(characteristic.uuid, .characteristic))  "
            + characteristic.properties.joined(separator: " ")
        ] + characteristic.descriptors.map { "    descriptor \(AttributeNames.label($0.uuid, .descriptor))" }
      }
  }

  /// The fields of the JSON event `service`.
  var fields: EventFields {
    [
      ("uuid", .text(uuid)), ("name", AttributeNames.json(uuid, .service)), ("handle", .maybe(handle)),
      ("characteristics", .list(characteristics.map(Self.json))),
    ]
  }

  private static func json(_ characteristic: Characteristic) -> JSONLine.Value {
    .object([
      "uuid": .text(characteristic.uuid), "name": AttributeNames.json(characteristic.uuid, .characteristic),
      "handle": .maybe(characteristic.handle), "properties": .list(characteristic.properties.map { .text($0) }),
      "descriptors": .list(characteristic.descriptors.map { .text($0.uuid) }),
      "descriptorHandles": .list(characteristic.descriptors.map { .maybe($0.handle) }),
    ])
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
