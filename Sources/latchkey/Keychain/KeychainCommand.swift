import ArgumentParser

/// `latchkey keychain`: the verbs of macOS `security` that concern items, and the keychain's own.
struct KeychainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keychain",
    abstract: "Look after the keychain, as macOS's `security` does.",
    discussion: """
      The keychain is that of every program which imports Security: LATCHKEY_KEYCHAIN, or latchkey/keychain.db in \
      XDG_DATA_HOME or ~/.local/share. It is made by the first command that adds something. Secrets come from a prompt, \
      @FILE or - (standard input); on the command line they work too, with a warning.

      A keychain with a passcode asks for it when something in it is locked: at the terminal, or by the program in \
      LATCHKEY_ASKPASS. Ends with 44 if no item matches, 45 if an item is there already, 36 if it is locked and nobody can \
      be asked, 51 if a passcode is wrong, as macOS's `security` does; with 130 after ^C at a question; else by sysexits: 64 \
      usage, 65 bad or damaged data, 69 something is not there, 74 reading or writing failed, 75 try later, 77 not permitted.

      LATCHKEY_ENTITLEMENTS names a property list whose keychain-access-groups are the groups to be seen. It is this \
      program's own word: it gives Apple's behavior, not protection from a program that writes itself other entitlements.
      """,
    subcommands: [
      AddGenericPassword.self, FindGenericPassword.self, DeleteGenericPassword.self, AddInternetPassword.self,
      FindInternetPassword.self, DeleteInternetPassword.self, AddCertificates.self, FindCertificate.self,
      DeleteCertificate.self, ImportItems.self, ExportKeychain.self, BackUpKeychain.self, RestoreKeychain.self,
      FindIdentity.self, DumpKeychain.self,
      SetPasscode.self, RotateKeychain.self, KeychainRecoveryCommand.self,
      KeychainStatusCommand.self, KeychainPresenceCommand.self, VerifyKeychain.self,
      AuditKeychain.self,
    ])

  /// `arguments` without a `-w` at their end: macOS's way to be asked for the password of a new item, which here is to leave
  /// it out. An option with a value cannot say so itself, and one whose value were optional would not take a password that
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
