internal import EnrollmentProtocol

/// What makes a body a transfer at all, before any account is looked up.
enum TransferRules {
  /// - Throws: `.invalidTransfer` with what to change.
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
  }
}
