/// The reason for failing to read or write a PKCS#12 file.
public enum PKCS12Error: Error, Hashable, Sendable {
  /// The bytes are not a valid PKCS#12 file: what is wrong, and where. The peer's or the file's fault.
  case malformed(String)
  /// The password is wrong, or the file was altered: the two are indistinguishable.
  case wrongPassword
  /// The file uses an unsupported feature: its name or object identifier.
  case unsupported(String)
  /// The file has no MAC, so changes are undetectable, and the caller did not allow that.
  case notAuthenticated
  /// The file exceeds a limit of ``PKCS12Limits``: which.
  case tooLarge(String)
  /// The caller misused the API, e.g. with an empty password for a new file: what to do instead.
  case misuse(String)
}
