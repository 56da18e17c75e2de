/// Why a PKCS#12 file was not read or written.
public enum PKCS12Error: Error, Hashable, Sendable {
  /// The bytes are no PKCS#12 file: what is wrong, and where. The peer's or the file's fault.
  case malformed(String)
  /// The password is wrong, or the file was altered: the two cannot be told apart.
  case wrongPassword
  /// The file uses what this reader does not do: its name or object identifier.
  case unsupported(String)
  /// The file has no MAC, so nothing protects it from being altered, and the caller did not say that this is fine.
  case notAuthenticated
  /// A bound of ``PKCS12Limits`` was passed: which.
  case tooLarge(String)
  /// The caller's misuse, e.g. an empty password for a new file: what to do instead.
  case misuse(String)
}
