import CoreFoundation
import Foundation
import LatchkeyCommandLine
import LatchkeyEnclaveKeys
import LatchkeyProcessEnvironment

/// Where a server keeps what it made for itself: authority, keys, database. Files with secrets are for their owner alone.
struct StateFolder: Sendable {
  /// Whether a missing folder is made.
  enum Absence { case makes, fails, isLeft }

  let url: URL
  /// Whether there is one; else it holds nothing, and nothing is written to it.
  let isThere: Bool

  /// `path`, else `$XDG_STATE_HOME/latchkey/server`, else below the home folder.
  ///
  /// There is no other: in a folder where everyone may write, another user can make it, with keys that they know.
  ///
  /// - Parameter absence: what becomes of it where it is missing.
  init(_ path: String?, absence: Absence = .makes) throws(CommandFailure) {
    let environment = Environment.variables
    let wanted: String
    if let path {
      wanted = path
    } else if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
      wanted = state + "/latchkey/server"
    } else if let home = environment["HOME"], home.hasPrefix("/") {
      wanted = home + "/.local/state/latchkey/server"
    } else {
      throw CommandFailure(.inputOutput, "no folder for the server's state: HOME is not set; give --state FOLDER")
    }
    url = URL(fileURLWithPath: wanted, isDirectory: true)
    switch absence {
    case .makes: break
    case .fails, .isLeft:
      if FileManager.default.fileExists(atPath: wanted) { break }
      if absence == .isLeft {
        isThere = false
        return
      }
      throw CommandFailure(
        .inputOutput, code: "noState",
        "there is no folder \(wanted): give --state or --store; serve and user add make one")
    }
    isThere = true
    do {
      try FileManager.default.createDirectory(
        atPath: wanted, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch { throw CommandFailure(.inputOutput, "the folder \(wanted) cannot be made: give --state FOLDER") }
    var about = stat()
    guard stat(wanted, &about) == 0, access(wanted, W_OK) == 0 else {
      throw CommandFailure(.inputOutput, "the folder \(wanted) cannot be written: give --state FOLDER")
    }
    try OwnersFile.check(about, wanted, mode: "700")
  }

  /// Keys and passwords are; certificates and the heads of audit chains are for anyone who wants them.
  private static func isSecret(_ name: String) -> Bool { name.hasSuffix("key.pem") || name.hasSuffix("password") }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  /// A file's bytes; nil if there is no such file.
  func read(_ name: String) throws(CommandFailure) -> [UInt8]? {
    guard FileManager.default.fileExists(atPath: path(name)) else { return nil }
    return try ServerFile.read(path(name), isSecret: Self.isSecret(name))
  }

  /// Writes a file that only its owner can read, whole or not at all.
  func write(_ name: String, _ text: String) throws(CommandFailure) {
    // A name that no other process has, nor one of the same number that was killed here.
    let new = path(".\(name).\(UUID().uuidString)")
    let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw CommandFailure(.inputOutput, "\(path(name)) cannot be written") }
    let bytes = Array(text.utf8)
    let written = Glibc.write(file, bytes, bytes.count)
    let isThere = written == bytes.count && fsync(file) == 0
    Glibc.close(file)
    guard isThere, rename(new, path(name)) == 0 else {
      unlink(new)
      throw CommandFailure(.inputOutput, "\(path(name)) cannot be written")
    }
  }
}

/// Whether a secret is its owner's alone: another user who may read a key has it, anyone who may write it chooses it.
enum OwnersFile {
  /// - Parameters:
  ///   - about: what the system says of the file or folder.
  ///   - mode: what it should have, for the message.
  static func check(_ about: stat, _ path: String, mode: String) throws(CommandFailure) {
    let isRoots = about.st_uid == 0
    guard about.st_uid == geteuid() || isRoots && about.st_mode & S_IFMT == S_IFREG else {
      throw CommandFailure(
        .notPermitted, code: "foreignFile",
        "\(path) belongs to another user (\(name(of: about.st_uid))), who may have put anything there: run this as that user, if it is "
          + "the server's (runuser -u), or give one of your own")
    }
    // A service manager hands root's files to the group of its service, to read.
    let others: mode_t = isRoots && geteuid() != 0 && about.st_mode & S_IFMT == S_IFREG ? 0o037 : 0o077
    guard about.st_mode & others == 0 else {
      throw CommandFailure(
        .notPermitted, code: "openFile", "\(path) is open to other users: chmod \(mode) \(path.shellQuoted)")
    }
  }
}

extension OwnersFile {
  /// The name of a user, or the number of one without a name.
  private static func name(of user: uid_t) -> String {
    guard let entry = getpwuid(user), let name = entry.pointee.pw_name else { return "\(user)" }
    return String(cString: name)
  }
}

/// Files that a server reads: certificates and keys.
enum ServerFile {
  private static let limit = 256 * 1024

  /// - Parameter isSecret: whether its owner alone may read it.
  static func read(_ path: String, isSecret: Bool = false) throws(CommandFailure) -> [UInt8] {
    let bytes: Data
    do {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      // Of the file that is read, whatever stands at its path by now.
      var about = stat()
      guard fstat(file.fileDescriptor, &about) == 0 else { throw CocoaError(.fileReadUnknown) }
      if isSecret { try OwnersFile.check(about, path, mode: "600") }
      bytes = try file.read(upToCount: limit + 1) ?? Data()
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw CommandFailure(.inputOutput, "\(path) cannot be read")
    }
    guard bytes.count <= limit else { throw CommandFailure(.badData, "\(path) has more than \(limit) bytes") }
    return Array(bytes)
  }

  /// The certificates of a file, DER: PEM with any number, or one in DER.
  static func certificates(_ path: String) throws(CommandFailure) -> [[UInt8]] {
    try certificates(read(path), of: path)
  }

  static func certificates(_ bytes: [UInt8], of path: String) throws(CommandFailure) -> [[UInt8]] {
    if bytes.first == 0x30 { return [bytes] }
    let blocks: [PEMDocument]
    do throws(KeyError) {
      blocks = try PEMDocument.decode(String(decoding: bytes, as: UTF8.self))
    } catch {
      throw CommandFailure(.badData, "\(path): \(error)")
    }
    let certificates = blocks.filter { $0.label == "CERTIFICATE" }.map(\.bytes)
    guard !certificates.isEmpty else { throw CommandFailure(.badData, "\(path) holds no certificate") }
    return certificates
  }

  static func pem(_ certificate: [UInt8]) -> String { PEMDocument(label: "CERTIFICATE", bytes: certificate).text }
}

extension StateFolder {
  /// Runs `body` while no other process does this with the same folder: what is made once is made by one of them.
  func exclusively<R>(_ body: () throws -> R) throws -> R {
    let lock = open(path("making.lock"), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard lock >= 0 else { throw CommandFailure(.inputOutput, "\(path("making.lock")) cannot be opened") }
    defer { close(lock) }
    while flock(lock, LOCK_EX) != 0 {
      guard errno == EINTR else { throw CommandFailure(.inputOutput, "\(path("making.lock")) cannot be locked") }
    }
    return try body()
  }
}
