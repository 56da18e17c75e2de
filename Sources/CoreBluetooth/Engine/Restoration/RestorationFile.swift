import Foundation
import LatchkeyByteCoding

/// The state of a manager that outlives the process.
protocol RestorationRecord: Codable, Equatable, Sendable {
  /// The role in the name of the file.
  static var role: String { get }

  /// Whether there is nothing to restore.
  var isEmpty: Bool { get }
}

/// The file in which a manager with a restore identifier stores its state for the next launch.
///
/// It is written at each change, and removed when there is nothing to restore or the manager is released: what is there at
/// the start is what a process that ended, by a crash or otherwise, was using. One manager at a time, of all processes, uses an
/// identifier. If the file cannot be read or written, that is logged, and the manager works without it.
final class RestorationFile<Record: RestorationRecord>: Sendable {
  private struct Document: Codable {
    var version: Int
    var identifier: String
    var state: Record
  }

  private struct State {
    /// Held until the manager is released.
    var lock: FileLock?
    /// What the file holds; nil if there is none.
    var written: Record?
    var hasFailed = false
  }

  /// The state of an earlier process; nil if there is none.
  let restored: Record?
  private let folder: StateFolder
  private let name: String
  private let identifier: String
  private let state: Locked<State>

  /// The file of an identifier; nil if the identifier is not usable, or the folder is not, or another manager uses it.
  init?(identifier: String, in folder: StateFolder) {
    guard (1...RestorationLimits.identifierLength).contains(identifier.utf8.count) else {
      Diagnostics.misuse(
        "a restore identifier has 1 to \(RestorationLimits.identifierLength) bytes of UTF-8, and no other restores state"
      )
      return nil
    }
    self.folder = folder
    self.identifier = identifier
    name = "restoration-\(Record.role)-\(Hexadecimal.encode(Array(identifier.utf8)))"
    do {
      guard let lock = try folder.lock("\(name).lock", waits: false) else {
        Diagnostics.misuse(
          "the restore identifier \(identifier) is in use by another manager: this one restores no state")
        return nil
      }
      restored = try Self.read(name, identifier, in: folder)
      state = Locked(State(lock: lock, written: restored))
    } catch {
      Diagnostics.notice("no state is restored or stored for \(identifier): \(error.localizedDescription)")
      return nil
    }
  }

  /// Stores the state if it has changed.
  ///
  /// - Parameter record: makes the state. It is called with the file locked, so that the last write has the newest state; it
  ///   must not call the app.
  func update(_ record: () -> Record) {
    state.withLock { state in
      guard state.lock != nil else { return }
      let new = record()
      guard new != state.written, !(new.isEmpty && state.written == nil) else { return }
      do {
        if new.isEmpty {
          try folder.remove(name)
        } else {
          let encoder = JSONEncoder()
          encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
          try folder.replace(
            name, with: encoder.encode(Document(version: RestorationLimits.version, identifier: identifier, state: new))
          )
        }
        state.written = new.isEmpty ? nil : new
        state.hasFailed = false
      } catch {
        // Once: each change would fail alike.
        if !state.hasFailed {
          Diagnostics.notice("the state of \(identifier) cannot be stored: \(error.localizedDescription)")
        }
        state.hasFailed = true
      }
    }
  }

  /// Removes the file when the manager is released, and frees the identifier.
  func end() {
    state.withLock { state in
      guard state.lock != nil else { return }
      do {
        if state.written != nil { try folder.remove(name) }
      } catch {
        Diagnostics.notice("the state of \(identifier) cannot be removed: \(error.localizedDescription)")
      }
      state = State()
    }
  }

  /// The content of the file; nil if there is none, or it is malformed.
  private static func read(_ name: String, _ identifier: String, in folder: StateFolder) throws -> Record? {
    guard let data = try folder.read(name) else { return nil }
    guard data.count <= RestorationLimits.fileSize, let document = try? JSONDecoder().decode(Document.self, from: data),
      document.version == RestorationLimits.version, document.identifier == identifier
    else {
      Diagnostics.notice("\(name) in \(folder.url.path) is not readable as a manager's state; it will be written anew")
      return nil
    }
    return document.state.isEmpty ? nil : document.state
  }
}

/// The limits of stored state.
enum RestorationLimits {
  /// The version of the file's form.
  static let version = 1
  /// The longest identifier, in bytes of UTF-8: names of files end at 255.
  static let identifierLength = 100
  /// The longest file that is read, in bytes. A manager with all handles in use writes less.
  static let fileSize = 32 << 20
  /// The most connections that are restored.
  static let connections = 256
}

extension RestorationFile {
  /// The file for a manager's options; nil without an identifier, or where nothing outlives the process.
  static func make(options: [String: Any]?, key: String, in folder: StateFolder?) -> RestorationFile? {
    guard let identifier = options?[key] as? String else { return nil }
    return folder.flatMap { RestorationFile(identifier: identifier, in: $0) }
  }
}
