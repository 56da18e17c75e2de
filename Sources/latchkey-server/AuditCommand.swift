import ArgumentParser
import LatchkeyCertificateAuthority
import LatchkeyCommandLine
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore
import LatchkeySystem

/// `latchkey-server audit`: the chains of what happened.
struct AuditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit", abstract: "List, export, verify and prune the audit chains, and print where they end.",
    examples: ["latchkey-server audit verify", "latchkey-server audit head > audit-heads"],
    statuses: .store + [.notVerified],
    subcommands: [List.self, Export.self, Verify.self, Head.self, Prune.self])

  /// Where a server keeps the ends of the chains that it has noted last.
  static let headsFile = "audit-heads"

  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "verify",
      abstract:
        "Verify every entry of every server's chain by its hash, and the chains by their recorded ends.",
      discussion: """
        Each server notes every minute where all chains end: in its own chain, and signed in its state folder. A chain that is gone, \
        was cut, or was written anew is found by that; and by --against, a file that `latchkey-server audit head` printed and \
        that was saved elsewhere. Its signature must be that of the answer key in the state folder; --allow-unsigned accepts one that \
        has none, which anyone may have written, or whose key is not there. A device or certificate that an entry revoked, and \
        that counts in the tables again, is found, too. Entries that `latchkey-server audit prune` deleted are not missing where the \
        answer key has signed that. --exported verifies files of audit export, and that the store goes on from them.

        With --store give the --state of the server whose store it is: the ends that another one noted are of other chains.

        Ends with 1 if a chain is not whole, or if there is none. With --json: chain (node, entries, pruned, fault), \
        exported (node, first, last, fault), empty, otherStore (file, store), done or error.
        """,
      examples: ["latchkey-server audit verify", "latchkey-server audit verify --against audit-heads"],
      statuses: .store + [.notVerified])

    @Option(help: ArgumentHelp("Heads that were saved elsewhere; may be given several times.", valueName: "file"))
    var against: [String] = []
    @Option(
      help: ArgumentHelp(
        "A file that audit export printed; several are one export, in their order.", valueName: "file"))
    var exported: [String] = []
    @Flag(help: "Accept heads without a signature, and heads and prunings of a key that is not in the state folder.")
    var allowUnsigned = false
    @OptionGroup var store: StoreOptions
    @OptionGroup var output: EventOptions

    func run() async throws {
      try await output.operating {
        let folder = try store.existingFolder()
        let others = try against.map {
          try AuditCommand.checkpoint(ServerFile.read($0), named: $0, folder, allowUnsigned: allowUnsigned)
        }
        for (file, heads) in zip(against, others) where heads.heads.isEmpty {
          throw CommandFailure(.badData, code: "noHeads", "\(file) names no chain: nothing can be compared with it")
        }
        let file = folder.path(AuditCommand.headsFile)
        let own = try AuditCommand.noted(folder, allowUnsigned: allowUnsigned)
        let known = others + (own.map { [$0] } ?? [])
        let key = try AnswerKey.known(folder)?.publicKey
        let signers: AuditSigners = key.map { .keys([$0]) } ?? (allowUnsigned ? .anyone : .keys([]))
        try await store.using { store in
          let chains = try await Operator(store).verifyAudit(against: known, signers: signers)
          var isWhole = !chains.isEmpty
          if chains.isEmpty { output.emit("the audit log is empty: nothing happened here yet", "empty") }
          for chain in chains {
            let fault = chain.fault.map { "\($0)" }
            if fault != nil { isWhole = false }
            let name = chain.node.isEmpty ? "(all)" : PrintableText.escaped(chain.node)
            let pruned = chain.pruned == 0 ? "" : ", pruned up to \(chain.pruned)"
            output.emit(
              "\(name)  \(chain.entries) entries  \(fault ?? "whole")\(pruned)", "chain",
              [
                "node": .text(chain.node), "entries": .integer(Int(chain.entries)),
                "pruned": .integer(Int(chain.pruned)), "fault": fault.map { .text($0) } ?? .null,
              ])
          }
          if try await !verifyExport(in: store) { isWhole = false }
          if let own, !own.heads.isEmpty, try await own.faults(in: store, signers: .anyone).count == own.heads.count {
            let place = self.store.place(folder)
            output.emit(
              "\(file) was noted of other chains, and \(place) has none of them: either all are lost, or it is another "
                + "server's store, and wants that one's --state",
              "otherStore", ["file": .text(file), "store": .text(place)])
          }
          if !isWhole { throw ExitCode(ExitStatus.notVerified.rawValue) }
        }
      }
    }

    /// Whether the exported files are whole, and the store goes on from them.
    private func verifyExport(in store: any EnrollmentStore) async throws -> Bool {
      guard !exported.isEmpty else { return true }
      let verifier = try ExportedFiles.verify(
        exported, marks: try await store.read { try $0.auditPrunings().map(\.head) })
      var isWhole = true
      for part in verifier.parts {
        let fault = try await part.fault(in: store, hasMetPruning: verifier.hasMet(markOf: part.end.node))
        if fault != nil { isWhole = false }
        let range = "\(part.start.sequence + 1) to \(part.end.sequence)"
        output.emit(
          "\(PrintableText.escaped(part.end.node))  exported \(range)  \(fault.map { "\($0)" } ?? "joins on to the store")",
          "exported",
          [
            "node": .text(part.end.node), "first": .integer(Int(part.start.sequence) + 1),
            "last": .integer(Int(part.end.sequence)), "fault": fault.map { .text("\($0)") } ?? .null,
          ])
      }
      return isWhole
    }
  }

  /// A file's heads; refused where the signature is not the server's own.
  static func checkpoint(
    _ text: [UInt8], named name: String, _ folder: StateFolder, allowUnsigned: Bool
  ) throws -> AuditCheckpoint {
    let checkpoint: AuditCheckpoint
    do throws(EnrollmentStoreError) { checkpoint = try AuditCheckpoint(text: text) } catch {
      throw CommandFailure(.badData, "\(name): \(CommandFailure(of: error).message)")
    }
    let key = try AnswerKey.known(folder)
    if checkpoint.signature != nil, let key {
      guard checkpoint.isSigned(by: key.publicKey) else {
        throw CommandFailure(
          .badData, code: "badSignature",
          "\(name) is not signed by this server's answer key: it was altered, or is another server's")
      }
    } else if !allowUnsigned {
      let why =
        key == nil ? "cannot be verified without the answer key of \(folder.path(""))" : "has no signature"
      throw CommandFailure(
        .badData, code: "unsigned",
        "\(name) \(why): anyone may have written it; give --allow-unsigned if no one can have")
    }
    return checkpoint
  }

  struct Head: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "head", abstract: "Print where the chains end, signed by the answer key: save it elsewhere.",
      discussion: """
        `latchkey-server audit head > FILE`, and later `latchkey-server audit verify --against FILE`. Without an answer key in the \
        state folder it is not signed. An empty log has no end, and is an error. With --json: head (node, sequence, hash), checkpoint (text, signed), done or error.
        """,
      examples: ["latchkey-server audit head > audit-heads"],
      statuses: .storeRecord)

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: EventOptions

    func run() async throws {
      try await output.operating {
        let key = try AnswerKey.known(store.existingFolder())
        try await store.using { store in
          var checkpoint = try await Operator(store).auditCheckpoint()
          guard !checkpoint.heads.isEmpty else {
            throw CommandFailure(.badData, code: "emptyLog", "the audit log is empty: nothing happened here yet")
          }
          if let key { checkpoint = try checkpoint.signed(by: key.sign) }
          for head in checkpoint.heads {
            output.emit(
              nil, "head",
              [
                "node": .text(head.node), "sequence": .integer(Int(head.sequence)),
                "hash": .text(head.hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()),
              ])
          }
          output.emit(
            String(checkpoint.text.dropLast()), "checkpoint",
            ["text": .text(checkpoint.text), "signed": .boolean(checkpoint.signature != nil)])
        }
      }
    }
  }
}
