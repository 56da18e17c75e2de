import ArgumentParser
import Foundation
import LatchkeyCertificateAuthority
import LatchkeyCommandLine
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore
import LatchkeySystem

extension AuditCommand {
  struct Prune: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "prune", abstract: "Delete old audit entries that were exported, and sign up to where.",
      discussion: """
        Each chain loses its first entries, up to one that is not older. The number and hash of the last one are stored, signed by the \
        answer key of the state folder: audit verify proves the rest from there on, and finds entries that were deleted in \
        another way. The log is verified before, with the ends that the server noted; one that is not whole is left as it is.

        Export first: --exported names the files, whose lines are verified, and which must have all that is deleted. Revocations in \
        deleted entries are compared with the tables no more, nor are transfers with the log by ledger verify. With --json: pruned (node, entry, entries) \
        for each chain, done or error.
        """,
      examples: [
        "latchkey-server audit prune --older-than 365d --exported audit.jsonl --yes",
        "latchkey-server audit prune --before 2026-01-01T00:00:00Z --without-export",
      ],
      statuses: .storeRecord + [.notVerified])

    @Option(
      help: ArgumentHelp("Entries from before: 2026-11-01T00:00:00Z, or seconds since 1970.", valueName: "time"),
      transform: { try EntryTime.seconds($0, option: "--before") })
    var before: Int64?
    @Option(
      parsing: .unconditional, help: ArgumentHelp("Entries that are older than this: 365d.", valueName: "time"),
      transform: Span.init(typed:))
    var olderThan: Span?
    @Option(
      help: ArgumentHelp(
        "A file that audit export printed; several are one export, in their order.", valueName: "file"))
    var exported: [String] = []
    @Flag(help: "Delete entries that are in no export.") var withoutExport = false
    @Flag(help: "Do not ask before entries are deleted.") var yes = false
    @OptionGroup var store: StoreOptions
    @OptionGroup var output: EventOptions

    func validate() throws {
      guard (before == nil) != (olderThan == nil) else { throw ValidationError("give --before or --older-than") }
      guard exported.isEmpty == withoutExport else {
        throw ValidationError("give --exported with what latchkey-server audit export printed, or --without-export")
      }
    }

    func run() async throws {
      try await output.operating {
        let folder = try store.existingFolder()
        guard let key = try AnswerKey.known(folder) else {
          throw CommandFailure(
            .badData, code: "noKey",
            "a pruning is signed by the answer key, and there is none in \(folder.path("")): give a server's --state")
        }
        let now = Int64(Date().timeIntervalSince1970)
        let limit = before ?? now - min(olderThan?.seconds ?? 0, now)
        let noted = try AuditCommand.noted(folder, allowUnsigned: false)
        try await store.using { store in
          let operating = Operator(store)
          let parts = try await operating.prunableAudit(
            before: limit, against: noted.map { [$0] } ?? [], signers: .keys([key.publicKey]))
          if !withoutExport { try check(parts) }
          guard !parts.isEmpty else { return output.emit("no entry is so old", "empty") }
          try confirm(parts)
          for part in parts {
            let count = try await operating.pruneAudit(part, before: limit, signedBy: key.sign)
            output.emit(
              "\(PrintableText.escaped(part.end.node))  \(count) entries pruned, up to \(part.end.sequence)", "pruned",
              [
                "node": .text(part.end.node), "entry": .integer(Int(part.end.sequence)),
                "entries": .integer(Int(count)),
              ])
          }
        }
      }
    }

    /// - Throws: `badData` where the exported files lack what would be deleted.
    private func check(_ parts: [Operator.PrunableEntries]) throws {
      let verifier = try ExportedFiles.verify(exported, marks: parts.map(\.end))
      for part in parts {
        let node = part.end.node
        guard let found = verifier.part(of: node), found.start.sequence <= part.start.sequence,
          verifier.hasMet(markOf: node)
        else {
          throw CommandFailure(
            .badData, code: "notExported",
            "the export lacks entries \(part.start.sequence + 1) to \(part.end.sequence) of \(PrintableText.escaped(node)), or "
              + "has others: export them, or give --without-export")
        }
      }
    }

    private func confirm(_ parts: [Operator.PrunableEntries]) throws(CommandFailure) {
      guard !yes else { return }
      let count = parts.map(\.count).reduce(0, +)
      let isSure = try TerminalQuestion.answer("Delete \(count) audit entries for good? yes or no: ", option: "--yes") {
        (text) throws(TerminalQuestion.Unfit) in
        switch text {
        case "yes": return true
        case "no": return false
        default: throw TerminalQuestion.Unfit("answer yes or no")
        }
      }
      guard isSure else { throw CommandFailure(.usage, code: "notConfirmed", "nothing is deleted") }
    }
  }

  /// The ends that the server noted last, in its state folder.
  static func noted(_ folder: StateFolder, allowUnsigned: Bool) throws -> AuditCheckpoint? {
    try folder.read(headsFile).map {
      try checkpoint($0, named: folder.path(headsFile), folder, allowUnsigned: allowUnsigned)
    }
  }
}

/// Exported files, read line by line.
enum ExportedFiles {
  /// Verifies the lines of several files, one behind the other.
  ///
  /// - Throws: `badData` for a line that is none, was altered or does not follow.
  static func verify(_ files: [String], marks: [AuditHead]) throws -> AuditExportVerifier {
    var verifier = AuditExportVerifier(marks: marks)
    for file in files {
      let handle: FileHandle
      do { handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: file)) } catch {
        throw CommandFailure(
          .inputOutput, "\(file) cannot be read: name a file that latchkey-server audit export printed")
      }
      defer { try? handle.close() }
      var (number, rest) = (0, Data())
      func take(_ line: Data) throws {
        number += 1
        do throws(EnrollmentStoreError) { try verifier.take(line: line) } catch {
          throw CommandFailure(
            .badData, code: "badExport", "\(file), line \(number): \(CommandFailure(of: error).message)")
        }
      }
      while let read = try handle.read(upToCount: 1 << 18), !read.isEmpty {
        rest.append(read)
        var start = rest.startIndex
        while let end = rest[start...].firstIndex(of: 0x0A) {
          try take(rest[start..<end])
          start = end + 1
        }
        rest = Data(rest[start...])
        // One that never ends is refused as it grows.
        if rest.count > AuditExport.longestLine { try take(rest) }
      }
      if !rest.isEmpty { try take(rest) }
    }
    return verifier
  }
}

/// A time that is typed: of ISO 8601, or seconds since 1970.
enum EntryTime {
  static func seconds(_ text: String, option: String) throws -> Int64 {
    if let seconds = Int64(text), seconds >= 0 { return seconds }
    guard let date = try? Date(text, strategy: .iso8601), date.timeIntervalSince1970 >= 0 else {
      throw ValidationError("\(option) is a time: 2026-11-01T00:00:00Z, or seconds since 1970")
    }
    return Int64(date.timeIntervalSince1970)
  }
}
