// The document's app in a terminal: logs in, lists the accounts, and transfers what its form is filled with.
//
//   sealed-transfer https://HOST:PORT CA.pem USER
//
// CA.pem is the certificate of the authority that vouches for the server: `latchkey serve` names the file.

import ExampleTerminal
import Foundation
import LatchkeyEnrollment
import LatchkeyKeychainModel
import LatchkeyKeychainStore
import NIOSSL

/// A line of standard input; the end of the input ends the program.
func ask(_ what: String, atEnd: () -> Never) -> String {
  say(what)
  guard let line = readLine() else { atEnd() }
  return line.trimmingCharacters(in: .whitespaces)
}

/// The same, not shown where standard input is a terminal.
func askInSecret(_ what: String) -> String {
  let text: String
  if isatty(STDIN_FILENO) == 1 {
    let question = PresenceQuestion(.service(what, isSecret: true), reason: "")
    do {
      let answer = try TerminalPrompter().answer(question, cancellation: Cancellation())
      text = String(decoding: answer, as: UTF8.self)
    } catch .userCancel {
      fail("canceled", 130)
    } catch {
      fail("\(error)", 65)
    }
  } else {
    text = ask(what) { fail("the input has ended before the \(what.dropLast())", 65) }
  }
  guard isText(text) else { fail("the \(what.dropLast()) is not UTF-8", 65) }
  return text
}

/// Whether every byte of it was UTF-8: what is not has become this character.
func isText(_ line: String) -> Bool { !line.unicodeScalars.contains("\u{FFFD}") }

let arguments = CommandLine.arguments
expectArguments(arguments.count == 4, usage: "sealed-transfer https://HOST:PORT CA.pem USER")
guard let url = URL(string: arguments[1]), url.scheme == "https", let host = url.host, ["", "/"].contains(url.path)
else {
  fail("the server is https://HOST or https://HOST:PORT, without a path", 64)
}
guard FileManager.default.isReadableFile(atPath: arguments[2]) else {
  fail(
    "\(arguments[2]) cannot be read: it is the ca.pem in the folder that `latchkey serve --documented --state` names",
    66)
}
guard let root = try? NIOSSLCertificate.fromPEMFile(arguments[2]).first?.toDERBytes() else {
  fail("\(arguments[2]) has no certificate in PEM: name the ca.pem of `latchkey serve --documented`", 66)
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
  // A status has no file's name; the keychain itself knows which one it could not read.
  do { _ = try KeychainLock.state } catch { fail("\(error)", 1) }
  fail((error as? EnrollmentError)?.userMessage ?? "\(error)", 1)
}
await app.untilIdle()
/// Why the last request failed, and what helps.
@MainActor func lastReason() -> String? {
  app.lastFailure?.explanation(of: app.resourceBaseURL, root: arguments[2])
}

guard app.model.token != nil else {
  let isRefused = if case .refused(401, _)? = app.lastFailure { true } else { false }
  fail("the login failed: " + (lastReason() ?? "the answer has no token"), isRefused ? 77 : 69)
}
guard heard.all.contains(kAccountOperationSuccessful.rawValue) else {
  fail("there are no accounts to show" + (lastReason().map { ": " + $0 } ?? ""), 65)
}
listAccounts()

// MARK: The form

/// A day such as 2012-02-27; nil for none. What is parsed must be what was typed: February 30 would be March 1 or 2.
func day(_ text: String) -> Date? {
  let form = Date.ISO8601FormatStyle().year().month().day()
  guard text.utf8.count == 10, let date = try? Date(text, strategy: form), date.formatted(form) == text else {
    return nil
  }
  return date
}

/// How many transfers were not booked.
var failures = 0
/// How many may have been.
var openEnds = 0

/// How the program ends once there is nothing more to transfer, for a script: 75 where it has to be seen what became of one.
@MainActor func endStatus() -> Int32 { openEnds > 0 ? 75 : failures > 0 ? 65 : 0 }

/// Says why a transfer is not made, and counts it.
@MainActor func refuse(_ reason: String) {
  say(reason)
  failures += 1
}

/// A field of a transfer that was begun.
@MainActor func field(_ what: String) -> String {
  ask(what) { fail("the input has ended before \"\(what)\": this transfer was not sent", openEnds > 0 ? 75 : 65) }
}

while true {
  let operation = FundsTransferOperation(app)
  // Between two transfers the end is the end; a script learns of those that were not booked.
  let from = ask("from (the number of an account):") { exit(isatty(STDIN_FILENO) == 1 ? 0 : endStatus()) }
  operation._fromAccount = from
  guard app.model.accounts.contains(where: { $0.number == from }) else {
    refuse("from: there is no such account in the list above; the number alone is wanted")
    continue
  }
  let to = field("to:")
  operation._toAccount = to
  guard to != from, !to.isEmpty, to.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
    refuse("to: the number of another account than the one that gives: digits alone")
    continue
  }
  let digits = field("amount:")
  guard digits.wholeMatch(of: /[0-9]{1,15}(\.[0-9]{1,2})?/) != nil, let amount = Double(digits), amount > 0 else {
    refuse("amount: a number above 0 with two decimals at most: 23.23")
    continue
  }
  operation._amount = amount
  let date = field("date (2012-02-27; today if left out):")
  operation._transferDate = day(date)
  guard date.isEmpty || operation._transferDate != nil else {
    refuse("the date is a day of the calendar, year, month and day: 2012-02-27")
    continue
  }
  let notes = field("notes:")
  operation._transferNotes = notes
  guard isText(notes), notes.unicodeScalars.count <= 1024 else {
    refuse("notes: at most 1024 characters, in UTF-8")
    continue
  }
  app.lastFailure = nil
  operation.start()
  await app.untilIdle()
  guard heard.all.last == kFundsTransferSuccessNotification.rawValue else {
    let reason = app.lastFailure?.explanation(of: operation) ?? lastReason()
    if app.lastFailure?.leavesOpen == true {
      say(
        "the transfer may have been booked: \(reason ?? "no answer came"). Look at the accounts before you send it again"
      )
      openEnds += 1
      continue
    }
    refuse("the transfer was not booked: " + (reason ?? "the message could not be made"))
    continue
  }
  app.model.removeAccounts()
  app.fetchAccounts()
  await app.untilIdle()
  listAccounts()
}
