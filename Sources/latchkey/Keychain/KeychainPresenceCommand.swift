import ArgumentParser
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyKeychainModel
import LatchkeyKeychainStore

/// `latchkey keychain presence`: shows who may vouch for the user, and changes it.
struct KeychainPresenceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "presence",
    abstract: "Print who may vouch for the keychain's user, or change it with --allow.",
    discussion: """
      Items and keys that need biometry accept the authenticators that the keychain names, and no others: the first item that is \
      guarded so sets them to those of LATCHKEY_PRESENCE. Later LATCHKEY_PRESENCE chooses among them and adds none.

      Changing it needs the keychain's passcode. Without one, root changes it: /etc/latchkey/presence.conf, where it exists, \
      counts in the place of what the keychain names (a list like LATCHKEY_PRESENCE's on each line, # for comments), and its \
      names are accepted by --allow without a passcode. What is guarded by biometry-current-set is lost by a change.

      After a repair of a keychain whose header was lost it is "nobody", until it is set with the passcode or by root's file.

      With --json: presence (path, allowed: the keychain's list, machine: root's or null, counting: whose names count now), \
      done or error.
      """,
    examples: ["latchkey keychain presence", "latchkey keychain presence --allow fprintd,pam:login"],
    statuses: .keychain)

  @Option(
    help: ArgumentHelp(
      "From now on these may vouch and no others: a comma list of fprintd, pam:SERVICE and program:PATH.",
      valueName: "list"))
  var allow: String?
  @Option(
    name: [.customShort("p"), .long], parsing: .unconditional,
    help: "The keychain's passcode, for --allow: @FILE, - or, with a warning, the passcode itself.")
  var passcode: String?
  @OptionGroup var file: KeychainFile
  @Argument(help: ArgumentHelp("The keychain's file, as with --keychain.", valueName: "keychain")) var path: String?
  @OptionGroup var output: KeychainOutput

  func validate() throws {
    guard path == nil || file.keychain == nil else { throw ValidationError("give one keychain") }
    guard allow != nil || passcode == nil else { throw ValidationError("--passcode goes with --allow") }
  }

  func run() throws {
    try output.run {
      let keychain = try OpenKeychain(
        path: path ?? file.keychain, keyFile: file.keyFile, passcode: nil,
        access: allow == nil ? .inspecting : .changing)
      if let allow { try change(keychain.database, to: allow) }
      let (allowed, machine) = (
        try keychain.database.allowedAuthenticators(), try keychain.database.machineAuthenticators()
      )
      let counting = machine ?? allowed
      var lines = ["may vouch: \(counting.isEmpty ? Self.nobody(machine) : counting.joined(separator: ", "))"]
      if let machine, machine != allowed {
        lines.append(
          "by /etc/latchkey/presence.conf; the keychain names \(allowed.isEmpty ? "nobody" : allowed.joined(separator: ", "))"
        )
      }
      try output.emit(
        lines, "presence",
        [
          ("path", .text(keychain.path)), ("allowed", .list(allowed.map { .text($0) })),
          ("machine", machine.map { .list($0.map { .text($0) }) } ?? .null),
          ("counting", .list(counting.map { .text($0) })),
        ])
    }
  }

  private func change(_ database: KeychainDatabase, to list: String) throws {
    let names = list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let isFree = try database.allowedAuthenticators().isEmpty || database.allowedAuthenticators() == names
    let isRoots = try database.machineAuthenticators().map { Set(names).isSubset(of: $0) } ?? false
    guard !isFree, !isRoots, try database.status().hasPasscode else {
      return try database.allowAuthenticators(names, passcode: nil)
    }
    var passcode = try SecretArgument.readBytes(passcode, option: "--passcode", prompt: "Passcode of the keychain: ")
    defer { passcode.wipe() }
    try database.allowAuthenticators(names, passcode: passcode)
  }

  private static func nobody(_ machine: [String]?) -> String {
    machine == nil ? "not set yet: the first item guarded by biometry sets it" : "nobody"
  }
}
