import LatchkeyKeychainModel

/// One attribute that a query asks for.
struct Condition: Sendable {
  let attribute: ItemAttribute
  let wanted: AttributeValue
  /// The tag that a matching row has; nil for what has none: dates, empty values, texts in any case.
  let tag: [UInt8]?
  let ignoresCase: Bool

  /// Whether an item whose attribute is `value` matches.
  func holds(_ value: AttributeValue?) -> Bool {
    if wanted.isEmptyOrZero { return value?.isEmptyOrZero ?? true }
    guard let value else { return false }
    if ignoresCase, case .text(let a) = wanted, case .text(let b) = value {
      return CaseFolding.fold(a) == CaseFolding.fold(b)
    }
    return wanted.matches(value)
  }

  /// The decision by a row's tags, without opening it; nil if they do not decide.
  func holds(_ tags: TagList) -> Bool? {
    if let tag { return tags[attribute.code] == tag }
    switch wanted {
    case .date: return nil
    case .text, .bytes, .number:
      if wanted.isEmptyOrZero { return tags[attribute.code] == nil }
      // A text in any case: no tag, no text.
      return tags[attribute.code] == nil ? false : nil
    }
  }
}

/// Texts made equal that differ in case alone: full folding, as the upper case's lower case, scalar by scalar.
enum CaseFolding {
  static func fold(_ text: String) -> [UInt8] {
    var folded: [UInt8] = []
    folded.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      if scalar.isASCII {
        let byte = UInt8(truncatingIfNeeded: scalar.value)
        folded.append(byte >= 0x41 && byte <= 0x5A ? byte + 0x20 : byte)
        continue
      }
      for upper in scalar.properties.uppercaseMapping.unicodeScalars {
        folded.append(contentsOf: upper.properties.lowercaseMapping.utf8)
      }
    }
    return folded
  }
}
