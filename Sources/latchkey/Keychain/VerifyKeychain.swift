import ArgumentParser
import Foundation
import KeychainModel
import KeychainStore

/// `latchkey keychain verify`: whether anything but a keychain wrote in the file.
struct VerifyKeychain: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Recount the keychain and open every item that can be opened; print what is wrong.",
    discussion: """
      Prints one finding a line, and ends with 65 if there is any. With --repair what is authentic is kept, what is not is \
      dropped and written to the audit log; the command then ends with 0, unless something is still wrong.

      With --json: finding (text), verified or repaired (findings: how many; itemsChecked, itemsLocked, itemsDropped), done or error.
      """)

  @Flag(help: "Keep what is authentic and drop the rest.") var repair = false
  @OptionGroup var place: KeychainPlace
  @OptionGroup var output: KeychainOutput

  func run() throws {
    try output.run {
      let keychain = try place.open(.inspecting)
      let report = repair ? try keychain.database.repair() : try keychain.database.verify()
      for finding in report.findings { try output.tell(["\(finding)"], "finding", [("text", .text("\(finding)"))]) }
      try output.tell(
        [], repair ? "repaired" : "verified",
        [
          ("findings", .integer(report.findings.count)), ("itemsChecked", .integer(report.itemsChecked)),
          ("itemsLocked", .integer(report.itemsLocked)), ("itemsDropped", .integer(report.itemsDropped)),
        ])
      if !output.json, isatty(STDERR_FILENO) == 1 {
        StandardStreams.remark("\(report.itemsChecked) items looked at, \(report.itemsLocked) of them locked")
      }
      let rest = repair ? try keychain.database.verify().findings : report.findings
      guard rest.isEmpty else {
        throw CommandFailure(
          .badData, code: "damaged",
          "\(keychain.database.path) was altered from outside: --repair keeps what is authentic and drops the rest")
      }
    }
  }
}
