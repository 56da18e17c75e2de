/// The reason why a text is not valid JSON, or exceeds a limit, and the place.
///
/// The error never contains a part of the text: that may be secret.
package struct StrictJSONError: Error, Sendable, Hashable {
  /// What is wrong.
  package enum Reason: Sendable, Hashable, CaseIterable {
    /// The text has more bytes than the limit.
    case tooLarge
    /// The text ends early, or a byte does not belong to the grammar.
    case syntax
    /// Something other than white space follows the value.
    case trailingText
    /// Arrays and objects are nested more deeply than the limit.
    case tooDeep
    /// An object has more members than the limit.
    case tooManyMembers
    /// An object has a name twice.
    case duplicateName
    /// A number has more characters than the limit.
    case numberTooLong
    /// A string has a character below U+0020 that is not escaped.
    case controlCharacter
    /// A string is not UTF-8.
    case invalidUTF8
    /// A lead surrogate is escaped, and an escape that is no trail surrogate follows.
    case unpairedLeadSurrogate
    /// A trail surrogate is escaped alone, or U+0000 where ``StrictJSON/Limits/allowsNullCharacter`` is false.
    case invalidCharacter
  }

  /// What is wrong.
  package let reason: Reason
  /// The place, in bytes from the start: of the first byte that is refused, or of the string, name or number with it;
  /// the length of the text, where it ends early.
  package let offset: Int

  /// An error at a place.
  package init(reason: Reason, offset: Int) {
    self.reason = reason
    self.offset = offset
  }
}

extension StrictJSONError: CustomStringConvertible {
  /// The reason in a sentence, and the offset.
  package var description: String {
    let sentence =
      switch reason {
      case .tooLarge: "the text is too large"
      case .syntax: "the text is not JSON"
      case .trailingText: "the text continues after its JSON"
      case .tooDeep: "the text is nested too deeply"
      case .tooManyMembers: "an object has too many members"
      case .duplicateName: "an object has a name twice"
      case .numberTooLong: "a number has too many characters"
      case .controlCharacter: "a string has a control character"
      case .invalidUTF8: "a string is not UTF-8"
      case .unpairedLeadSurrogate: "a string has half of a surrogate pair"
      case .invalidCharacter: "a string has U+0000 or half of a surrogate pair"
      }
    return "\(sentence) (offset \(offset))"
  }
}
