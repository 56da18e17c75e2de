import LatchkeyCommandLine
import LatchkeyEnrollmentProtocol

/// The form of a transfer: what the command line leaves out is asked for at the terminal, field by field.
struct TransferForm: Sendable {
  /// An account to choose from.
  struct Account: Sendable {
    var number: String
    var name: String
    /// What is in it, and its currency where that is known.
    var balance: String
  }

  var from: String?
  var to: String?
  var amount: Amount?
  /// Nil for today, whatever the day is when the transfer is booked.
  var date: TransferDate?
  var notes: String?

  /// The most characters of a remark.
  private static let notesLimit = 140

  /// Shows the accounts, and asks for each field that is missing.
  ///
  /// - Parameters:
  ///   - accounts: the user's own; the money comes from one of them.
  ///   - isNumber: whether a text may be the number of an account that is not the user's.
  mutating func complete(from accounts: [Account], isNumber: (String) -> Bool) throws(CommandFailure) {
    guard !accounts.isEmpty else {
      throw CommandFailure(.unavailable, "this user has no account that could give: ask who runs the service for one")
    }
    if from == nil || to == nil {
      for (position, account) in accounts.enumerated() {
        TerminalQuestion.show("\(position + 1)  \(account.number)  \(account.balance)  \(account.name)")
      }
    }
    if from == nil {
      from = try TerminalQuestion.answer("From (position, number or name): ", option: "--from") {
        (text) throws(TerminalQuestion.Unfit) in try Self.choice(text, of: accounts, isNumber: { _ in false })
      }
    }
    if to == nil {
      let giving = from
      to = try TerminalQuestion.answer("To (position, number or name): ", option: "--to") {
        (text) throws(TerminalQuestion.Unfit) in
        let number = try Self.choice(text, of: accounts, isNumber: isNumber)
        guard number != giving else { throw .init("this account gives: name another one") }
        return number
      }
    }
    if amount == nil {
      amount = try TerminalQuestion.answer("Amount: ", option: "--amount") {
        (text) throws(TerminalQuestion.Unfit) in
        guard let amount = Amount(text), amount.minorUnits > 0 else {
          throw .init("an amount is above zero and has two decimals: 23.23, 5.00")
        }
        return amount
      }
    }
    if date == nil {
      date = try TerminalQuestion.answer("Date (empty for today): ", option: "--date") {
        (text) throws(TerminalQuestion.Unfit) in
        guard !text.isEmpty else { return nil }
        guard let date = TransferDate(text) else { throw .init("a date is \(TransferDate.form)") }
        return date
      }
    }
    if notes == nil {
      notes = try TerminalQuestion.answer("Notes (may be empty): ", option: "--notes") {
        (text) throws(TerminalQuestion.Unfit) in
        guard text.unicodeScalars.count <= Self.notesLimit,
          text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { throw .init("notes have at most \(Self.notesLimit) characters, none of them a control") }
        return text
      }
    }
  }

  /// The number of the account that a text names.
  private static func choice(
    _ text: String, of accounts: [Account], isNumber: (String) -> Bool
  ) throws(TerminalQuestion.Unfit) -> String {
    if accounts.contains(where: { $0.number == text }) { return text }
    if let position = Int(text), accounts.indices.contains(position - 1) { return accounts[position - 1].number }
    let named = accounts.filter { $0.name.lowercased() == text.lowercased() }
    if let account = named.first {
      guard named.count == 1 else { throw .init("several accounts have this name: type the position or the number") }
      return account.number
    }
    guard isNumber(text) else {
      throw .init("there is no such account: type a position of the list, an account's number or its name")
    }
    return text
  }
}
