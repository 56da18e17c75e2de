import Glibc
import LatchkeyKeychainModel
import LatchkeySystem

/// A program or a PAM service whose result is trusted: only the user and root may be able to write or replace it.
struct TrustedFile: Sendable {
  /// The file's absolute path.
  let path: String
  /// The file's name in errors, such as "program".
  let what: String

  /// Resolves links, verifies the file and every folder above it, and returns the resolved path.
  ///
  /// - Throws: `.biometryNotAvailable`, with the remedy.
  func checked() throws(PresenceError) -> String {
    guard path.hasPrefix("/"), !path.utf8.contains(0) else {
      throw .biometryNotAvailable("the \(what) \"\(path)\" has no absolute path: write it from / on")
    }
    guard let buffer = realpath(path, nil) else {
      throw .biometryNotAvailable(
        "the \(what) \(path) cannot be found (\(String(cString: strerror(errno)))): put it there, or mend LATCHKEY_PRESENCE"
      )
    }
    defer { free(buffer) }
    let resolved = String(cString: buffer)
    try validate(resolved, isFolder: false)
    var folder = FilePaths.folder(of: resolved)
    while true {
      try validate(folder, isFolder: true)
      if folder == "/" || folder == "." { return resolved }
      folder = FilePaths.folder(of: folder)
    }
  }

  private func validate(_ path: String, isFolder: Bool) throws(PresenceError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw .biometryNotAvailable(
        "\(path) cannot be looked at (\(String(cString: strerror(errno)))): change its permissions")
    }
    guard isFolder || status.st_mode & S_IFMT == S_IFREG else {
      throw .biometryNotAvailable("the \(what) \(path) is not a plain file: name one in LATCHKEY_PRESENCE")
    }
    guard status.st_uid == geteuid() || status.st_uid == 0 else {
      throw .biometryNotAvailable(
        "\(path) belongs to another user (\(status.st_uid)), who could exchange the \(what): change its owner")
    }
    // In a sticky folder such as /tmp, others may add files but not rename the user's.
    let isOpen = status.st_mode & 0o022 != 0 && !(isFolder && status.st_mode & S_ISVTX != 0)
    guard !isOpen else {
      throw .biometryNotAvailable("other users can exchange the \(what): run chmod go-w \(path)")
    }
  }
}
