import CoreBluetooth
import LatchkeyAssignedNumbers
import LatchkeyCommandLine

/// The names of UUIDs, for people and for JSON. Only UUIDs of four digits have one.
enum AttributeNames {
  /// A name, by a UUID's text.
  static func name(of uuid: String, _ kind: AttributePath.Kind) -> String? {
    guard uuid.utf8.count == 4, let number = UInt16(uuid, radix: 16) else { return nil }
    return switch kind {
    case .service: AssignedNumbers.name(ofService: number)
    case .characteristic: AssignedNumbers.name(ofCharacteristic: number)
    case .descriptor: AssignedNumbers.name(ofDescriptor: number)
    }
  }

  /// The UUID, and its name in parentheses if it has one.
  static func label(_ uuid: String, _ kind: AttributePath.Kind) -> String {
    uuid + (name(of: uuid, kind).map { " (\($0))" } ?? "")
  }

  /// The name as a value of JSON.
  static func json(_ uuid: String, _ kind: AttributePath.Kind) -> JSONLine.Value {
    .maybe(name(of: uuid, kind))
  }

  /// Four hexadecimal digits.
  static func digits(of number: UInt16) -> String {
    let digits = String(number, radix: 16, uppercase: true)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }

  /// The company that manufacturer's data belong to: the first two bytes, little-endian (Core Specification Supplement Part A 1.4).
  static func company(of manufacturerData: [UInt8]) -> (number: UInt16, name: String?)? {
    guard manufacturerData.count >= 2 else { return nil }
    let number = UInt16(manufacturerData[0]) | UInt16(manufacturerData[1]) << 8
    return (number, AssignedNumbers.name(ofCompany: number))
  }

  /// What a value of an assigned characteristic says, where it is a name itself: an appearance (Core 6.0 Vol 3 Part C 12.2).
  static func meaning(of value: [UInt8], characteristic: String) -> String? {
    guard characteristic == "2A01", value.count == 2 else { return nil }
    return AssignedNumbers.name(ofAppearance: UInt16(value[0]) | UInt16(value[1]) << 8)
  }
}
