import ArgumentParser
import Foundation
import LatchkeyCommandLine
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore

/// `latchkey-server migrate`: brings a store forward to this program's version.
struct MigrateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate", abstract: "Bring the store forward to this program's version.",
    discussion: """
      serve does the same when it starts, and so do the operator's commands. Here it happens before the servers are started, after a \
      backup: there is no way back, and a store of a later version than this program's is refused. Servers of the version before may go on \
      meanwhile, but do not start any more. With --check nothing is changed. With --json: version (found, wanted), migrated (from, to), done \
      or error.
      """,
    examples: ["latchkey-server migrate --check", "latchkey-server migrate"],
    statuses: .storeRecord)

  @Flag(help: "Report the versions alone.") var check = false
  @OptionGroup var store: StoreOptions
  @OptionGroup var output: EventOptions

  func run() async throws {
    try await output.operating {
      let folder = try store.existingFolder()
      guard let found = try store.validate(folder) else {
        throw CommandFailure(
          .inputOutput, code: "noStore",
          "there is no store: give the server's --state or --store; serve and user add make one")
      }
      let wanted = Schema.version
      output.emit(
        "The store is of version \(found), this program's is \(wanted)", "version",
        ["found": .integer(found), "wanted": .integer(wanted)])
      guard !check, found < wanted else { return }
      try await store.using { _ in }
      output.emit("Brought the store forward", "migrated", ["from": .integer(found), "to": .integer(wanted)])
    }
  }
}
