import LatchkeyEnclaveKeys
import LatchkeyKeychainModel
import Synchronization

/// The software engine, with a memory of the secrets that it has made and of how often keys were loaded.
final class RecordingEngine: KeyEngine {
  let backend: EnclaveBackend
  private let software = SoftwareEngine(now: { 1_700_000_000 })
  private let state = Mutex(State())

  private struct State {
    var secrets: [[UInt8]] = []
    var loads = 0
  }

  init(backend: EnclaveBackend = .software) { self.backend = backend }

  var secrets: [[UInt8]] { state.withLock { $0.secrets } }
  var loads: Int { state.withLock { $0.loads } }

  func create(_ control: AccessControl) throws(StoreError) -> CreatedKey {
    let made = try software.create(control)
    // A copy of its own: the enclave wipes the one that it gets.
    let secret = made.secret.map { $0 }
    state.withLock { $0.secrets.append(secret) }
    return made
  }

  func load(
    publicKey: [UInt8], blob: [UInt8], secret: [UInt8], control: AccessControl
  ) throws(StoreError) -> any LoadedKey {
    state.withLock { $0.loads += 1 }
    return try software.load(publicKey: publicKey, blob: blob, secret: secret, control: control)
  }
}

/// The kinds of errors that an enclave's tests tell apart.
enum EnclaveFault: Hashable {
  case damaged, foreignKey, keyUsage, locked, invalidated, invalidParameter, unavailable, configuration, inputOutput
  case other
}

extension StoreError? {
  /// The kind; nil for no error.
  var fault: EnclaveFault? {
    switch self {
    case nil: nil
    case .damaged: .damaged
    case .foreignKey: .foreignKey
    case .keyUsage: .keyUsage
    case .locked: .locked
    case .invalidated: .invalidated
    case .invalidParameter: .invalidParameter
    case .unavailable: .unavailable
    case .configuration: .configuration
    case .inputOutput: .inputOutput
    default: .other
    }
  }

  /// The reason that consent was not given.
  var refusal: PresenceError? { if case .presence(let error) = self { error } else { nil } }
}
