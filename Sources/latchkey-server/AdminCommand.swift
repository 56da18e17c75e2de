import ArgumentParser
import Foundation
import LatchkeyCommandLine
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore

/// `latchkey-server admin`: who may use the admin listener.
struct AdminCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "admin", abstract: "Add, list and remove administrators.",
    discussion: """
      An administrator uses `latchkey-server serve --admin-listen`. Roles: a viewer lists and searches; an operator also disables, \
      unlocks and revokes; an owner also adds users and administrators.
      """,
    examples: ["latchkey-server admin add ada --role operator --token-file ada.token", "latchkey-server admin list"],
    statuses: .storeRecord,
    subcommands: [Add.self, List.self, Remove.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Add an administrator, by a token or a client certificate.",
      discussion: """
        The token is shown once, or written to a new file that its owner alone reads; the store has its hash. A certificate counts as \
        long as the listener accepts it. With --json: added (administrator, role, token), done or error.
        """,
      examples: [
        "latchkey-server admin add ada --role operator --token-file ada.token",
        "latchkey-server admin add bob --role viewer --certificate bob.pem",
      ],
      statuses: .storeRecord)

    @Argument(help: "The name that stands in the audit log.") var name: String
    @Option(help: "What the administrator may do: viewer, operator or owner.") var role: Role
    @Option(help: ArgumentHelp("Write the token to this new file, mode 0600, and do not print it.", valueName: "file"))
    var tokenFile: String?
    @Option(help: ArgumentHelp("The client certificate, PEM or DER, in place of a token.", valueName: "file"))
    var certificate: String?
    @OptionGroup var options: OperatorOptions

    func validate() throws {
      guard tokenFile == nil || certificate == nil else {
        throw ValidationError("--token-file and --certificate exclude each other")
      }
    }

    func run() async throws {
      try await options.output.operating {
        if let certificate {
          guard let leaf = try ServerFile.certificates(certificate).first else { return }
          try await options.store.using {
            try await Operator($0).addAdministrator(name, role: role.role, certificate: leaf)
          }
          options.output.emit(
            "Added \(name), \(role.rawValue)", "added",
            ["administrator": .text(name), "role": .text(role.rawValue), "token": .null])
          return
        }
        let file = try tokenFile.map { try NewSecretFile($0) }
        do {
          try await options.store.using {
            let token = try await Operator($0).addAdministrator(name, role: role.role)
            try file?.write(token + "\n")
            let place = tokenFile.map { "the token is in \($0)" } ?? "the token is shown this once:\n\(token)"
            options.output.emit(
              "Added \(name), \(role.rawValue); \(place)", "added",
              [
                "administrator": .text(name), "role": .text(role.rawValue),
                "token": file == nil ? .text(token) : .null,
              ])
          }
        } catch {
          file?.remove()
          throw error
        }
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the administrators.",
      discussion: "With --json: administrator (administrator, role, created, proof), done or error.",
      examples: ["latchkey-server admin list"], statuses: .storeRecord)

    @OptionGroup var options: OperatorOptions

    func run() async throws {
      try await options.list(["NAME", "ROLE", "PROOF", "ADDED"], "administrator") { engine, _ in
        RecordPage(all: try await engine.administrators())
      } row: {
        [$0.name, $0.role.rawValue, Self.proof($0), Moment.text($0.created)]
      } fields: {
        [
          ("administrator", .text($0.name)), ("role", .text($0.role.rawValue)),
          ("created", .text(Moment.text($0.created))), ("proof", .text(Self.proof($0))),
        ]
      }
    }

    private static func proof(_ record: AdministratorRecord) -> String {
      record.tokenHash == nil ? "certificate" : "token"
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Remove an administrator, who is refused from then on.",
      discussion: "With --json: removed (administrator), done or error.",
      examples: ["latchkey-server admin remove ada"], statuses: .storeRecord)

    @Argument(help: "The administrator's name.") var name: String
    @OptionGroup var options: OperatorOptions

    func run() async throws {
      try await options.doing("Removed \(name)", "removed", [("administrator", .text(name))]) {
        try await $0.removeAdministrator(name)
      }
    }
  }

  /// A role on the command line.
  enum Role: String, ExpressibleByArgument, CaseIterable {
    case viewer, `operator`, owner

    var role: AdministratorRole {
      switch self {
      case .viewer: .viewer
      case .operator: .operator
      case .owner: .owner
      }
    }
  }
}

/// A file for a secret, which must not be there yet.
struct NewSecretFile {
  private let path: String
  private let descriptor: Int32

  /// - Throws: if there is such a file already, or it cannot be made.
  init(_ path: String) throws(CommandFailure) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw CommandFailure(
        .inputOutput,
        errno == EEXIST ? "there is a file \(path) already: name a new one" : "\(path) cannot be made")
    }
  }

  func write(_ text: String) throws(CommandFailure) { try write(Array(text.utf8)) }

  func write(_ bytes: [UInt8]) throws(CommandFailure) {
    guard Foundation.write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0,
      close(descriptor) == 0
    else { throw CommandFailure(.inputOutput, "\(path) cannot be written") }
  }

  func remove() { unlink(path) }
}
