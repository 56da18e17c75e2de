internal import Foundation
internal import LatchkeyKeychainModel

/// Converts values of a caller's dictionary to attributes (Security-61901, SecDbItem.c).
extension QueryValue {
  /// Converts the value to an attribute of this kind.
  ///
  /// A blob keeps its type: text, bytes or number. A number accepts numbers, Booleans and text: the canonical decimal text of
  /// a number of 32 bits becomes that number, so that `kSecAttrKeyClassPrivate` ("1") and 1 are equal; any other text
  /// ("http") stays a text.
  func asAttribute(_ kind: AttributeSchema.Kind) throws(RequestFault) -> AttributeValue {
    switch (kind, self) {
    case (.blob, .text(let text)): return .text(text)
    case (.blob, .bytes(let data)): return .bytes([UInt8](data))
    case (.number, .flag(let flag)): return .number(flag ? 1 : 0)
    case (.number, .text(let text)): return Self.number(printedAs: text) ?? .text(text)
    case (.blob, .number), (.number, .number):
      guard let number = wholeNumber else { throw .invalidValue }
      return .number(number)
    case (.date, .date(let date)):
      let seconds = date.timeIntervalSinceReferenceDate
      guard seconds.isFinite else { throw .invalidValue }
      return .date(seconds)
    default: throw .invalidValue
    }
  }

  private static func number(printedAs text: String) -> AttributeValue? {
    guard text.utf8.count <= 11, let number = Int32(text), String(number) == text else { return nil }
    return .number(Int64(number))
  }

  /// Converts the value of `kSecAttrSynchronizable`: a Boolean or number, decimal text, or `kSecAttrSynchronizableAny`.
  func asSynchronizable() throws(RequestFault) -> ItemQuery.Synchronizable {
    if case .text(let text) = self, text == kSecAttrSynchronizableAny as String { return .any }
    guard case .number(let number) = try asAttribute(.number) else { throw .invalidValue }
    return number == 0 ? .no : .yes
  }

  /// Converts the value of `kSecAttrAccessible`.
  func asAccessibility() throws(RequestFault) -> Accessibility {
    guard let accessibility = Accessibility(rawValue: try asText()) else { throw .invalidValue }
    return accessibility
  }

  /// Converts the value of `kSecAttrAccessControl`.
  func asAccessControl() throws(RequestFault) -> AccessControl {
    guard case .object(let object) = self, let control = object as? SecAccessControl else { throw .invalidValue }
    return control.accessControl
  }
}
