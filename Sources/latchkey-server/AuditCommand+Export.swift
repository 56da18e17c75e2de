import ArgumentParser
import Foundation
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
        alone. Go on later with --chain and --after, by chain.
        """,
      examples: [
        "latchkey-server audit export > audit.jsonl", "latchkey-server audit export --since 2026-11-01T00:00:00Z",
        "latchkey-server audit export --chain server1 --after 1200",
      ],
      statuses: .storeRecord)

    @Option(
      help: ArgumentHelp(
        "Entries from this time on: 2026-11-01T00:00:00Z, or seconds since 1970.", valueName: "time"),
      transform: Self.time)
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
            for entry in page.records { StandardStreams.emit(try Self.line(entry)) }
            cursor = page.next
          } while cursor != nil
        }
      }
    }

    private static func line(_ entry: ChainedEntry) throws -> String {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      let line = Line(
        node: entry.node, sequence: entry.sequence, time: entry.entry.time, event: entry.entry.event,
        fields: entry.entry.fields, previous: Moment.hexadecimal(entry.previous), hash: Moment.hexadecimal(entry.hash))
      return String(decoding: try encoder.encode(line), as: UTF8.self)
    }

    private struct Line: Encodable {
      let node: String
      let sequence: Int64
      let time: Int64
      let event: String
      let fields: [String: String]
      let previous: String
      let hash: String
    }

    @Sendable private static func time(_ text: String) throws -> Int64 {
      if let seconds = Int64(text), seconds >= 0 { return seconds }
      guard let date = try? Date(text, strategy: .iso8601), date.timeIntervalSince1970 >= 0 else {
        throw ValidationError("--since is a time: 2026-11-01T00:00:00Z, or seconds since 1970")
      }
      return Int64(date.timeIntervalSince1970)
    }
  }
}
