import ArgumentParser
import Foundation
import LatchkeyCommandLine
import LatchkeyProcessEnvironment
import Logging

/// The command `latchkey`: parses, runs, and ends with a status from sysexits.
@main struct Latchkey: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "latchkey",
    abstract: "Bluetooth LE provisioning, a keychain, keys that never leave, enrollment, and tools for them.",
    discussion: """
      -v or --verbose before the command logs more, on standard error; LATCHKEY_LOG_LEVEL sets the level.
      """,
    examples: [
      "latchkey demo", "latchkey keychain add-generic-password -a alice -s mail",
      "latchkey enroll https://bank.example --user alice", "latchkey help keychain",
    ],
    statuses: ExitStatus.allCases,
    version: ProgramVersion.text,
    subcommands: [DemoCommand.self, PortCommand.self],
    groupedSubcommands: [
      CommandGroup(
        name: "Bluetooth",
        subcommands: [
          RadioCommand.self, ControllerCommand.self, DeviceCommand.self, ProvisionCommand.self, BLECommand.self,
          LegacyCommand.self,
        ]),
      CommandGroup(name: "Keychain", subcommands: [KeychainCommand.self, EnclaveCommand.self]),
      CommandGroup(
        name: "Enrollment",
        subcommands: [
          ServeCommand.self, EnrollCommand.self, LoginCommand.self, AccountsCommand.self, TransferCommand.self,
          ApproveDeviceCommand.self,
          EnrollmentStatusCommand.self, RenewCommand.self, RevokeCommand.self, ForgetCommand.self, RequestCommand.self,
        ]),
    ])

  /// The arguments without a leading --verbose, and whether it was there. It is no option of the parser, which would accept it
  /// after a command, too, where -v may be the command's own.
  private static func separatingVerbose(_ arguments: some Collection<String>) -> (isVerbose: Bool, rest: [String]) {
    let rest = arguments.drop { $0 == "-v" || $0 == "--verbose" }
    return (rest.count < arguments.count, Array(rest))
  }

  /// Runs the command line. A `CommandFailure` becomes one line on standard error and its status; an error of the
  /// parser ends with 64.
  static func main() async {
    let (isVerbose, given) = separatingVerbose(CommandLine.arguments.dropFirst())
    LoggingSystem.bootstrap { label in
      var handler = StreamLogHandler.standardError(label: label)
      handler.logLevel = isVerbose ? min(.debug, ProgramLog.level) : ProgramLog.level
      return handler
    }
    let arguments = DeviceCommand.namingRun(KeychainCommand.withoutFinalPrompt(given))
    var command: any ParsableCommand
    do {
      command = try parseAsRoot(arguments)
    } catch {
      guard exitCode(for: error) == .validationFailure else { end(at: error) }
      guard let unknown = UnknownArgument.first(in: arguments, of: Latchkey.self) else {
        reportUsage(message(for: error), of: arguments)
        end(at: error)
      }
      reportUsage(unknown.message, of: arguments)
      // The parser's own words after the first line, which name the command and its usage.
      StandardStreams.writeErrorLine("Error: \(unknown.message)\(fullMessage(for: error).drop { $0 != "\n" })")
      Foundation.exit(ExitStatus.usage.rawValue)
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

/// The level of the program's log on standard error.
enum ProgramLog {
  /// The environment variable that sets it.
  static let variable = "LATCHKEY_LOG_LEVEL"

  /// `LATCHKEY_LOG_LEVEL` (trace, debug, info, notice, warning, error or critical), else notice.
  static let level = Environment[variable].flatMap { Logger.Level(rawValue: $0) } ?? .notice
}
