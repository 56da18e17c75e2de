internal import Foundation

/// `kSecMatchLimit`: the maximum number of items that a search returns, and whether as an array.
enum MatchLimit: Hashable {
  /// One item, which itself is the result: `kSecMatchLimitOne`, the number 1, or the default.
  case one
  /// At most this number of items, two or more, in an array.
  case many(Int)
  /// All items, in an array: `kSecMatchLimitAll`.
  case all

  /// Converts `value`: a number of at least 1, or one of the two constants.
  init(_ value: QueryValue) throws(RequestFault) {
    switch value {
    case .text(let text) where text == kSecMatchLimitOne as String: self = .one
    case .text(let text) where text == kSecMatchLimitAll as String: self = .all
    case .number:
      guard let number = value.wholeNumber, number > 0 else { throw .invalidValue }
      self = number == 1 ? .one : .many(Int(number))
    default: throw .invalidValue
    }
  }

  /// The maximum number of items; nil means all.
  var count: Int? {
    switch self {
    case .one: 1
    case .many(let count): count
    case .all: nil
    }
  }
}
