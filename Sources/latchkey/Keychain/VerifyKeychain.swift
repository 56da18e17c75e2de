import ArgumentParser
import Foundation
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyKeychainModel
import LatchkeyKeychainStore

/// `latchkey keychain verify`: whether another program changed the file.
struct VerifyKeychain: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Recount the keychain and open every item that can be opened; print what is wrong.",
    discussion: """
      Prints one finding a line, and ends with 65 if there is any. With --repair what is authentic and newest is kept, and what \
      was altered, deleted or replaced before is dropped; each item is printed with its result, and the audit log \
      says that this was done. The file as it was stays as FILE.before-repair: it opens by the same keys, so delete it once \
      nothing in it is wanted. Where a passcode is set, --repair needs it. The command then ends with 0, unless something \
      is still wrong.

      Where the header is lost, in which the items' sums stand, --repair changes nothing and ends with 65, unless \
      --accept-unproven is given: items, key records and the passcode are authentic, and may be older versions. The items are \
      named "kept, unproven" then, and who may vouch for the user is nobody: see latchkey keychain presence.

      With --json: finding (text), item (row, uuid, class, kept, proven, reason) for each item that --repair looked at, verified or repaired (findings: how many; itemsChecked, itemsLocked, itemsDropped; repaired: aside, where the damaged file is, or null), done or error.
      """,
    examples: ["latchkey keychain verify", "latchkey keychain verify --repair"],
    statuses: .keychain)

  @Flag(help: "Keep what is authentic and drop the rest.") var repair = false
  @Flag(help: "With --repair: keep what is authentic though it may be older, where the header is lost.")
  var acceptUnproven = false
  @OptionGroup var place: KeychainOptions
  @OptionGroup var output: KeychainOutput

  func validate() throws {
    guard repair || !acceptUnproven else { throw ValidationError("--accept-unproven goes with --repair") }
  }

  private func verified() throws -> (VerificationReport, OpenKeychain) {
    let keychain = try place.open(.inspecting)
    return (try keychain.database.verify(), keychain)
  }

  func run() throws {
    try output.run {
      let (report, keychain) = try repair ? place.repair(acceptsUnproven: acceptUnproven) : verified()
      for finding in report.findings { try output.emit(["\(finding)"], "finding", [("text", .text("\(finding)"))]) }
      for item in report.items {
        let name = item.uuid.map { Hexadecimal.encode($0) } ?? "row \(item.row)"
        let kind = item.itemClass?.rawValue ?? "unknown class"
        let fate = item.reason.map { "dropped, \($0)" } ?? (item.isProven ? "kept" : "kept, unproven")
        try output.emit(
          ["item \(name) (\(kind)): \(fate)"], "item",
          [
            ("row", .integer(Int(item.row))), ("uuid", item.uuid.map { .text(Hexadecimal.encode($0)) } ?? .null),
            ("class", item.itemClass.map { .text($0.rawValue) } ?? .null), ("kept", .boolean(item.reason == nil)),
            ("proven", .boolean(item.isProven)), ("reason", item.reason.map { .text($0) } ?? .null),
          ])
      }
      try output.emit(
        [], repair ? "repaired" : "verified",
        [
          ("findings", .integer(report.findings.count)), ("itemsChecked", .integer(report.itemsChecked)),
          ("itemsLocked", .integer(report.itemsLocked)), ("itemsDropped", .integer(report.itemsDropped)),
        ] + (repair ? [("aside", report.aside.map { .text($0) } ?? .null)] : []))
      if !output.json, let aside = report.aside { StandardStreams.writeErrorLine("the file as it was is now \(aside)") }
      if !output.json, isatty(STDERR_FILENO) == 1 {
        StandardStreams.writeErrorLine("\(report.itemsChecked) items looked at, \(report.itemsLocked) of them locked")
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
