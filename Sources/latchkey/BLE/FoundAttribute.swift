import CoreBluetooth
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeySystem

/// A characteristic or descriptor of the device, for printing.
struct FoundAttribute: Equatable, Sendable {
  let service: String
  let characteristic: String
  /// Nil for the characteristic itself.
  let descriptor: String?
  let handle: UInt16?

  init(_ characteristic: CBCharacteristic, _ descriptor: CBDescriptor? = nil) {
    service = characteristic.service?.uuid.uuidString ?? ""
    self.characteristic = characteristic.uuid.uuidString
    self.descriptor = descriptor?.uuid.uuidString
    handle = descriptor.map { $0.handle } ?? characteristic.handle
  }

  /// Where it is, in full.
  var path: String { "\(service)/\(characteristic)" + (descriptor.map { ":\($0)" } ?? "") }

  /// The name of its UUID, if the Bluetooth SIG assigned one.
  var name: String? {
    guard let descriptor else { return AttributeNames.name(of: characteristic, .characteristic) }
    return AttributeNames.name(of: descriptor, .descriptor)
  }

  /// `path` as it was typed, with the attribute's name behind it.
  func label(_ path: String) -> String { path + (name.map { " (\($0))" } ?? "") }

  /// The fields of an event about it; `path` is what was typed.
  func fields(_ path: String) -> EventFields {
    [
      ("path", .text(path)), ("service", .text(service)), ("characteristic", .text(characteristic)),
      ("descriptor", .maybe(descriptor)), ("handle", .maybe(handle)), ("name", .maybe(name)),
    ]
  }

  /// A value of it for people: hexadecimal digits, what they say as a text, and what they stand for.
  func words(_ value: [UInt8]) -> String {
    guard !value.isEmpty else { return "(empty)" }
    let meaning = descriptor == nil ? AttributeNames.meaning(of: value, characteristic: characteristic) : nil
    return Hexadecimal.encode(value) + (PrintableText.quoted(value).map { " \($0)" } ?? "")
      + (meaning.map { " (\($0))" } ?? "")
  }

  /// The fields of an event about a value of it.
  func fields(_ path: String, _ value: [UInt8]) -> EventFields {
    let contents: EventFields = [
      ("value", .text(Hexadecimal.encode(value))), ("text", .maybe(String(validating: value, as: UTF8.self))),
    ]
    return fields(path) + contents
  }
}
