import CoreBluetooth
import Foundation

extension Cassette {
  /// The sizes of ATT_MTU, bytes (Core 6.0 Vol 3 Part F 3.2.8, 3.2.9).
  static let mtus = 23...517
  /// The most advertisements.
  static let advertisementCapacity = 10_000
  /// The most steps.
  static let stepCapacity = 100_000
  /// The longest advertisement, bytes (Core 6.0 Vol 6 Part B 2.3.4.9).
  static let longestAdvertisement = 1650
  /// The longest recording, some 11 days.
  static let longestTime = Duration.seconds(1_000_000)

  /// Throws what is wrong with a cassette: it could not be replayed.
  public func validate() throws(DefinitionError) {
    do throws(DefinitionError) {
      try device.validate()
    } catch {
      throw DefinitionError(error.path.isEmpty ? "device" : "device.\(error.path)", error.problem)
    }
    guard Self.mtus.contains(mtu) else { throw DefinitionError("mtu", "is not 23 to 517") }
    guard advertisements.count <= Self.advertisementCapacity else {
      throw DefinitionError("advertisements", "has \(Self.advertisementCapacity) elements at most")
    }
    guard steps.count <= Self.stepCapacity else {
      throw DefinitionError("steps", "has \(Self.stepCapacity) elements at most")
    }
    var time = Duration.zero
    for (index, report) in advertisements.enumerated() {
      let path = "advertisements[\(index)]"
      time = try Self.validate(report.time, after: time, at: "\(path).time")
      guard report.data.count <= Self.longestAdvertisement else {
        throw DefinitionError("\(path).data", "has \(Self.longestAdvertisement) bytes at most")
      }
    }
    time = .zero
    for (index, step) in steps.enumerated() {
      let path = "steps[\(index)]"
      time = try Self.validate(step.time, after: time, at: "\(path).time")
      try validate(step, at: path)
    }
  }

  private static func validate(
    _ time: Duration, after earlier: Duration, at path: String
  ) throws(DefinitionError) -> Duration {
    guard time >= earlier else { throw DefinitionError(path, "is earlier than what stands before") }
    guard time <= longestTime else { throw DefinitionError(path, "is later than 1000000 seconds") }
    return time
  }

  private func validate(_ step: Step, at path: String) throws(DefinitionError) {
    let characteristic = try characteristic(at: step.attribute, path)
    switch step.event {
    case .read(let value), .write(let value, _): try Self.validate(value, at: path)
    case .readRefused(let code):
      guard code != .success else { throw DefinitionError("\(path).readRefused", "is no error") }
    case .writeWithoutResponse(let value):
      guard step.attribute.descriptor == nil else {
        throw DefinitionError(path, "a descriptor is written with an answer")
      }
      try Self.validate(value, at: path)
    case .subscription: try Self.validateSubscribable(step.attribute, characteristic, at: path)
    case .notification(let value), .indication(let value):
      try Self.validateSubscribable(step.attribute, characteristic, at: path)
      try Self.validate(value, at: path)
    }
  }

  private func characteristic(
    at attribute: Attribute, _ path: String
  ) throws(DefinitionError) -> DeviceDefinition.Characteristic {
    guard device.services.indices.contains(attribute.service),
      device.services[attribute.service].characteristics.indices.contains(attribute.characteristic)
    else { throw DefinitionError("\(path).at", "the device has no such attribute") }
    let characteristic = device.services[attribute.service].characteristics[attribute.characteristic]
    guard attribute.descriptor.map(characteristic.descriptors.indices.contains) ?? true else {
      throw DefinitionError("\(path).at", "the device has no such attribute")
    }
    return characteristic
  }

  private static func validate(_ value: Value, at path: String) throws(DefinitionError) {
    let count =
      switch value {
      case .bytes(let bytes): bytes.count
      case .masked(let count): count
      }
    guard 0...DeviceDefinition.longestValue ~= count else {
      throw DefinitionError(path, "a value has \(DeviceDefinition.longestValue) bytes at most")
    }
  }

  private static func validateSubscribable(
    _ attribute: Attribute, _ characteristic: DeviceDefinition.Characteristic, at path: String
  ) throws(DefinitionError) {
    guard attribute.descriptor == nil, characteristic.isSubscribable else {
      throw DefinitionError(path, "the attribute has neither notify nor indicate")
    }
  }
}
