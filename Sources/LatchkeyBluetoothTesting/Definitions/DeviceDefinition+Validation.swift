import CoreBluetooth
import Foundation

extension DeviceDefinition {
  /// The longest value of an attribute (Core 6.0 Vol 3 Part F 3.2.9), bytes.
  static let longestValue = 512
  /// The most services of a device, and the most characteristics of a service.
  static let capacity = 128
  /// The most values, rules, or records of a behavior, and actions of a rule.
  static let behaviorCapacity = 4096
  /// The longest wait and interval.
  static let longestTime = Duration.seconds(86_400)

  /// Throws what is wrong with a definition: it could not be served as it says.
  public func validate() throws(DefinitionError) {
    guard (1...248).contains(name.utf8.count) else { throw DefinitionError("name", "has 1 to 248 bytes") }
    guard services.count <= Self.capacity else { throw DefinitionError("services", "has \(Self.capacity) at most") }
    try advertisement.validate()
    try validatePairing()
    for (index, service) in services.enumerated() {
      try validate(service, at: "services[\(index)]")
    }
  }

  /// Throws unless a passkey has six digits (Core 6.0 Vol 3 Part H 2.3.5.3).
  private func validatePairing() throws(DefinitionError) {
    let (passkey, path) =
      switch pairing {
      case .automatic, .refuse, .wrongPasskey: (nil as String?, "")
      case .displays(let passkey): (passkey, "pairing.displays")
      case .enters(let passkey): (passkey, "pairing.enters")
      }
    guard let passkey else { return }
    guard passkey.utf8.count == 6, passkey.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else {
      throw DefinitionError(path, "has not six digits")
    }
  }

  private func validate(_ service: Service, at path: String) throws(DefinitionError) {
    guard ![CBUUID(string: "1800"), CBUUID(string: "1801")].contains(service.uuid) else {
      throw DefinitionError("\(path).uuid", "every device has this service already")
    }
    guard service.characteristics.count <= Self.capacity else {
      throw DefinitionError("\(path).characteristics", "has \(Self.capacity) at most")
    }
    for (index, characteristic) in service.characteristics.enumerated() {
      try validate(characteristic, at: "\(path).characteristics[\(index)]")
    }
  }

  private func validate(_ characteristic: Characteristic, at path: String) throws(DefinitionError) {
    guard characteristic.properties.isDisjoint(with: [.broadcast, .extendedProperties]) else {
      throw DefinitionError("\(path).properties", "has broadcast or extended properties, which are not served")
    }
    guard !characteristic.properties.isEmpty else { throw DefinitionError("\(path).properties", "is empty") }
    try Self.validate(characteristic.value, at: "\(path).value")
    guard characteristic.descriptors.count <= Self.capacity else {
      throw DefinitionError("\(path).descriptors", "has \(Self.capacity) at most")
    }
    for (index, descriptor) in characteristic.descriptors.enumerated() {
      let path = "\(path).descriptors[\(index)]"
      guard ![CBUUID(string: "2900"), CBUUID(string: "2902")].contains(descriptor.uuid) else {
        throw DefinitionError("\(path).uuid", "the device makes this descriptor itself")
      }
      try Self.validate(descriptor.value, at: "\(path).value")
    }
    try validate(characteristic.behavior, of: characteristic, at: "\(path).behavior")
  }

  private func validate(
    _ behavior: Behavior, of characteristic: Characteristic, at path: String
  ) throws(DefinitionError) {
    switch behavior {
    case .stored, .fixed: break
    case .sequence(let values, _):
      try Self.validate(values, at: "\(path).values")
    case .echo(let target):
      try validateSubscribable(target, of: characteristic, at: target == nil ? path : "\(path).to")
    case .notifyEvery(let interval, let values):
      try Self.validate(interval, at: "\(path).seconds")
      try Self.validate(values, at: "\(path).values")
      try validateSubscribable(nil, of: characteristic, at: path)
    case .program(let rules, _):
      guard rules.count <= Self.behaviorCapacity else {
        throw DefinitionError("\(path).rules", "has \(Self.behaviorCapacity) at most")
      }
      for (index, rule) in rules.enumerated() {
        try validate(rule, of: characteristic, at: "\(path).rules[\(index)]")
      }
    case .recordAccess(let measurement, let records):
      try validateSubscribable(measurement, of: characteristic, at: "\(path).measurement")
      guard characteristic.properties.contains([.write, .indicate]) else {
        throw DefinitionError(path, "a record access control point is written and indicated")
      }
      guard records.count <= Self.behaviorCapacity else {
        throw DefinitionError("\(path).records", "has \(Self.behaviorCapacity) at most")
      }
      for (index, record) in records.enumerated() {
        try Self.validate(record, at: "\(path).records[\(index)]")
        guard record.count >= 3 else {
          throw DefinitionError("\(path).records[\(index)]", "has no flags and sequence number")
        }
      }
    }
  }

  private func validate(_ rule: Rule, of characteristic: Characteristic, at path: String) throws(DefinitionError) {
    try Self.validate(rule.write, at: "\(path).write")
    guard rule.then.count <= Self.behaviorCapacity else {
      throw DefinitionError("\(path).then", "has \(Self.behaviorCapacity) at most")
    }
    for (index, action) in rule.then.enumerated() {
      let path = "\(path).then[\(index)]"
      switch action {
      case .wait(let time): try Self.validate(time, at: "\(path).wait")
      case .set(let value, let target):
        try Self.validate(value, at: "\(path).set")
        guard target == nil || hasCharacteristic(target) else {
          throw DefinitionError("\(path).of", "the device has no such characteristic")
        }
      case .notify(let value, let target):
        try Self.validate(value, at: "\(path).notify")
        try validateSubscribable(target, of: characteristic, at: target == nil ? path : "\(path).of")
      }
    }
  }

  /// Throws unless centrals can subscribe to a characteristic: to `target`, or, without one, to `own`.
  private func validateSubscribable(
    _ target: CBUUID?, of own: Characteristic, at path: String
  ) throws(DefinitionError) {
    guard let target else {
      guard own.isSubscribable else {
        throw DefinitionError(path, "the characteristic has neither notify nor indicate")
      }
      return
    }
    guard hasCharacteristic(target) else { throw DefinitionError(path, "the device has no such characteristic") }
    guard services.contains(where: { $0.characteristics.contains { $0.uuid == target && $0.isSubscribable } }) else {
      throw DefinitionError(path, "that characteristic has neither notify nor indicate")
    }
  }

  private func hasCharacteristic(_ uuid: CBUUID?) -> Bool {
    services.contains { $0.characteristics.contains { $0.uuid == uuid } }
  }

  private static func validate(_ value: Data, at path: String) throws(DefinitionError) {
    guard value.count <= longestValue else { throw DefinitionError(path, "has \(longestValue) bytes at most") }
  }

  private static func validate(_ values: [Data], at path: String) throws(DefinitionError) {
    guard !values.isEmpty else { throw DefinitionError(path, "is empty") }
    guard values.count <= behaviorCapacity else { throw DefinitionError(path, "has \(behaviorCapacity) at most") }
    for (index, value) in values.enumerated() { try validate(value, at: "\(path)[\(index)]") }
  }

  private static func validate(_ time: Duration, at path: String) throws(DefinitionError) {
    guard time >= .milliseconds(1), time <= longestTime else {
      throw DefinitionError(path, "is not between a millisecond and a day")
    }
  }
}
