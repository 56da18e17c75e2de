// The document's app in a terminal: asks for a network's name and password, and brings them to the device.
//
//   provisioning-app NAME     NAME is the device's, as it advertises itself

import EncryptedProvisioning
import Foundation
import KeychainModel
import KeychainStore
import Provisioning

/// Writes a line at once, to a pipe, too.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// A line that is not shown while it is typed, where standard input is a terminal; ^C ends the program.
func askInSecret(_ what: String) -> String {
  guard isatty(STDIN_FILENO) == 1 else {
    say(what)
    return readLine() ?? ""
  }
  let question = PresenceQuestion(.service(what, isSecret: true), reason: "")
  guard let answer = try? TerminalPrompter().answer(question, cancellation: Cancellation()) else { exit(130) }
  return String(decoding: answer, as: UTF8.self)
}

guard CommandLine.arguments.count == 2 else {
  FileHandle.standardError.write(Data("usage: provisioning-app NAME-OF-THE-DEVICE\n".utf8))
  exit(64)
}
say("network:")
let ssid = readLine() ?? ""
let password = askInSecret("password:")
do {
  let credentials = try LegacyWiFiCredentials(ssid: ssid, password: password)
  let app = ProvisioningApp(
    name: CommandLine.arguments[1], message: credentials.json, log: { say($0) },
    end: { result in
      switch result {
      case .answered(let text):
        say("the device answers \(String(reflecting: text))")
        exit(0)
      case .failed(let reason):
        say("failed: \(reason)")
        exit(1)
      }
    })
  withExtendedLifetime(app) { dispatchMain() }
} catch {
  say("failed: \(error)")
  exit(65)
}
