package import ArgumentParser

extension CommandConfiguration {
  /// A command whose help ends with examples and with the statuses that it may end with.
  ///
  /// - Parameters:
  ///   - examples: command lines, as a user types them.
  ///   - statuses: those beside the ones that every command has: done, wrong usage, input or output that failed, ^C.
  package init(
    commandName: String, abstract: String, discussion: String = "", examples: [String], statuses: [ExitStatus] = [],
    version: String = "", subcommands: [any ParsableCommand.Type] = [], groupedSubcommands: [CommandGroup] = [],
    defaultSubcommand: (any ParsableCommand.Type)? = nil, aliases: [String] = []
  ) {
    let blocks = [
      discussion, Self.block("Examples:", examples), Self.block("Exit statuses:", Self.lines(of: statuses)),
    ]
    self.init(
      commandName: commandName, abstract: abstract,
      discussion: blocks.filter { !$0.isEmpty }.joined(separator: "\n\n"), version: version, subcommands: subcommands,
      groupedSubcommands: groupedSubcommands, defaultSubcommand: defaultSubcommand, aliases: aliases)
  }

  private static func lines(of statuses: [ExitStatus]) -> [String] {
    let all = Set(statuses).union(ExitStatus.ofEveryCommand)
    return ["0    done"]
      + all.sorted { $0.rawValue < $1.rawValue }.map { status in
        let number = "\(status.rawValue)"
        return number + String(repeating: " ", count: 5 - number.count) + status.meaning
      }
  }

  private static func block(_ title: String, _ lines: [String]) -> String {
    title + "\n" + lines.map { "  " + $0 }.joined(separator: "\n")
  }
}

extension ExitStatus {
  /// Those that every command may end with.
  static let ofEveryCommand: [ExitStatus] = [.usage, .inputOutput, .interrupted]

  /// Its meaning, for the help: the table that all commands of both programs share.
  package var meaning: String {
    switch self {
    case .notVerified: "the verification failed"
    case .httpError: "the service answered with an error, with -f"
    case .locked: "the keychain is locked, and no user can be asked"
    case .itemNotFound: "no item matches"
    case .duplicateItem: "the item is there already"
    case .authenticationFailed: "a passcode is wrong or missing, or the user refused"
    case .usage: "the command line is wrong"
    case .badData: "the input is wrong, or data are damaged"
    case .unavailable: "something required is missing: a radio, a device, a server"
    case .inputOutput: "reading or writing failed"
    case .tryLater: "it may work later: try again"
    case .notPermitted: "it is not permitted"
    case .interrupted: "^C (a signal that ends it: 128 and its number)"
    }
  }
}

extension [ExitStatus] {
  /// Those of a command that opens a keychain.
  package static let keychain: [ExitStatus] = [
    .locked, .authenticationFailed, .badData, .unavailable, .tryLater, .notPermitted,
  ]
  /// Those of a command that finds an item of a keychain.
  package static let keychainItem = keychain + [.itemNotFound]
  /// Those of a command that adds an item to a keychain.
  package static let newKeychainItem = keychain + [.duplicateItem]
  /// Those of a command that uses a device's enrollment.
  package static let enrollment = keychain
  /// Those of a command that opens a server's store.
  package static let store: [ExitStatus] = [.badData, .unavailable, .tryLater, .notPermitted]
  /// Those of a command that finds something in a server's store.
  package static let storeRecord = store + [.itemNotFound]
}
