import Foundation
import LatchkeyCommandLine
import LatchkeyEnrollmentStore

/// Who claims a server's name in a store: a random name in the state folder, so that a server that was killed gets its own name back at
/// once; and a lock, so that two servers of one folder do not both.
struct NodeIdentity: ~Copyable {
  let holder: Identifier
  private let lock: Int32

  /// - Throws: where another server of this folder has the name.
  init(_ node: String, in folder: StateFolder) throws {
    let name = Data(node.utf8.prefix(48)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let path = folder.path("node-\(name).lock")
    lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard lock >= 0 else { throw CommandFailure(.inputOutput, "\(path) cannot be opened") }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      close(lock)
      throw CommandFailure(
        .unavailable, code: "nodeTaken",
        "another server runs with the state folder \(folder.path("")) and the name \(node): give this one --node or --state"
      )
    }
    holder = try Self.holder(folder)
  }

  deinit { close(lock) }

  /// Validates that no server of a folder runs, whatever its name.
  ///
  /// - Throws: where one does.
  static func requireNone(in folder: StateFolder) throws(CommandFailure) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path(""))) ?? []
    for name in names where name.hasPrefix("node-") && name.hasSuffix(".lock") {
      let lock = open(folder.path(name), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      guard lock >= 0 else { continue }
      defer { close(lock) }
      guard flock(lock, LOCK_SH | LOCK_NB) == 0 else {
        throw CommandFailure(
          .unavailable, code: "serverRuns",
          "a server runs with the state folder \(folder.path("")): stop it first, and then move its database away")
      }
    }
  }

  private static func holder(_ folder: StateFolder) throws -> Identifier {
    try folder.exclusively { try known(folder) ?? made(folder) }
  }

  private static let file = "node-id"

  private static func made(_ folder: StateFolder) throws(CommandFailure) -> Identifier {
    let new = Identifier.random()
    try folder.write(file, "\(new)\n")
    return new
  }

  private static func known(_ folder: StateFolder) throws(CommandFailure) -> Identifier? {
    guard let known = try folder.read(file) else { return nil }
    let text = String(decoding: known, as: UTF8.self).trimmingCharacters(in: .newlines)
    guard let holder = Identifier(text) else {
      throw CommandFailure(.badData, "\(folder.path(file)) is damaged: remove it")
    }
    return holder
  }
}
