import ArgumentParser
import EnrollmentStore

/// `latchkey-server audit`: the chain of what happened.
struct AuditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit", abstract: "Verify the audit chain.", subcommands: [Verify.self])

  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "verify", abstract: "Hold every entry of every server's chain against its hash.",
      discussion: "Ends with 1 if a chain is not whole. With --json: chain (node, entries, fault), done or error.")

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: EventOptions

    func run() async throws {
      try await output.operating {
        try await store.using { store in
          var isWhole = true
          for chain in try await AuditChain.verify(store) {
            let fault = chain.fault.map { "\($0)" }
            if fault != nil { isWhole = false }
            output.tell(
              "\(chain.node)  \(chain.entries) entries  \(fault ?? "whole")", "chain",
              [
                "node": .text(chain.node), "entries": .integer(Int(chain.entries)),
                "fault": fault.map { .text($0) } ?? .null,
              ])
          }
          if !isWhole { throw ExitCode(1) }
        }
      }
    }
  }
}
