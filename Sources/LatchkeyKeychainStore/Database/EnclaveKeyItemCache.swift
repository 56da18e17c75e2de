import LatchkeyKeychainModel
import Synchronization

/// The keys of the enclave in items, as they were last read and verified: each is valid as long as no process has
/// committed since. A cached key is sealed as it is in the file, and its secret is opened at
/// each use.
final class EnclaveKeyItemCache: Sendable {
  struct Key: Sendable {
    /// The class of the item; without the keys of the class the key is out of reach.
    let accessibility: Accessibility
    let representation: [UInt8]
  }

  private struct State {
    var commits: CommitMark?
    var keys: [[UInt8]: Key] = [:]
  }

  /// So many keys at most.
  static let maximum = 64

  private let state = Mutex(State())

  /// The key that the item with this UUID keeps; nil if it is to be read.
  ///
  /// - Parameter commits: the state of the file that the call sees; nil where it has no mark.
  func key(_ uuid: [UInt8], at commits: CommitMark?) -> Key? {
    guard let commits else { return nil }
    return state.withLock { $0.commits == commits ? $0.keys[uuid] : nil }
  }

  func insert(_ key: Key, _ uuid: [UInt8], at commits: CommitMark?) {
    guard let commits else { return }
    state.withLock { state in
      if state.commits != commits || state.keys.count >= Self.maximum { state = State(commits: commits) }
      state.keys[uuid] = key
    }
  }

  func removeAll() { state.withLock { $0 = State() } }
}
