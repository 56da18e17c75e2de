// The document's app in a terminal: asks for a network's name and password, and brings them to the device.
//
//   provisioning-app NAME     NAME is the device's, as it advertises itself

import EncryptedProvisioning
import ExampleTerminal
import Foundation
import KeychainModel
import KeychainStore
import Provisioning

/// A line of standard input, which has to have one.
func ask(_ what: String) -> String {
  say("\(what):")
  guard let line = readLine() else { fail("the input has ended before the \(what): nothing was sent", 65) }
  // What readLine makes of bytes that are not UTF-8.
  guard !line.unicodeScalars.contains("\u{FFFD}") else { fail("the \(what) is not UTF-8: nothing was sent", 65) }
  return line
}

/// The same, not shown while it is typed, where standard input is a terminal; ^C ends the program.
func askInSecret(_ what: String) -> String {
  guard isatty(STDIN_FILENO) == 1 else { return ask(what) }
  let question = PresenceQuestion(.service("\(what):", isSecret: true), reason: "")
  do {
    guard
      let text = String(
        validating: try TerminalPrompter().answer(question, cancellation: Cancellation()), as: UTF8.self)
    else { fail("the \(what) is not UTF-8: nothing was sent", 65) }
    return text
  } catch .userCancel {
    fail("cancelled: nothing was sent", 130)
  } catch {
    fail("\(error)", 65)
  }
}

expectArguments(
  CommandLine.arguments.count == 2 && CommandLine.arguments[1] != "", usage: "provisioning-app NAME-OF-THE-DEVICE")
expectRadio()
let ssid = ask("network")
let password = askInSecret("password")
do {
  let credentials = try LegacyWiFiCredentials(ssid: ssid, password: password)
  let app = ProvisioningApp(
    name: CommandLine.arguments[1], message: credentials.json, log: { say($0) },
    end: { result in
      switch result {
      case .answered(let text):
        say("the device answers \(String(reflecting: text))")
        exit(0)
      case .noRadio: failWithoutRadio()
      case .failed(let reason): fail(reason, 1)
      }
    })
  withExtendedLifetime(app) { dispatchMain() }
} catch {
  switch error {
  case .ssidLength(let count): fail("the network's name has 1 to 32 bytes, not \(count)", 65)
  case .passwordLength(let count): fail("the password has 128 bytes at most, not \(count)", 65)
  case .embeddedNUL: fail("neither the network's name nor the password may hold a zero character", 65)
  case .notCredentials: fail("these are no credentials", 65)
  }
}
