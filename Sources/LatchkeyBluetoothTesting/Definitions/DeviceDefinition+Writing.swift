import CoreBluetooth
public import Foundation

extension DeviceDefinition {
  /// The definition in JSON, as `init(json:)` reads it: the same text each time, and without what is the default. A valid
  /// definition is the same when it is read again.
  public func json() -> Data { text.data }

  var text: DefinitionText {
    var members: [(key: String, value: DefinitionText)] = [("name", .string(name))]
    let standard = DeviceDefinition(name: name, services: services).advertisement
    if advertisement != standard { members.append(("advertisement", advertisement.text(unlike: standard))) }
    if pairing != .automatic { members.append(("pairing", pairing.text)) }
    members.append(("services", .array(services.map(\.text))))
    return .object(members)
  }
}

extension DeviceDefinition.Pairing {
  /// Its name in definitions, without the digits of a passkey.
  package var name: String {
    switch self {
    case .automatic: "automatic"
    case .refuse: "refuse"
    case .wrongPasskey: "wrongPasskey"
    case .displays: "displays"
    case .enters: "enters"
    }
  }

  fileprivate var text: DefinitionText {
    switch self {
    case .automatic, .refuse, .wrongPasskey: .string(name)
    case .displays(let passkey), .enters(let passkey): .object([(name, .string(passkey))])
    }
  }
}

extension DeviceDefinition.Advertisement {
  fileprivate func text(unlike standard: Self) -> DefinitionText {
    var members: [(key: String, value: DefinitionText)] = []
    if localName != standard.localName { members.append(("name", localName.map { .string($0) } ?? .null)) }
    if services != standard.services { members.append(("services", .array(services.map { DefinitionText($0) }))) }
    if let phy { members.append(("phy", .string(phy))) }
    if let manufacturerData { members.append(("manufacturerData", DefinitionText(manufacturerData))) }
    if !serviceData.isEmpty {
      let sorted = serviceData.map { ($0.key.uuidString, DefinitionText($0.value)) }.sorted { $0.0 < $1.0 }
      members.append(("serviceData", .object(sorted.map { (key: $0.0, value: $0.1) })))
    }
    return .object(members)
  }
}

extension DeviceDefinition.Service {
  fileprivate var text: DefinitionText {
    var members: [(key: String, value: DefinitionText)] = [("uuid", DefinitionText(uuid))]
    if !isPrimary { members.append(("primary", .boolean(false))) }
    members.append(("characteristics", .array(characteristics.map(\.text))))
    return .object(members)
  }
}

extension DeviceDefinition.Characteristic {
  fileprivate var text: DefinitionText {
    var members: [(key: String, value: DefinitionText)] = [
      ("uuid", DefinitionText(uuid)),
      ("properties", Self.names(Property.allCases.filter { properties.contains($0.value) })),
    ]
    if permissions != Self.permissions(for: properties) {
      members.append(("permissions", Self.names(Permission.allCases.filter { permissions.contains($0.value) })))
    }
    if !value.isEmpty { members.append(("value", DefinitionText(value))) }
    if behavior != .stored { members.append(("behavior", behavior.text)) }
    if !descriptors.isEmpty { members.append(("descriptors", .array(descriptors.map(\.text)))) }
    return .object(members)
  }

  /// The names of its properties.
  package var propertyNames: [String] { Property.allCases.filter { properties.contains($0.value) }.map(\.rawValue) }

  private static func names<Word: RawRepresentable>(_ words: [Word]) -> DefinitionText where Word.RawValue == String {
    .array(words.map { .string($0.rawValue) })
  }
}

extension DeviceDefinition.Descriptor {
  fileprivate var text: DefinitionText { .object([("uuid", DefinitionText(uuid)), ("value", DefinitionText(value))]) }
}
