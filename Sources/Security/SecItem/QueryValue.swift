internal import Foundation

/// A value from a caller's dictionary, told apart by type once. Anything may stand there: what no key takes is `.other`.
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

  /// The kind of `value`, as Foundation hands it out of a dictionary.
  ///
  /// Texts and truth values come first, as most are; a truth value is told from a number by its own type, since every
  /// 0 and 1 would pass for one.
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

  /// A whole number; nil for anything else, fractions and numbers beyond 64 bits among it.
  var wholeNumber: Int64? {
    guard case .number(let number) = self else { return nil }
    return Int64(exactly: number)
  }

  /// A truth value, or a number that can only mean one: 0 or 1.
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

  /// A text.
  func asText() throws(RequestFault) -> String {
    guard case .text(let text) = self else { throw .invalidValue }
    return text
  }
}
