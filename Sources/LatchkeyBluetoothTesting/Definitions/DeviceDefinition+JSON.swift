import CoreBluetooth
public import Foundation
import LatchkeyByteCoding

extension DeviceDefinition {
  /// Reads a definition in JSON, whose form `docs/device-definition.schema.json` publishes. It is strict: unknown keys,
  /// names that occur twice, and values that could not be served are errors.
  ///
  /// - Throws: the first thing that is wrong, with its place.
  public init(json: Data) throws(DefinitionError) {
    try self.init(DefinitionNode(text: [UInt8](json)))
    try validate()
  }

  /// Reads a definition in JSON.
  ///
  /// - Throws: the first thing that is wrong, with its place.
  public init(json: String) throws(DefinitionError) { try self.init(json: Data(json.utf8)) }

  init(_ node: DefinitionNode) throws(DefinitionError) {
    let members = try node.members(["$schema", "name", "advertisement", "pairing", "services"])
    if let schema = members["$schema"] { _ = try schema.string() }
    let name = try members.required("name").string()
    var services: [Service] = []
    for element in try members.required("services").elements() { services.append(try Service(element)) }
    self.init(name: name, services: services)
    if let node = members["pairing"] { pairing = try Pairing(node) }
    if let node = members["advertisement"] { try advertisement.read(node) }
  }
}

extension DeviceDefinition.Pairing {
  /// The ways to pair that a word names.
  private enum Word: String, CaseIterable { case automatic, refuse, wrongPasskey }

  /// A word, or an object with the digits of a passkey.
  fileprivate init(_ node: DefinitionNode) throws(DefinitionError) {
    guard node.value.object != nil else {
      self =
        switch try node.word(Word.self) {
        case .automatic: .automatic
        case .refuse: .refuse
        case .wrongPasskey: .wrongPasskey
        }
      return
    }
    let members = try node.members(["displays", "enters"])
    switch (members["displays"], members["enters"]) {
    case (let displayed?, nil): self = .displays(passkey: try displayed.string())
    case (nil, let entered?): self = .enters(passkey: try entered.string())
    default: throw node.error("has either displays or enters")
    }
  }
}

extension DeviceDefinition.Advertisement {
  /// Reads what differs from the default. A name of `null` advertises none.
  fileprivate mutating func read(_ node: DefinitionNode) throws(DefinitionError) {
    let members = try node.members(["name", "services", "phy", "manufacturerData", "serviceData"])
    if let name = members["name"] { localName = name.value == .null ? nil : try name.string() }
    if let node = members["services"] {
      services = []
      for element in try node.elements() { services.append(try element.uuid()) }
    }
    if let node = members["phy"] { phy = try node.string() }
    if let node = members["manufacturerData"] { manufacturerData = try node.bytes() }
    if let node = members["serviceData"] {
      for (uuid, node) in try node.membersByUUID() {
        guard serviceData.updateValue(try node.bytes(), forKey: uuid) == nil else {
          throw node.error("this service has data already")
        }
      }
    }
  }
}

extension DeviceDefinition.Service {
  fileprivate init(_ node: DefinitionNode) throws(DefinitionError) {
    let members = try node.members(["uuid", "primary", "characteristics"])
    var characteristics: [DeviceDefinition.Characteristic] = []
    for element in try members.required("characteristics").elements() {
      characteristics.append(try DeviceDefinition.Characteristic(element))
    }
    let uuid = try members.required("uuid").uuid()
    var isPrimary = true
    if let node = members["primary"] { isPrimary = try node.boolean() }
    self.init(uuid, isPrimary: isPrimary, characteristics: characteristics)
  }
}

extension DeviceDefinition.Characteristic {
  /// The names of properties.
  enum Property: String, CaseIterable {
    case read, write, writeWithoutResponse, notify, indicate, notifyEncrypted, indicateEncrypted,
      authenticatedSignedWrites

    var value: CBCharacteristicProperties {
      switch self {
      case .read: .read
      case .write: .write
      case .writeWithoutResponse: .writeWithoutResponse
      case .notify: .notify
      case .indicate: .indicate
      case .notifyEncrypted: .notifyEncryptionRequired
      case .indicateEncrypted: .indicateEncryptionRequired
      case .authenticatedSignedWrites: .authenticatedSignedWrites
      }
    }
  }

  /// The names of permissions.
  enum Permission: String, CaseIterable {
    case read, write, readEncrypted, writeEncrypted

    var value: CBAttributePermissions {
      switch self {
      case .read: .readable
      case .write: .writeable
      case .readEncrypted: .readEncryptionRequired
      case .writeEncrypted: .writeEncryptionRequired
      }
    }
  }

  fileprivate init(_ node: DefinitionNode) throws(DefinitionError) {
    let members = try node.members([
      "uuid", "properties", "permissions", "value", "behavior", "descriptors",
    ])
    var properties: CBCharacteristicProperties = []
    for element in try members.required("properties").elements() {
      properties.insert(try element.word(Property.self).value)
    }
    self.init(
      try members.required("uuid").uuid(), properties, permissions: nil, value: Data(), behavior: .stored,
      descriptors: [])
    if let node = members["permissions"] {
      permissions = []
      for element in try node.elements() { permissions.insert(try element.word(Permission.self).value) }
    }
    if let node = members["value"] { value = try node.bytes() }
    if let node = members["behavior"] { behavior = try DeviceDefinition.Behavior(node) }
    if let node = members["descriptors"] {
      for element in try node.elements() { descriptors.append(try DeviceDefinition.Descriptor(element)) }
    }
  }
}

extension DeviceDefinition.Descriptor {
  fileprivate init(_ node: DefinitionNode) throws(DefinitionError) {
    let members = try node.members(["uuid", "value"])
    self.init(try members.required("uuid").uuid(), value: try members.required("value").bytes())
  }
}
