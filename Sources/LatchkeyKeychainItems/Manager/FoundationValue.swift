import Foundation
import LatchkeyPropertyLists
import Security

/// Converts Foundation's values to property lists, and back.
///
/// The reverse conversion returns `String`, `Data`, `Int`, `UInt64` (only above `Int.max`), `Double`, `Bool`, `Date`, `[Any]`
/// and `[String: Any]`.
enum FoundationValue {
  /// The maximum nesting: a property list cannot hold deeper values.
  private static let depth = PropertyListLimits.standard.depth

  static func list(_ value: Any, depth: Int = depth) throws(KeychainItemError) -> PropertyList {
    if let scalar = scalar(value) { return scalar }
    if let values = value as? [Any] {
      guard depth > 0 else { throw .notAPropertyList }
      var list: [PropertyList] = []
      for value in values { list.append(try Self.list(value, depth: depth - 1)) }
      return .array(list)
    }
    guard let entries = value as? [String: Any] else {
      // The last case, since this cast converts a container with all its contents.
      guard let number = value as? NSNumber else { throw .notAPropertyList }
      return self.number(number)
    }
    guard depth > 0 else { throw .notAPropertyList }
    var list: [String: PropertyList] = [:]
    for (key, value) in entries { list[key] = try Self.list(value, depth: depth - 1) }
    return .dictionary(list)
  }

  static func value(_ list: PropertyList) throws(KeychainItemError) -> Any {
    switch list {
    case .string(let text): return text
    case .data(let bytes): return Data(bytes)
    case .integer(let number): return Int(number)
    case .unsigned(let number): return number
    case .real(let number): return number
    case .boolean(let truth): return truth
    case .date(let seconds): return Date(timeIntervalSinceReferenceDate: seconds)
    case .array(let list):
      var values: [Any] = []
      for member in list { values.append(try value(member)) }
      return values
    case .dictionary(let list):
      var entries: [String: Any] = [:]
      for (key, member) in list { entries[key] = try value(member) }
      return entries
    case .uid: throw .unreadable(reason: "it refers to objects of an archive that is not there")
    }
  }

  private static func scalar(_ value: Any) -> PropertyList? {
    switch value {
    // Numbers come first, by their exact type: casts convert numbers to Booleans, and Booleans to numbers.
    case let truth as Bool where type(of: value) == Bool.self: return .boolean(truth)
    case let number as any BinaryInteger:
      return Int64(exactly: number).map { .integer($0) } ?? UInt64(exactly: number).map { .unsigned($0) }
    case let number as any BinaryFloatingPoint: return .real(Double(number))
    case let text as String: return .string(text)
    case let data as Data: return .data(Array(data))
    case let date as Date: return .date(date.timeIntervalSinceReferenceDate)
    default: return nil
    }
  }

  private static func number(_ number: NSNumber) -> PropertyList {
    if CFGetTypeID(number) == CFBooleanGetTypeID() { return .boolean(number.boolValue) }
    switch Unicode.Scalar(UInt8(bitPattern: number.objCType.pointee)) {
    case "d", "f": return .real(number.doubleValue)
    case "Q": return Int64(exactly: number.uint64Value).map { .integer($0) } ?? .unsigned(number.uint64Value)
    default: return .integer(number.int64Value)
    }
  }
}
