import ArgumentParser
import Foundation
import LatchkeyCommandLine
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore

/// `latchkey-server backup`: a copy of the store, while servers run.
struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copy the store to a file, while servers run.",
    discussion: """
      The copy is consistent, verified, and for its owner alone: it has the passwords' hashes. Keys are not in it; --with-keys writes \
      those of the state folder beside it, encrypted by a passphrase, as FILE.keys.age. Do not copy FILE.revocations of the store with \
      it: restore needs the latest one. A store in PostgreSQL is copied by pg_dump. With --json: backup (file, devices, revocations, \
      keys), done or error.
      """,
    examples: [
      "latchkey-server backup /backup/server-2026-11-27.db",
      "latchkey-server backup /backup/server.db --with-keys --passphrase @backup-passphrase",
    ],
    statuses: .storeRecord)

  @Argument(help: "The copy, a new file.") var file: String
  @Flag(help: "Copy the keys of the state folder, too, encrypted: FILE.keys.age.") var withKeys = false
  @Option(help: ArgumentHelp("The keys' passphrase: @FILE or -; asked for if left out.", valueName: "passphrase"))
  var passphrase: String?
  @OptionGroup var store: StoreOptions
  @OptionGroup var output: EventOptions

  func validate() throws {
    guard withKeys || passphrase == nil else { throw ValidationError("--passphrase goes with --with-keys") }
  }

  func run() async throws {
    try await output.operating {
      let database = try store.sqliteFile(store.existingFolder(), for: "pg_dump copies a store in PostgreSQL")
      let keys: KeyArchive? = try !withKeys ? nil : KeyArchive(of: store.existingFolder())
      let secret = try !withKeys ? nil : SecretArgument.read(passphrase, option: "--passphrase", prompt: "Passphrase: ")
      SQLiteBackup.reportRemovedDrafts(of: file)
      let summary = try SQLiteBackup.make(of: database, to: file)
      if let keys, let secret { try keys.write(to: file + ".keys.age", passphrase: secret) }
      output.emit(
        "Copied \(summary.devices) devices to \(file)\(withKeys ? ", keys to \(file).keys.age" : "")", "backup",
        [
          "file": .text(file), "devices": .integer(Int(summary.devices)),
          "revocations": .integer(Int(summary.epoch)), "keys": withKeys ? .text(file + ".keys.age") : .null,
        ])
    }
  }
}

/// `latchkey-server restore`: a copy becomes the store, where there is none.
struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Make a copy the store, where there is none.",
    discussion: """
      It is refused while a server runs with the state folder. \
      Nothing is overwritten: move a damaged database away first, with its -wal and -shm, and leave FILE.revocations where it is. By that \
      file a copy is refused that is older than a revocation, since devices, administrators and tokens would count again that were \
      revoked or removed; without the file --lose-revocations is needed, too. Sessions end. Unused enrollment tokens are revoked, since they \
      may have been used after the copy was made, and devices that wait for an approval must ask again. Passwords that were changed since \
      are the old ones. What \
      happened after the copy is lost, the audit log's entries too: the file audit-heads in the state folder shows which, and the \
      server reports it until that file is moved away. With --json: restored (file, devices, revocations, lost, null if it is not known, \
      voidedTokens), done or error.
      """,
    examples: ["latchkey-server restore /backup/server-2026-11-27.db"],
    statuses: .storeRecord)

  @Argument(help: "The copy that backup made.") var file: String
  @Option(help: ArgumentHelp("The keys that backup made: FILE.keys.age.", valueName: "file")) var keys: String?
  @Option(help: ArgumentHelp("The keys' passphrase: @FILE or -; asked for if left out.", valueName: "passphrase"))
  var passphrase: String?
  @Flag(
    help:
      "Go on if revocations were made after the copy, or if nothing says whether. Revoke again what was revoked since.")
  var loseRevocations = false
  @Flag(help: "Leave unused enrollment tokens usable, those too that were used after the copy was made.")
  var keepTokens = false
  @OptionGroup var store: StoreOptions
  @OptionGroup var output: EventOptions

  func validate() throws {
    guard keys != nil || passphrase == nil else { throw ValidationError("--passphrase goes with --keys") }
  }

  func run() async throws {
    try await output.operating {
      let folder = try store.store == nil || store.state != nil ? store.folder() : store.existingFolder()
      let database = try store.sqliteFile(folder, for: "pg_restore or psql restores a store in PostgreSQL")
      // It would go on with the database that was moved away, and all that it acknowledges would be lost.
      try NodeIdentity.requireNone(in: folder)
      var archive: KeyArchive?
      if let keys {
        let secret = try SecretArgument.read(passphrase, option: "--passphrase", prompt: "Passphrase: ")
        archive = try KeyArchive(file: keys, passphrase: secret)
        try archive?.checkAbsence(in: folder)
      }
      SQLiteBackup.reportRemovedDrafts(of: database)
      let summary = try SQLiteBackup.restore(
        file, to: database, losesRevocations: loseRevocations, keepsTokens: keepTokens,
        node: "\(store.nodeName)-operator"
      ) {
        // Before the database is there: without its keys a server would make others.
        try archive?.write(to: folder)
      }
      let lost =
        switch summary.lost {
        case 0: ""
        case 1: "; 1 revocation is lost: revoke again what was revoked since"
        case let count?: "; \(count) revocations are lost: revoke again what was revoked since"
        case nil: "; revoke again what was revoked after the copy was made"
        }
      let voided =
        switch summary.voidedTokens {
        case 0: ""
        case 1: "; 1 unused enrollment token is revoked"
        case let count: "; \(count) unused enrollment tokens are revoked"
        }
      let devices = summary.devices == 1 ? "1 device" : "\(summary.devices) devices"
      output.emit(
        """
        Restored \(devices) from \(file)\(lost)\(voided); passwords that were changed after the copy was made are the old \
        ones again: change them once more
        """, "restored",
        [
          "file": .text(file), "devices": .integer(Int(summary.devices)),
          "revocations": .integer(Int(summary.epoch)), "lost": summary.lost.map { .integer(Int($0)) } ?? .null,
          "voidedTokens": .integer(Int(summary.voidedTokens)),
        ])
    }
  }
}

extension StoreOptions {
  /// The file of a store in SQLite.
  ///
  /// - Parameter other: what is done for another store.
  func sqliteFile(_ folder: StateFolder, for other: String) throws(CommandFailure) -> String {
    guard let store else { return folder.path("server.db") }
    guard store.hasPrefix("sqlite:") else { throw CommandFailure(.usage, "this is for a store in SQLite: \(other)") }
    return String(store.dropFirst("sqlite:".count))
  }
}

extension SQLiteBackup {
  /// Removes what a killed restore or backup left, and says so.
  static func reportRemovedDrafts(of path: String) {
    for draft in removeDrafts(of: path) {
      StandardStreams.reportError("removed \(draft), which a restore or backup left that was interrupted")
    }
  }
}
