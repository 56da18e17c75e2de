// The document's app in a terminal: logs in, lists the accounts, and transfers what its form is filled with.
//
//   sealed-transfer https://HOST:PORT CA.pem USER
//
// CA.pem is the certificate of the authority that vouches for the server: `latchkey serve` names the file.

import Enrollment
import Foundation
import KeychainModel
import KeychainStore
import NIOSSL

/// Writes a line at once, to a pipe, too.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

func fail(_ text: String, _ status: Int32) -> Never {
  FileHandle.standardError.write(Data("sealed-transfer: \(text)\n".utf8))
  exit(status)
}

/// A line of standard input; the program ends with it.
func ask(_ what: String) -> String {
  say(what)
  guard let line = readLine() else { exit(0) }
  return line.trimmingCharacters(in: .whitespaces)
}

/// The same, not shown where standard input is a terminal.
func askInSecret(_ what: String) -> String {
  guard isatty(STDIN_FILENO) == 1 else { return ask(what) }
  let question = PresenceQuestion(.service(what, isSecret: true), reason: "")
  guard let answer = try? TerminalPrompter().answer(question, cancellation: Cancellation()) else { exit(130) }
  return String(decoding: answer, as: UTF8.self)
}

let arguments = CommandLine.arguments
guard arguments.count == 4 else { fail("usage: sealed-transfer https://HOST:PORT CA.pem USER", 64) }
guard let url = URL(string: arguments[1]), url.scheme == "https", let host = url.host, ["", "/"].contains(url.path)
else {
  fail("the server is https://HOST or https://HOST:PORT, without a path", 64)
}
guard let root = try? NIOSSLCertificate.fromPEMFile(arguments[2]).first?.toDERBytes() else {
  fail("\(arguments[2]) has no certificate in PEM", 66)
}

let app = App(host: host, port: url.port ?? 443, root: root)
app.sharedApplication.onAlert { alert in say("\(alert.title)\n\(alert.message)") }
app.sharedApplication.onActivity { isVisible in if isVisible { say("…") } }
let heard = Heard(app.center) { say($0) }

func listAccounts() {
  for account in app.model.accounts { say("\(account.number)  \(account.balance)  \(account.name)") }
}

// MARK: The login

do {
  // A device that is registered has its identity in the keychain.
  let isRegistered = try app.sharedCredentialStorage.defaultCredential(for: app.certSpace) != nil
  let password = askInSecret("password:")
  let passphrase = isRegistered ? "" : askInSecret("PIN:")
  let login = NormalLoginOperation(app, registerDevice: !isRegistered, passphrase: passphrase)
  try login.start(user: arguments[3], password: password)
} catch {
  fail("\(error)", 1)
}
await app.untilIdle()
guard app.model.token != nil else { fail("the login failed", 77) }
guard heard.all.contains(kAccountOperationSuccessful.rawValue) else { fail("there are no accounts to show", 65) }
listAccounts()

// MARK: The form

/// A day such as 2012-02-27; nil for none. What is parsed must be what was typed: February 30 would be March 1 or 2.
func day(_ text: String) -> Date? {
  let form = Date.ISO8601FormatStyle().year().month().day()
  guard let date = try? Date(text, strategy: form), date.formatted(form) == text else { return nil }
  return date
}

while true {
  let operation = FundsTransferOperation(app)
  operation._fromAccount = ask("from (the number of an account):")
  operation._toAccount = ask("to:")
  guard let amount = Double(ask("amount:")), amount > 0, amount.isFinite else {
    say("the amount is a number above 0: 23.23")
    continue
  }
  operation._amount = amount
  let date = ask("date (year-month-day; today if left out):")
  operation._transferDate = day(date)
  guard date.isEmpty || operation._transferDate != nil else {
    say("the date is a day of the calendar, year, month and day: 2012-02-27")
    continue
  }
  operation._transferNotes = ask("notes:")
  operation.start()
  await app.untilIdle()
  guard heard.all.last == kFundsTransferSuccessNotification.rawValue else { continue }
  app.model.removeAccounts()
  app.fetchAccounts()
  await app.untilIdle()
  listAccounts()
}
