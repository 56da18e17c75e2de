internal import Foundation

/// `kSecMatchLimit`: how many items a search returns, and whether as an array.
enum MatchLimit: Hashable {
  /// One item, itself the result: `kSecMatchLimitOne`, the number 1, or nothing said.
  case one
  /// At most so many, two or more, in an array.
  case many(Int)
  /// All, in an array: `kSecMatchLimitAll`.
  case all

  /// The limit that `value` says: a number from 1 on, or one of the two constants.
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

  /// How many items at most; nil is all.
  var count: Int? {
    switch self {
    case .one: 1
    case .many(let count): count
    case .all: nil
    }
  }
}
