internal import LatchkeyEnrollmentProtocol
internal import LatchkeySealedMessages

/// Validates a transfer's body before any account is looked up.
enum TransferRules {
  /// - Throws: `.invalidTransfer` with the remedy.
  static func check(_ transfer: Transfer) throws(Problem) {
    for account in [transfer.from, transfer.to] {
      guard account.utf8.count == 12, account.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
        throw Problem(.invalidTransfer, detail: "account numbers have 12 digits")
      }
    }
    guard transfer.from != transfer.to else {
      throw Problem(.invalidTransfer, detail: "name two different accounts")
    }
    guard transfer.amount.minorUnits > 0 else {
      throw Problem(.invalidTransfer, detail: "transfer an amount above zero")
    }
    guard transfer.currency.utf8.count == 3, transfer.currency.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
      throw Problem(.invalidTransfer, detail: "name the currency by its three letters, such as EUR")
    }
    guard transfer.notes.unicodeScalars.count <= 140,
      transfer.notes.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
    else { throw Problem(.invalidTransfer, detail: "notes have at most 140 characters, none of them a control") }
    guard transfer.date.map(Transfer.dates.contains) ?? true else {
      throw Problem(.invalidTransfer, detail: "the transfer date is seconds since 1970, in a year up to 9999")
    }
  }

  /// Validates a transfer's date: the earliest is the current UTC day, or the one that has just ended while clocks may still
  /// differ about it. The current day is accepted to its last second, even if the policy permits less time ahead. Applies only
  /// to new transfers: those decided before get their stored response.
  ///
  /// - Throws: `.invalidTransfer` with the remedy.
  static func checkDate(
    _ date: Int64?, now: Int64, clockSkew: Int64, ahead: Int64
  ) throws(Problem) {
    guard let date else { return }
    let (earliest, latest) = (now - clockSkew, now + clockSkew)
    guard date >= earliest - earliest % 86_400 else {
      throw Problem(
        .invalidTransfer, detail: "the transfer date has passed: give today's, in UTC, a later one, or none")
    }
    guard date / 86_400 <= latest / 86_400 || date - latest <= ahead else {
      let advice =
        ahead == 0
        ? "give today's, in UTC" : "give one that is at most \(words(ahead)) from now"
      throw Problem(.invalidTransfer, detail: "the transfer date is too far ahead: \(advice), or none")
    }
  }

  /// A positive time in the largest unit that expresses it exactly.
  private static func words(_ seconds: Int64) -> String {
    let units: [(String, Int64)] = [("day", 86_400), ("hour", 3600), ("minute", 60)]
    let (name, size) = units.first { seconds % $0.1 == 0 } ?? ("second", 1)
    return "\(seconds / size) \(name)\(seconds == size ? "" : "s")"
  }
}
