import LatchkeyKeychainModel

/// An authenticator of this library, whose name means the same authenticator in every program.
protocol NamedAuthenticator: Authenticator {
  /// The authenticator's name in `LATCHKEY_PRESENCE`, or a name that the variable cannot select.
  var fixedName: String { get }
}

extension Authenticator {
  /// The name under which a keychain stores that this authenticator is accepted. A program's own authenticator gets a prefix
  /// that the variable cannot select, whatever name it claims.
  var storedName: String { (self as? any NamedAuthenticator)?.fixedName ?? "code:\(name)" }
}

extension ProgramAuthenticator: NamedAuthenticator {
  var fixedName: String { name }
}

extension PAMAuthenticator: NamedAuthenticator {
  var fixedName: String { name }
}
