/// The requested results of a call: the `kSecReturn…` keys that are true.
struct ReturnTypes: OptionSet, Hashable, Sendable {
  let rawValue: UInt8

  static let data = ReturnTypes(rawValue: 1 << 0)
  static let attributes = ReturnTypes(rawValue: 1 << 1)
  static let reference = ReturnTypes(rawValue: 1 << 2)
  static let persistentReference = ReturnTypes(rawValue: 1 << 3)

  /// Whether the result for an item is a dictionary: for attributes, or for several results.
  var areDictionary: Bool { contains(.attributes) || rawValue.nonzeroBitCount > 1 }
}
