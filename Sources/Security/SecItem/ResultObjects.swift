internal import Foundation
internal import LatchkeyKeychainModel

/// Collects the keys and values of a dictionary, in arrays from which it is created with the fewest copies.
struct DictionaryEntries {
  private var keys: [NSObject] = []
  private var values: [AnyObject] = []

  init(capacity: Int) {
    keys.reserveCapacity(capacity)
    values.reserveCapacity(capacity)
  }

  /// Adds an entry; each key may be added once.
  mutating func set(_ key: NSString, _ value: AnyObject) {
    keys.append(key)
    values.append(value)
  }

  /// The dictionary of these entries.
  var dictionary: NSDictionary {
    values.withUnsafeBufferPointer { values in
      keys.withUnsafeBufferPointer { keys in
        NSDictionary(objects: values.baseAddress, forKeys: keys.baseAddress, count: keys.count)
      }
    }
  }
}

extension AttributeValue {
  /// The value as an object, of the type with which the attribute was set.
  var object: AnyObject {
    switch self {
    case .text(let text): text as NSString
    case .bytes(let bytes): NSData(bytes: bytes, length: bytes.count)
    case .number(let number): NSNumber(value: number)
    case .date(let seconds): NSDate(timeIntervalSinceReferenceDate: seconds)
    }
  }
}

extension ItemAttribute {
  /// The name as a key of a dictionary; each object is created once.
  var object: NSString { Self.objects[self] ?? description as NSString }

  nonisolated(unsafe) private static let objects: [ItemAttribute: NSString] = Dictionary(
    ItemClass.stored.flatMap { AttributeSchema.attributes(of: $0) }.map { ($0, $0.description as NSString) },
    uniquingKeysWith: { first, _ in first })
}

extension Accessibility {
  /// The code as a text; each object is created once.
  var object: NSString { Self.objects[self] ?? rawValue as NSString }

  nonisolated(unsafe) private static let objects: [Accessibility: NSString] = Dictionary(
    uniqueKeysWithValues: allCases.map { ($0, $0.rawValue as NSString) })
}
