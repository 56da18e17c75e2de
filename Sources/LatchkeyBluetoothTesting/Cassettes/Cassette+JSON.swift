import CoreBluetooth
public import Foundation
import LatchkeyByteCoding

extension Cassette {
  /// The version of the format that is written, and the only one that is read.
  public static let formatVersion = 1

  /// The longest text of a cassette, bytes.
  static let longestText = 32 << 20

  /// Reads a cassette in JSON, whose form `docs/cassette.schema.json` publishes. It is strict: unknown keys, names that
  /// occur twice, other versions, and what could not be replayed are errors.
  ///
  /// - Throws: the first thing that is wrong, with its place.
  public init(json: Data) throws(DefinitionError) {
    let limits = StrictJSON.Limits(size: Self.longestText, depth: 16, members: 64)
    try self.init(DefinitionNode(text: [UInt8](json), within: limits))
    try validate()
  }

  /// Reads a cassette in JSON.
  ///
  /// - Throws: the first thing that is wrong, with its place.
  public init(json: String) throws(DefinitionError) { try self.init(json: Data(json.utf8)) }

  private init(_ node: DefinitionNode) throws(DefinitionError) {
    // The version comes first: another one may have other keys.
    guard let object = node.value.object else { throw node.error("is no object") }
    let any = DefinitionNode.Members(object: object, path: node.path)
    let version = try any.required("cassette").integer(1...Int(UInt16.max))
    guard version == Self.formatVersion else {
      throw DefinitionError("cassette", "is version \(version); only version \(Self.formatVersion) is known here")
    }
    let members = try node.members(["$schema", "cassette", "device", "mtu", "advertisements", "steps"])
    if let schema = members["$schema"] { _ = try schema.string() }
    self.init(device: try DeviceDefinition(try members.required("device")))
    if let node = members["mtu"] { mtu = try node.integer(Self.mtus) }
    if let node = members["advertisements"] {
      for element in try node.elements(atMost: Self.advertisementCapacity) {
        advertisements.append(try AdvertisingReport(element))
      }
    }
    for element in try members.required("steps").elements(atMost: Self.stepCapacity) {
      steps.append(try Step(element, of: device))
    }
  }
}

extension Cassette.AdvertisingReport {
  fileprivate init(_ node: DefinitionNode) throws(DefinitionError) {
    let members = try node.members(["time", "rssi", "data", "scanResponse", "connectable"])
    self.init(time: try members.required("time").seconds(), data: try members.required("data").bytes())
    if let node = members["rssi"] { rssi = Int8(try node.integer(-128...127)) }
    if let node = members["scanResponse"] { isScanResponse = try node.boolean() }
    if let node = members["connectable"] { isConnectable = try node.boolean() }
  }
}

extension Cassette.Step {
  /// The key that names an event.
  enum Key: String, CaseIterable {
    case read, readRefused, write, writeWithoutResponse, subscribe, notification, indication
  }

  fileprivate init(_ node: DefinitionNode, of device: DeviceDefinition) throws(DefinitionError) {
    let members = try node.members(["time", "at", "uuid"] + Key.allCases.map(\.rawValue) + ["answer"])
    let place = try members.required("at")
    let attribute = try Cassette.Attribute(place)
    if let node = members["uuid"] {
      let uuid = try node.uuid()
      // What the indices lead to is validated later; here is only what validation does not see.
      if let known = attribute.uuid(in: device), known != uuid {
        throw node.error("\(place.path) is \(known.uuidString)")
      }
    }
    let keys = Key.allCases.filter { members[$0.rawValue] != nil }
    guard keys.count == 1, let key = keys.first, let value = members[key.rawValue] else {
      throw node.error("has one of \(Key.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    if let answer = members["answer"], key != .write, key != .subscribe {
      throw answer.error("belongs to write and subscribe")
    }
    let answer = try AttributeErrorName.code(members["answer"])
    let event: Cassette.Event =
      switch key {
      case .read: .read(try Cassette.Value(value))
      case .readRefused: .readRefused(try AttributeErrorName.code(value))
      case .write: .write(try Cassette.Value(value), answer: answer)
      case .writeWithoutResponse: .writeWithoutResponse(try Cassette.Value(value))
      case .subscribe: .subscription(try value.word(Cassette.Subscription.self), answer: answer)
      case .notification: .notification(try Cassette.Value(value))
      case .indication: .indication(try Cassette.Value(value))
      }
    self.init(time: try members.required("time").seconds(), attribute: attribute, event: event)
  }
}

extension Cassette.Attribute {
  fileprivate init(_ node: DefinitionNode) throws(DefinitionError) {
    let numbers = try node.elements(atMost: 3)
    guard numbers.count >= 2 else { throw node.error("has the index of a service and of a characteristic") }
    let indices = 0...DeviceDefinition.capacity - 1
    self.init(service: try numbers[0].integer(indices), characteristic: try numbers[1].integer(indices))
    if numbers.count == 3 { descriptor = try numbers[2].integer(indices) }
  }

  /// The attribute's UUID; nil if the device has no such attribute.
  func uuid(in device: DeviceDefinition) -> CBUUID? {
    guard let found = characteristic(in: device) else { return nil }
    guard let descriptor else { return found.uuid }
    return found.descriptors.indices.contains(descriptor) ? found.descriptors[descriptor].uuid : nil
  }

  /// The characteristic; nil if the device has none there.
  func characteristic(in device: DeviceDefinition) -> DeviceDefinition.Characteristic? {
    guard device.services.indices.contains(service) else { return nil }
    let all = device.services[service].characteristics
    return all.indices.contains(characteristic) ? all[characteristic] : nil
  }
}

extension Cassette.Value {
  fileprivate init(_ node: DefinitionNode) throws(DefinitionError) {
    guard node.value.object != nil else {
      self = .bytes(try node.bytes())
      return
    }
    let members = try node.members(["masked"])
    self = .masked(count: try members.required("masked").integer(0...DeviceDefinition.longestValue))
  }
}

extension DefinitionNode {
  /// The elements of an array that has no more of them.
  fileprivate func elements(atMost capacity: Int) throws(DefinitionError) -> [DefinitionNode] {
    guard let array = value.array else { throw error("is no array") }
    guard array.count <= capacity else { throw error("has \(capacity) elements at most") }
    return try elements()
  }
}
