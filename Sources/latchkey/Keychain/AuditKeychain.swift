import ArgumentParser
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyKeychainModel
import LatchkeyKeychainStore

/// `latchkey keychain audit`: prints the log of changes.
struct AuditKeychain: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit",
    abstract: "Print the audit log: number, time, event and item of each entry, the oldest first.",
    discussion: """
      The entries are a chain, which is verified: if one was changed, inserted or deleted, the command ends with 65. The log \
      holds no secret and no attribute; an item is named by a tag of its own.

      With --json: entry (number, time, action, item, which is null if it is about none), done or error.
      """,
    examples: ["latchkey keychain audit", "latchkey keychain audit --after 1000 --limit 100 --json"],
    statuses: .keychain)

  @Option(help: ArgumentHelp("Print the entries after this number.", valueName: "number")) var after: Int64 = 0
  @Option(help: ArgumentHelp("Print at most so many.", valueName: "count")) var limit = 1000
  @OptionGroup var place: KeychainOptions
  @OptionGroup var output: KeychainOutput

  func validate() throws {
    guard after >= 0, limit > 0 else { throw ValidationError("--after is not below 0, and --limit is above it") }
  }

  func run() throws {
    try output.run {
      let keychain = try place.open(.inspecting)
      for entry in try keychain.database.auditEntries(after: after, limit: limit) {
        let time = KeychainTime.text(Double(entry.time) / 1000) ?? "\(entry.time)"
        let item = entry.item.map { Hexadecimal.encode($0) }
        try output.emit(
          [["\(entry.sequence)", time, "\(entry.event)", item].compactMap(\.self).joined(separator: " ")], "entry",
          [
            ("number", .integer(Int(entry.sequence))), ("time", .text(time)), ("action", .text("\(entry.event)")),
            ("item", item.map { .text($0) } ?? .null),
          ])
      }
    }
  }
}
