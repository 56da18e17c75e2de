import CoreBluetooth
import Foundation
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports

/// Makes steps of a device's events, and the definition of what they tell.
struct CassetteBuilder {
  /// An access to an attribute that may need encryption.
  private struct Access: Hashable {
    let handle: AttributeHandle
    let isRead: Bool
  }

  private typealias Event = RecordedDevice.Event

  /// The most text of values, so that the cassette can be read again.
  private static let textCapacity = Cassette.longestText - (4 << 20)
  /// About how much text a step has beside its value.
  private static let stepText = 140

  private let device: RecordedDevice
  private let mask: CassetteMask
  private var database: CassetteDatabase
  private let addresses: HiddenAddresses
  private var steps: [Cassette.Step] = []
  private var advertisements: [Cassette.AdvertisingReport] = []
  private var name: String?
  /// The attributes whose first value is known.
  private var valued: Set<Cassette.Attribute> = []
  private var text = 0
  private var unknown = 0
  private var unusable = 0
  private var cut = 0

  init(_ device: RecordedDevice, _ database: CassetteDatabase, _ mask: CassetteMask) {
    self.device = device
    self.database = database
    self.mask = mask
    addresses = HiddenAddresses(device.addresses.union(device.hostAddresses))
  }

  mutating func run() {
    let events = device.events
    let secured = Self.secured(events)
    for access in secured { require(access) }
    let start = min(device.advertisements.first?.time ?? .seconds(Int64.max), events.first?.time ?? .seconds(Int64.max))
    for advertisement in device.advertisements { add(advertisement, since: start) }
    for event in events {
      guard !Self.isSecurityRefusal(event) || !secured.contains(Self.access(event)) else { continue }
      add(event, at: min(event.time - start, Cassette.longestTime))
    }
  }

  var cassette: Cassette {
    let name = definedName
    var definition = DeviceDefinition(name: name, services: database.services)
    if !device.advertisements.isEmpty {
      definition.advertisement = DeviceDefinition.Advertisement(
        localName: device.name.flatMap { Self.cleaned($0, mask, addresses) }, services: advertisedServices)
    }
    return Cassette(device: definition, advertisements: advertisements, mtu: device.mtu, steps: steps)
  }

  // MARK: Security

  /// The accesses that were refused for lack of security, and permitted later.
  private static func secured(_ events: [Event]) -> Set<Access> {
    var refused: Set<Access> = []
    var secured: Set<Access> = []
    for event in events {
      if isSecurityRefusal(event) {
        refused.insert(access(event))
      } else if isSuccess(event), refused.contains(access(event)) {
        secured.insert(access(event))
      }
    }
    return secured
  }

  private static func access(_ event: Event) -> Access {
    switch event.kind {
    case .read, .readRefused: Access(handle: event.handle, isRead: true)
    default: Access(handle: event.handle, isRead: false)
    }
  }

  private static func isSecurityRefusal(_ event: Event) -> Bool {
    let code: ATTErrorCode
    switch event.kind {
    case .readRefused(let refusal): code = refusal
    case .write(_, let answer): code = ATTErrorCode(rawValue: answer)
    default: return false
    }
    return [.insufficientAuthentication, .insufficientEncryption, .encryptionKeySizeTooShort].contains(code)
  }

  private static func isSuccess(_ event: Event) -> Bool {
    switch event.kind {
    case .read, .write(_, answer: 0): true
    default: false
    }
  }

  /// Makes an access one of an encrypted link.
  private mutating func require(_ access: Access) {
    switch database.place(of: access.handle) {
    case .attribute(let attribute)? where attribute.descriptor == nil:
      edit(attribute) { characteristic in
        if access.isRead {
          characteristic.permissions.remove(.readable)
          characteristic.permissions.insert(.readEncryptionRequired)
        } else {
          characteristic.permissions.remove(.writeable)
          characteristic.permissions.insert(.writeEncryptionRequired)
        }
      }
    case .configuration(let attribute)? where !access.isRead:
      edit(attribute) { characteristic in
        if characteristic.properties.remove(.notify) != nil {
          characteristic.properties.insert(.notifyEncryptionRequired)
        }
        if characteristic.properties.remove(.indicate) != nil {
          characteristic.properties.insert(.indicateEncryptionRequired)
        }
      }
    default: break
    }
  }

  private mutating func edit(
    _ attribute: Cassette.Attribute, _ body: (inout DeviceDefinition.Characteristic) -> Void
  ) {
    body(&database.services[attribute.service].characteristics[attribute.characteristic])
  }

  // MARK: Steps

  private mutating func add(_ event: Event, at time: Duration) {
    var written: [UInt8]?
    if case .write(let value, _) = event.kind { written = value }
    switch database.place(of: event.handle, written: written) {
    case .attribute(let attribute)?: add(event, of: attribute, at: time)
    case .configuration(let attribute)?:
      guard case .write(let value, let answer) = event.kind, let bits = value.first,
        let code = CBATTError.Code(rawValue: Int(answer))
      else { return }
      let subscription: Cassette.Subscription =
        bits & 1 != 0 ? .notifications : bits & 2 != 0 ? .indications : .none
      append(.subscription(subscription, answer: code), to: attribute, at: time, count: 0)
    case .deviceName?:
      if case .read(let value) = event.kind { name = String(decoding: value, as: UTF8.self) }
    case .other?: break
    case nil: unknown += 1
    }
  }

  private mutating func add(_ event: Event, of attribute: Cassette.Attribute, at time: Duration) {
    let definition = database.services[attribute.service].characteristics[attribute.characteristic]
    let uuid = attribute.descriptor.map { definition.descriptors[$0].uuid } ?? definition.uuid
    let isValue = attribute.descriptor == nil
    func value(_ bytes: [UInt8]) -> Cassette.Value { mask.value(bytes, of: uuid, addresses) }
    switch event.kind {
    case .read(let bytes):
      learn(value(bytes), of: attribute)
      append(.read(value(bytes)), to: attribute, at: time, count: bytes.count)
    case .readRefused(let code):
      guard let code = CBATTError.Code(rawValue: Int(code.rawValue)), code != .success else { return unusable += 1 }
      append(.readRefused(code), to: attribute, at: time, count: 0)
    case .write(let bytes, let answer):
      guard let answer = CBATTError.Code(rawValue: Int(answer)) else { return unusable += 1 }
      append(.write(value(bytes), answer: answer), to: attribute, at: time, count: bytes.count)
    case .command(let bytes):
      guard isValue else { return unusable += 1 }
      append(.writeWithoutResponse(value(bytes)), to: attribute, at: time, count: bytes.count)
    case .notification(let bytes):
      guard isValue, definition.isSubscribable else { return unusable += 1 }
      append(.notification(value(bytes)), to: attribute, at: time, count: bytes.count)
    case .indication(let bytes):
      guard isValue, definition.isSubscribable else { return unusable += 1 }
      append(.indication(value(bytes)), to: attribute, at: time, count: bytes.count)
    }
  }

  private mutating func append(
    _ event: Cassette.Event, to attribute: Cassette.Attribute, at time: Duration, count: Int
  ) {
    text += Self.stepText + 2 * count
    guard text <= Self.textCapacity, steps.count < Cassette.stepCapacity else { return cut += 1 }
    steps.append(Cassette.Step(time: time, attribute: attribute, event: event))
  }

  /// Takes the first value that was read as that of the definition.
  private mutating func learn(_ value: Cassette.Value, of attribute: Cassette.Attribute) {
    guard valued.insert(attribute).inserted else { return }
    let bytes: Data
    switch value {
    case .bytes(let known): bytes = known
    case .masked(let count): bytes = Data(count: count)
    }
    edit(attribute) { characteristic in
      if let descriptor = attribute.descriptor {
        characteristic.descriptors[descriptor].value = bytes
      } else {
        characteristic.value = bytes
      }
    }
  }

  // MARK: Advertisements and names

  private mutating func add(_ advertisement: RecordedDevice.Advertisement, since start: Duration) {
    text += Self.stepText + 2 * advertisement.data.count
    guard text <= Self.textCapacity, advertisements.count < Cassette.advertisementCapacity else { return cut += 1 }
    advertisements.append(
      Cassette.AdvertisingReport(
        time: min(advertisement.time - start, Cassette.longestTime), rssi: advertisement.rssi,
        data: mask.advertisement(advertisement.data, addresses), isScanResponse: advertisement.isScanResponse,
        isConnectable: advertisement.isConnectable))
  }

  private var advertisedServices: [CBUUID] {
    var found: [CBUUID] = []
    for advertisement in device.advertisements {
      for uuid in AdvertisingData(decoding: advertisement.data).serviceUUIDs {
        let service = CBUUID(string: "\(uuid)")
        if !found.contains(service), found.count < DeviceDefinition.capacity { found.append(service) }
      }
    }
    return found
  }

  private var definedName: String {
    for candidate in [name, device.readName, device.name] {
      if let candidate, let cleaned = Self.cleaned(candidate, mask, addresses) { return cleaned }
    }
    return "Device"
  }

  /// A name without control characters and addresses, of at most 248 bytes; nil if nothing is left.
  private static func cleaned(_ name: String, _ mask: CassetteMask, _ addresses: HiddenAddresses) -> String? {
    let plain = String(String.UnicodeScalarView(name.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
    var text = String(decoding: mask.hiding(addresses, in: Array(plain.utf8)), as: UTF8.self)
    while text.utf8.count > 248 { text.removeLast() }
    return text.isEmpty ? nil : text
  }

  // MARK: Remarks

  var remarks: [String] {
    let losses = device.losses
    let counts: [(Int, String)] = [
      (unknown, "of attributes that were not discovered"),
      (unusable, "that the device's declarations exclude"),
      (cut, "for which a cassette has no room"),
      (losses.overCapacity, "more than is recorded"),
      (losses.unanswered, "without an answer"),
      (losses.partialValues, "of which only a part was captured"),
      (losses.longValues, "with more than 512 bytes"),
      (losses.malformed, "malformed"),
    ]
    var remarks = counts.filter { $0.0 > 0 }.map { "left out: \($0.0) \($0.0 == 1 ? "event" : "events") \($0.1)" }
    let leftOut = database.leftOut + device.database.dropped
    if leftOut > 0 { remarks.append("left out: \(leftOut) attributes that cannot be served, or are too many") }
    if losses.enhancedBearers > 0 {
      remarks.append("left out: what went over enhanced bearers of the Attribute protocol")
    }
    return remarks
  }
}
