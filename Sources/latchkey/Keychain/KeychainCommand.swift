import ArgumentParser
import LatchkeyCommandLine

/// `latchkey keychain`: the verbs of macOS `security` that concern items, and the keychain's own.
struct KeychainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keychain",
    abstract: "Manage the keychain, as macOS's `security` does.",
    discussion: """
      The keychain is that of every program which imports Security: LATCHKEY_KEYCHAIN, or latchkey/keychain.db in \
      XDG_DATA_HOME or ~/.local/share. It is made by the first command that adds something. Secrets come from a prompt, \
      @FILE or - (standard input); on the command line they work too, with a warning.

      A keychain with a passcode asks for it when something in it is locked: at the terminal, or by the program in \
      LATCHKEY_ASKPASS. Statuses below 64 are those of macOS's `security`.

      LATCHKEY_ENTITLEMENTS names a property list whose keychain-access-groups are the groups to be seen. Nothing \
      proves it: it gives Apple's behavior, not protection from a program that writes itself other entitlements.
      """,
    examples: [
      "latchkey keychain add-generic-password -a alice -s mail", "latchkey keychain find-generic-password -s mail -w",
      "latchkey keychain status",
    ],
    statuses: .keychainItem + [.duplicateItem],
    groupedSubcommands: [
      CommandGroup(
        name: "Password",
        subcommands: [
          AddGenericPassword.self, FindGenericPassword.self, DeleteGenericPassword.self, AddInternetPassword.self,
          FindInternetPassword.self, DeleteInternetPassword.self,
        ]),
      CommandGroup(
        name: "Certificate",
        subcommands: [AddCertificates.self, FindCertificate.self, DeleteCertificate.self, FindIdentity.self]),
      CommandGroup(
        name: "Transfer and backup",
        subcommands: [
          ImportItems.self, ExportKeychain.self, BackUpKeychain.self, RestoreKeychain.self, DumpKeychain.self,
        ]),
      CommandGroup(
        name: "Protection",
        subcommands: [
          SetPasscode.self, RotateKeychain.self, KeychainRecoveryCommand.self, KeychainPresenceCommand.self,
        ]),
      CommandGroup(
        name: "Health", subcommands: [KeychainStatusCommand.self, VerifyKeychain.self, AuditKeychain.self]),
    ])

  /// `arguments` without a `-w` at their end: macOS's way to be asked for the password of a new item, which here is to leave
  /// it out. An option with a value cannot say so itself, and one whose value were optional would not accept a password that
  /// begins with a hyphen.
  static func withoutFinalPrompt(_ arguments: some Collection<String>) -> [String] {
    let arguments = Array(arguments)
    guard arguments.count > 2, arguments[0] == configuration.commandName,
      [AddGenericPassword.configuration.commandName, AddInternetPassword.configuration.commandName]
        .contains(arguments[1]), arguments.last == "-w"
    else { return arguments }
    return arguments.dropLast()
  }
}
