import Glibc
import LatchkeyKeychainModel
import LatchkeySystem

/// A file whose word counts, a program or a PAM service: nobody but the user and root may write to it, nor put another in
/// its place.
struct TrustedFile: Sendable {
  /// Where it is: an absolute path.
  let path: String
  /// What it is called in errors, "program" say.
  let what: String

  /// The path without links, after a look at the file and at every folder above it.
  ///
  /// - Throws: `.biometryNotAvailable`, with what to mend.
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
    try judge(resolved, isFolder: false)
    var folder = FilePaths.folder(of: resolved)
    while true {
      try judge(folder, isFolder: true)
      if folder == "/" || folder == "." { return resolved }
      folder = FilePaths.folder(of: folder)
    }
  }

  private func judge(_ path: String, isFolder: Bool) throws(PresenceError) {
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
    // In a folder like /tmp others may add files, but not rename ours.
    let isOpen = status.st_mode & 0o022 != 0 && !(isFolder && status.st_mode & S_ISVTX != 0)
    guard !isOpen else {
      throw .biometryNotAvailable("other users can exchange the \(what): run chmod go-w \(path)")
    }
  }
}
