import ArgumentParser
import LatchkeyCommandLine
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore

extension AuditCommand {
  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "export", abstract: "Print audit entries as JSON, one a line, with their hashes.",
      discussion: """
        For a log system, and to keep where the database's owner cannot reach. A line has node, sequence, time (seconds since 1970), \
        event, fields, previous and hash: `previous` is the hash of the entry before it, so that the chain can be verified from the lines \
        alone: `latchkey-server audit verify --exported FILE`. Go on later with --chain and --after, by chain.
        """,
      examples: [
        "latchkey-server audit export > audit.jsonl", "latchkey-server audit export --since 2026-11-01T00:00:00Z",
        "latchkey-server audit export --chain server1 --after 1200",
      ],
      statuses: .storeRecord)

    @Option(
      help: ArgumentHelp(
        "Entries from this time on: 2026-11-01T00:00:00Z, or seconds since 1970.", valueName: "time"),
      transform: { try EntryTime.seconds($0, option: "--since") })
    var since: Int64?
    @Option(help: ArgumentHelp("Entries of this server alone.", valueName: "name")) var chain: String?
    @Option(help: ArgumentHelp("Entries of --chain behind this number.", valueName: "number")) var after: Int64?
    @OptionGroup var store: StoreOptions

    func validate() throws {
      guard after == nil || chain != nil else { throw ValidationError("--after goes with --chain") }
      guard after ?? 0 >= 0 else { throw ValidationError("--after is zero or above") }
    }

    func run() async throws {
      // The lines are the output; there is no other form.
      var output = EventOptions()
      output.json = false
      try await output.operating {
        var filter = Operator.AuditFilter(node: chain, since: since ?? 0)
        filter.after = after ?? 0
        let wanted = filter
        try await store.using { store in
          var cursor: String?
          repeat {
            try Task.checkCancellation()
            let page = try await Operator(store).auditEntries(wanted, limit: 1000, cursor: cursor)
            for entry in page.records { StandardStreams.emit(AuditExport.line(entry)) }
            try StandardStreams.requireWhole(
              "the export ends early, and maybe inside a line: export again where there is room, or take off what is behind the last whole "
                + "line and go on from its number with --chain and --after")
            cursor = page.next
          } while cursor != nil
        }
      }
    }
  }
}
