import ArgumentParser
import Foundation
import LatchkeyCommandLine
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore
import LatchkeyProcessEnvironment

/// The command `latchkey-server`: the enrollment server, and its operator's commands. `latchkey serve` executes it.
@main struct LatchkeyServer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "latchkey-server",
    abstract: "The enrollment server: client certificates, sealed requests, accounts, transfers.",
    examples: ["latchkey-server", "latchkey-server serve --listen 127.0.0.1:9443", "latchkey-server user add alice"],
    statuses: .storeRecord + [.notVerified],
    version: ProgramVersion.text,
    subcommands: [ServeCommand.self],
    groupedSubcommands: [
      CommandGroup(
        name: "User",
        subcommands: [UserCommand.self, SessionCommand.self, AccountCommand.self, AdminCommand.self]),
      CommandGroup(
        name: "Device",
        subcommands: [
          DeviceCommand.self, TokenCommand.self, ProfileCommand.self, CertificateCommand.self, CRLCommand.self,
          CACommand.self,
        ]),
      CommandGroup(name: "Verification", subcommands: [AuditCommand.self, LedgerCommand.self]),
      CommandGroup(name: "Backup", subcommands: [BackupCommand.self, RestoreCommand.self, MigrateCommand.self]),
    ],
    defaultSubcommand: ServeCommand.self)

  /// Runs the command line. A `CommandFailure` becomes one line on standard error and its status; an error of the
  /// parser ends with 64.
  static func main() async {
    var command: any ParsableCommand
    do {
      command = try configured(Array(CommandLine.arguments.dropFirst()), environment: Environment.variables)
    } catch let failure as CommandFailure {
      reportUsage(failure.message, code: failure.code, of: CommandLine.arguments.dropFirst())
      end(by: failure)
    } catch {
      if exitCode(for: error) == .validationFailure {
        reportUsage(message(for: error), of: CommandLine.arguments.dropFirst())
      }
      end(at: error)
    }
    do {
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let failure as CommandFailure {
      end(by: failure)
    } catch {
      end(at: error)
    }
  }
}

extension EventOptions {
  /// Runs an operator's command, which the signals cancel; an error ends it with a status of sysexits.
  func operating(_ body: @escaping @Sendable () async throws -> Void) async throws {
    try await run {
      do {
        try await body()
      } catch let exit as ExitCode {
        throw exit
      } catch {
        throw CommandFailure(of: error)
      }
    }
  }
}

extension CommandFailure {
  /// The failure that an error stands for.
  init(of error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as OperatorError:
      switch error {
      case .exists(let text): self.init(.badData, code: "exists", text)
      case .notFound(let text): self.init(.itemNotFound, text)
      case .invalid(let text): self.init(.usage, code: "invalid", text)
      }
    case let error as EnrollmentStoreError:
      switch error {
      case .unavailable(let text): self.init(.tryLater, "the store: \(text)")
      case .contention: self.init(.tryLater, "others change the store all the time: try again")
      case .damaged(let text): self.init(.badData, code: "damaged", "the store: \(text)")
      case .unsupportedVersion(let version):
        self.init(.badData, code: "unsupportedVersion", "the store is of version \(version): use a newer program")
      case .olderThanRevocations(let text): self.init(.badData, code: "olderThanRevocations", text)
      case .closed: self.init(.unavailable, "the store was closed")
      case .misuse(let text): self.init(.usage, text)
      }
    default: self.init(.inputOutput, "\(error)")
    }
  }
}
