internal import Foundation

/// A value from a caller's dictionary, classified by type once. A value that no key accepts is `.other`.
enum QueryValue {
  case text(String)
  case bytes(Data)
  case flag(Bool)
  case number(NSNumber)
  case date(Date)
  case null
  case list([Any])
  case object(AnyObject)
  case other

  /// Classifies `value`, as Foundation returns it from a dictionary.
  ///
  /// Texts and Booleans come first, because they are the most common. A Boolean is recognized by its own type, because a cast
  /// would accept every 0 and 1, too.
  init(_ value: Any) {
    if let text = value as? String {
      self = .text(text)
    } else if type(of: value) == Bool.self, let flag = value as? Bool {
      self = .flag(flag)
    } else if let data = value as? Data {
      self = .bytes(data)
    } else if let number = value as? NSNumber {
      self = .number(number)
    } else if let date = value as? Date {
      self = .date(date)
    } else if value is NSNull {
      self = .null
    } else if let list = value as? [Any] {
      self = .list(list)
    } else if type(of: value) is AnyClass {
      self = .object(value as AnyObject)
    } else {
      self = .other
    }
  }

  /// The value as an integer; nil for anything else, including fractions and numbers beyond 64 bits.
  var wholeNumber: Int64? {
    guard case .number(let number) = self else { return nil }
    return Int64(exactly: number)
  }

  /// Converts a Boolean, or the number 0 or 1.
  func asFlag() throws(RequestFault) -> Bool {
    switch self {
    case .flag(let flag): return flag
    case .number:
      switch wholeNumber {
      case 0: return false
      case 1: return true
      default: throw .invalidValue
      }
    default: throw .invalidValue
    }
  }

  /// Converts a text.
  func asText() throws(RequestFault) -> String {
    guard case .text(let text) = self else { throw .invalidValue }
    return text
  }
}
