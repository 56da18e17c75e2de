import CoreBluetooth
import Foundation
import LatchkeyBluetoothTesting
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeySystem

/// Prints a definition or a cassette, for `ble show`.
struct ShownDevice {
  private let output: EventOptions

  init(_ output: EventOptions) { self.output = output }

  /// Prints a definition.
  func show(_ device: DeviceDefinition) {
    output.emit(
      "device \(PrintableText.quoted(device.name))", "device",
      [
        "kind": "definition", "name": .text(device.name), "mtu": .null, "pairing": .text(device.pairing.name),
      ])
    showServices(device)
  }

  /// Prints a cassette.
  func show(_ cassette: Cassette) {
    let device = cassette.device
    output.emit(
      "cassette of \(PrintableText.quoted(device.name)), ATT_MTU \(cassette.mtu)", "device",
      [
        "kind": "cassette", "name": .text(device.name), "mtu": .integer(cassette.mtu),
        "pairing": .text(device.pairing.name),
      ])
    showServices(device)
    for report in cassette.advertisements { show(report) }
    for step in cassette.steps { show(step, of: device) }
  }

  // MARK: Services

  private func showServices(_ device: DeviceDefinition) {
    for service in device.services {
      let uuid = service.uuid.uuidString
      output.emit(
        "service \(AttributeNames.label(uuid, .service))" + (service.isPrimary ? "" : "  secondary"), "service",
        [
          "service": .text(uuid), "name": AttributeNames.json(uuid, .service), "primary": .boolean(service.isPrimary),
        ])
      for characteristic in service.characteristics {
        show(ShownPlace(service, characteristic), characteristic.propertyNames, characteristic.value)
        for descriptor in characteristic.descriptors {
          show(ShownPlace(service, characteristic, descriptor), nil, descriptor.value)
        }
      }
    }
  }

  private func show(_ place: ShownPlace, _ properties: [String]?, _ value: Data) {
    let words = value.isEmpty ? "" : " = \(Self.words([UInt8](value)))"
    let names = properties.map { "  \($0.joined(separator: " "))" } ?? ""
    let fields: EventFields = [
      ("properties", .list((properties ?? []).map { .text($0) })), ("value", .text(Hexadecimal.encode(value))),
    ]
    output.emit("  \(place.label)\(names)\(words)", "characteristic", fields: place.fields + fields)
  }

  /// A value as digits, and as a text if it is one.
  private static func words(_ value: [UInt8]) -> String {
    value.isEmpty ? "(empty)" : Hexadecimal.encode(value) + (PrintableText.quoted(value).map { " \($0)" } ?? "")
  }

  // MARK: Events

  private func show(_ report: Cassette.AdvertisingReport) {
    let kind = report.isScanResponse ? "scan response" : "advertisement"
    let marks = (report.rssi.map { ", \($0) dBm" } ?? "") + (report.isConnectable ? "" : ", not connectable")
    output.emit(
      "\(Self.time(report.time))  \(kind)\(marks): \(Self.words([UInt8](report.data)))", "advertisement",
      [
        "time": .text(Self.seconds(report.time)), "rssi": report.rssi.map { .integer(Int($0)) } ?? .null,
        "data": .text(Hexadecimal.encode(report.data)), "scanResponse": .boolean(report.isScanResponse),
        "connectable": .boolean(report.isConnectable),
      ])
  }

  private func show(_ step: Cassette.Step, of device: DeviceDefinition) {
    let service = device.services[step.attribute.service]
    let characteristic = service.characteristics[step.attribute.characteristic]
    let place = ShownPlace(service, characteristic, step.attribute.descriptor.map { characteristic.descriptors[$0] })
    let (kind, value, subscription, answer) = Self.parts(of: step.event)
    var words = kind.words
    if let subscription { words += " \(subscription.rawValue)" }
    switch value {
    case .bytes(let bytes)?: words += " \(Self.words([UInt8](bytes)))"
    case .masked(let count)?: words += " \(count) masked bytes"
    case nil: break
    }
    if let answer, answer != .success { words += ": \(answer.text)" }
    let valueField: JSONLine.Value
    let maskedField: JSONLine.Value
    switch value {
    case .bytes(let bytes)?: (valueField, maskedField) = (.text(Hexadecimal.encode(bytes)), .null)
    case .masked(let count)?: (valueField, maskedField) = (.null, .integer(count))
    case nil: (valueField, maskedField) = (.null, .null)
    }
    let fields: EventFields = [
      ("kind", .text(kind.rawValue)), ("value", valueField), ("masked", maskedField),
      ("subscription", .maybe(subscription?.rawValue)), ("answer", .maybe(answer?.text)),
    ]
    let time: EventFields = [("time", .text(Self.seconds(step.time)))]
    output.emit(
      "\(Self.time(step.time))  \(place.label)  \(words)", "step", fields: time + place.fields + fields)
  }

  /// The kinds of steps, by their keys in a cassette.
  private enum Kind: String {
    case read, readRefused, write, writeWithoutResponse, subscribe, notification, indication

    var words: String {
      switch self {
      case .readRefused: "read refused"
      case .writeWithoutResponse: "write without response"
      default: rawValue
      }
    }
  }

  private static func parts(
    of event: Cassette.Event
  ) -> (kind: Kind, value: Cassette.Value?, subscription: Cassette.Subscription?, answer: CBATTError.Code?) {
    switch event {
    case .read(let value): (.read, value, nil, nil)
    case .readRefused(let code): (.readRefused, nil, nil, code)
    case .write(let value, let answer): (.write, value, nil, answer)
    case .writeWithoutResponse(let value): (.writeWithoutResponse, value, nil, nil)
    case .subscription(let subscription, let answer): (.subscribe, nil, subscription, answer)
    case .notification(let value): (.notification, value, nil, nil)
    case .indication(let value): (.indication, value, nil, nil)
    }
  }

  /// Seconds with six decimals.
  static func seconds(_ time: Duration) -> String {
    let microseconds = time.components.seconds * 1_000_000 + time.components.attoseconds / 1_000_000_000_000
    let fraction = String(microseconds % 1_000_000)
    return "\(microseconds / 1_000_000).\(String(repeating: "0", count: max(0, 6 - fraction.count)))\(fraction)"
  }

  static func time(_ time: Duration) -> String { seconds(time) + " s" }
}

/// A place in a definition.
private struct ShownPlace {
  private let service: String
  private let characteristic: String
  private let descriptor: String?

  init(
    _ service: DeviceDefinition.Service, _ characteristic: DeviceDefinition.Characteristic,
    _ descriptor: DeviceDefinition.Descriptor? = nil
  ) {
    self.service = service.uuid.uuidString
    self.characteristic = characteristic.uuid.uuidString
    self.descriptor = descriptor?.uuid.uuidString
  }

  private var path: String { "\(service)/\(characteristic)" + (descriptor.map { ":\($0)" } ?? "") }

  private var name: String? {
    descriptor.map { AttributeNames.name(of: $0, .descriptor) }
      ?? AttributeNames.name(of: characteristic, .characteristic)
  }

  /// The path, and the name that the Bluetooth SIG assigned.
  var label: String { path + (name.map { " (\($0))" } ?? "") }

  var fields: EventFields {
    [
      ("path", .text(path)), ("service", .text(service)), ("characteristic", .text(characteristic)),
      ("descriptor", .maybe(descriptor)), ("name", .maybe(name)),
    ]
  }
}
