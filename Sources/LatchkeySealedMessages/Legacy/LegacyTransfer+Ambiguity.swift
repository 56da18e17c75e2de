extension LegacyTransfer {
  /// Whether no other transfer of this form has the same MAC text: account numbers of a fixed number of digits, an amount of
  /// digits with two decimals, a date as `NSDate` describes it.
  ///
  /// The MAC's text joins the four fields without separators: to `12`, from `3` and to `1`, from `23` are equal. With accounts
  /// of a fixed length the first two ends are known, the amount ends two digits after its only point, and the rest is the date.
  /// Without U+0000 the MAC covers all of it. The rule is invisible to an old client.
  public func isUnambiguous(accountDigits: Int) -> Bool {
    [toAccount, fromAccount].allSatisfy { $0.utf8.count == accountDigits && $0.utf8.allSatisfy(\.isDigit) }
      && Self.isAmount(amount) && LegacyDate.seconds(transferDate) != nil
      && !transferNotes.utf8.contains(0)
  }

  /// Digits, a point, two digits; at most 15 before the point.
  private static func isAmount(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard (4...18).contains(bytes.count), bytes[bytes.count - 3] == UInt8(ascii: ".") else { return false }
    return bytes.enumerated().allSatisfy { $0.offset == bytes.count - 3 || $0.element.isDigit }
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
