package import Glibc
package import LatchkeyKeychainModel
import LatchkeySystem

/// The machine-wide list of accepted authenticators, which only root writes: `/etc/latchkey/presence.conf`.
///
/// Each line is a list as in `LATCHKEY_PRESENCE`; `#` begins a comment. If the file exists, it decides which authenticators are
/// accepted, and the names stored in keychains are ignored; a file without any entry accepts none.
package struct MachineAuthenticators: Sendable {
  /// The file's path.
  package var path = "/etc/latchkey/presence.conf"
  /// The required owner of the file; tests set another user than root.
  package var owner: uid_t = 0

  private static let maximum = 16 * 1024

  /// Reads the names in order; nil without a file.
  ///
  /// - Throws: `.unsafeLocation` if another user than its owner could write or replace the file; `.configuration` for a
  ///   malformed file; `.inputOutput`.
  package func names() throws(StoreError) -> [String]? {
    let file = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW)
    guard file >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw .inputOutput("\(path) cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { close(file) }
    try validate(file)
    let bytes: [UInt8]
    do throws(SystemError) { bytes = try FilePaths.readAll(file, maximum: Self.maximum) } catch {
      throw .inputOutput("\(path) cannot be read: \(error.text)")
    }
    guard bytes.count < Self.maximum else { throw .configuration("\(path) is longer than a list of names can be") }
    var names: [String] = []
    for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
      let text = line.prefix { $0 != "#" }
      guard text.contains(where: { !$0.isWhitespace }) else { continue }
      for source in try PresenceSettings(String(text), of: path).biometry where !names.contains(source.name) {
        names.append(source.name)
      }
    }
    guard AuthenticatorList.isStorable(names) else { throw .configuration("\(path) names too many, or too long ones") }
    return names
  }

  private func validate(_ file: CInt) throws(StoreError) {
    var status = stat()
    guard fstat(file, &status) == 0 else {
      throw .inputOutput("\(path) cannot be looked at: \(String(cString: strerror(errno)))")
    }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == owner, status.st_mode & 0o022 == 0 else {
      throw .unsafeLocation("\(path) says who may vouch, and is not root's alone: run chown root and chmod 644 on it")
    }
    let folder = FilePaths.folder(of: path)
    guard stat(folder, &status) == 0, status.st_uid == owner || status.st_uid == 0, status.st_mode & 0o022 == 0 else {
      throw .unsafeLocation("others than root can exchange \(path): run chown root and chmod 755 on \(folder)")
    }
  }
}
