import Foundation

/// Key-value coding of Core Bluetooth's objects.
enum KeyValueCoding {
  /// The value of a key that a class does not have. On Apple's systems this raises an exception.
  static func undefined(_ key: String, of object: NSObject) -> Any? {
    Diagnostics.misuse("\(object) is not key value coding-compliant for the key \(key)")
    return nil
  }
}
