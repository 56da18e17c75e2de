import LatchkeyKeychainModel

/// An authenticator of this library, whose name stands for the same one in every program.
protocol NamedAuthenticator: Authenticator {
  /// What `LATCHKEY_PRESENCE` calls it, or something that no variable can name.
  var fixedName: String { get }
}

extension Authenticator {
  /// The name by which a keychain keeps that this one may vouch. What a program brings itself has one that no variable can
  /// choose, whatever it calls itself.
  var storedName: String { (self as? any NamedAuthenticator)?.fixedName ?? "code:\(name)" }
}

extension ProgramAuthenticator: NamedAuthenticator {
  var fixedName: String { name }
}

extension PAMAuthenticator: NamedAuthenticator {
  var fixedName: String { name }
}
