import Glibc
package import LatchkeyKeychainModel
import LatchkeyProcessEnvironment
import LatchkeySystem

/// A secret that systemd passes to a service as a file in `$CREDENTIALS_DIRECTORY` (systemd.exec(5), "Credentials").
package struct SystemdCredential: Sendable {
  /// The credential's name.
  package let name: String
  private let directory: String?

  /// The folder of this process's credentials.
  package static var directory: String? { Environment["CREDENTIALS_DIRECTORY"] }

  /// The credential of this name in a folder.
  package init(name: String, directory: String?) {
    self.name = name
    self.directory = directory
  }

  /// Reads at most `maximum` bytes; nil if there is no such credential.
  ///
  /// systemd gives the files to root and grants the service's user access by an access control list, which shows as group bits.
  /// Group bits are therefore accepted; bits for others are refused.
  ///
  /// - Throws: `.configuration` for a name that is not a file name; `.unsafeLocation`; `.inputOutput`.
  package func read(maximum: Int) throws(StoreError) -> [UInt8]? {
    guard !name.isEmpty, !name.contains("/"), name != ".", name != ".." else {
      throw .configuration("\"\(name)\" is not the name of a credential: use letters, digits, dots and hyphens")
    }
    guard let directory, directory.hasPrefix("/") else { return nil }
    let path = "\(directory)/\(name)"
    let file = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard file >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw .inputOutput("the credential \(path) cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o007 == 0,
      status.st_uid == geteuid() || status.st_uid == 0
    else { throw .unsafeLocation("the credential \(path) is open to other users, belongs to one, or is no plain file") }
    return try FilePaths.readAll(file, maximum: maximum, path: path)
  }

  /// Reads the root key in the credential.
  func rootKey() throws(StoreError) -> RootKey {
    guard var bytes = try read(maximum: RootKey.byteCount + 1) else {
      throw .rootKeyUnavailable(
        "the service has no credential \(name) (CREDENTIALS_DIRECTORY is \(directory ?? "not set")): "
          + "add LoadCredentialEncrypted=\(name) to its unit")
    }
    guard let key = RootKey(consuming: &bytes) else {
      throw .rootKeyUnavailable("the credential \(name) has not the \(RootKey.byteCount) bytes of a root key")
    }
    return key
  }
}
