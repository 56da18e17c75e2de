import ArgumentParser
import LatchkeyCommandLine
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore

extension AuditCommand {
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List what happened, by server and in its order.",
      discussion: "With --json: entry (node, sequence, time, event, fields), done or error.",
      examples: ["latchkey-server audit list --event device. --value alice"], statuses: .storeRecord)

    @Option(help: ArgumentHelp("Events that begin so: device.", valueName: "text")) var event = ""
    @Option(help: ArgumentHelp("Entries with this in one of their fields: a user, a device.", valueName: "text"))
    var value: String?
    @Option(help: ArgumentHelp("Entries of this server alone.", valueName: "name")) var chain: String?
    @OptionGroup var options: OperatorOptions

    func run() async throws {
      let filter = Operator.AuditFilter(node: chain, event: event, value: value)
      try await options.list(["TIME", "SERVER", "NUMBER", "EVENT", "FIELDS"], "entry") {
        try await $0.auditEntries(filter, limit: 1000, cursor: $1)
      } row: { entry in
        let fields = entry.entry.fields.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return [
          Moment.text(entry.entry.time), entry.node, "\(entry.sequence)", entry.entry.event,
          fields.joined(separator: " "),
        ]
      } fields: {
        AuditLine.fields(of: $0)
      }
    }
  }
}

/// An audit entry as JSON.
enum AuditLine {
  static func fields(of entry: ChainedEntry) -> [(key: String, value: JSONLine.Value)] {
    [
      ("node", .text(entry.node)), ("sequence", .integer(Int(entry.sequence))),
      ("time", .text(Moment.text(entry.entry.time))), ("action", .text(entry.entry.event)),
      (
        "fields",
        .list(
          entry.entry.fields.sorted { $0.key < $1.key }.map {
            .object(["name": .text($0.key), "value": .text($0.value)])
          })
      ),
    ]
  }
}
