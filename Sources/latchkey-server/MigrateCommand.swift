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
      meanwhile, but do not start any more. With --check nothing is changed. The store of a tenant is chosen by the tenant's settings, \
      --config FILE. With --tenant it is given over to the tenant of this name: serve --tenant refuses one of another. \
      With --json: version (found, wanted), migrated (from, to), tenant (name), done or error.
      """,
    examples: [
      "latchkey-server migrate --check", "latchkey-server migrate",
      "latchkey-server migrate --tenant red --config /etc/latchkey/red.json",
    ],
    statuses: .storeRecord)

  @Flag(help: "Report the versions alone.") var check = false
  @Option(help: ArgumentHelp("The tenant whose store it is from now on.", valueName: "name")) var tenant: String?
  @OptionGroup var store: StoreOptions
  @OptionGroup var output: EventOptions

  func validate() throws {
    guard let tenant else { return }
    if let equals = tenant.firstIndex(of: "=") {
      // As serve takes it: what is meant is the store, and to give it over is another matter.
      let file = tenant[tenant.index(after: equals)...]
      throw ValidationError(
        """
        --tenant is the name to give the store over to, without a file: the tenant's store is chosen by its settings, \
        --config \(file.isEmpty ? "FILE" : TenantOptions.shown(String(file)))
        """)
    }
    guard !check else {
      throw ValidationError(
        "--check changes nothing, and --tenant gives the store over: leave one of them out; a tenant's store is chosen by --config FILE"
      )
    }
  }

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
      guard !check, found < wanted || tenant != nil else { return }
      try await store.using { store in
        if let tenant { try await Operator(store).setTenant(tenant) }
      }
      if found < wanted {
        output.emit("Brought the store forward", "migrated", ["from": .integer(found), "to": .integer(wanted)])
      }
      if let tenant { output.emit("The store is the tenant \(tenant)'s", "tenant", ["name": .text(tenant)]) }
    }
  }
}
