import CoreBluetooth
import Foundation
import LatchkeyByteCoding

/// The requests of a cassette in words: `write 180D/2A39 (Heart Rate Control Point): 01`.
struct CassetteTexts {
  /// The characteristics, in the order of the definition.
  private let names: [String]

  init(_ device: DeviceDefinition) {
    var counts: [String: Int] = [:]
    names = device.services.flatMap { service in
      service.characteristics.map { characteristic in
        let digits = characteristic.uuid.uuidString
        let path = "\(service.uuid.uuidString)/\(digits)"
        counts[path, default: 0] += 1
        let number = counts[path].flatMap { $0 > 1 ? " #\($0)" : nil } ?? ""
        let name = characteristic.uuid.description
        return path + number + (name == digits ? "" : " (\(name))")
      }
    }
  }

  func text(of request: ServedRequest) -> String {
    switch request {
    case .read(let index): "read \(names[index])"
    case .write(let index, let value, let isWithoutAnswer):
      Self.write(names[index], Hexadecimal.encode([UInt8](value)), isWithoutAnswer)
    case .subscription(let index, let isOn): "\(isOn ? "subscribe" : "unsubscribe") \(names[index])"
    }
  }

  func text(of request: CassetteTape.Request) -> String {
    let name = names[request.characteristic]
    switch request.kind {
    case .read, .readRefusal: return "read \(name)"
    case .write(let value, _, let isWithoutAnswer):
      let text =
        switch value {
        case .bytes(let bytes): Hexadecimal.encode([UInt8](bytes))
        case .masked(let count): "any \(count) bytes"
        }
      return Self.write(name, text, isWithoutAnswer)
    case .subscription(let isOn): return "\(isOn ? "subscribe" : "unsubscribe") \(name)"
    }
  }

  private static func write(_ name: String, _ value: String, _ isWithoutAnswer: Bool) -> String {
    "write \(isWithoutAnswer ? "without response " : "")\(name): \(value.isEmpty ? "no bytes" : value)"
  }
}
