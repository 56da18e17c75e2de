import LatchkeyByteCoding
import LatchkeyKeychainModel
import LatchkeyKeychainStore
import Synchronization

/// A keychain that asks for its passcode when an item is locked, and then repeats the call. Where no user can be asked, the error
/// stays.
final class UnlockingStore: ItemStore, Enclave {
  private let database: KeychainDatabase
  private let prompter: CommandPrompter
  private let asking = Mutex(())

  init(_ database: KeychainDatabase, _ prompter: CommandPrompter) {
    self.database = database
    self.prompter = prompter
  }

  var lockState: LockState { database.lockState }
  var presence: (any PresenceService)? { database.presence }
  var enclave: (any Enclave)? { database.enclave == nil ? nil : self }
  var sharedPath: String? { database.sharedPath }

  func add(_ item: NewItem, as caller: Entitlements) throws(StoreError) -> StoredItem {
    try unlocking { () throws(StoreError) in try database.add(item, as: caller) }
  }

  func find(_ query: ItemQuery, as caller: Entitlements) throws(StoreError) -> [StoredItem] {
    try unlocking { () throws(StoreError) in try database.find(query, as: caller) }
  }

  func update(_ query: ItemQuery, with changes: ItemChanges, as caller: Entitlements) throws(StoreError) -> Int {
    try unlocking { () throws(StoreError) in try database.update(query, with: changes, as: caller) }
  }

  func delete(_ query: ItemQuery, as caller: Entitlements) throws(StoreError) -> Int {
    try unlocking { () throws(StoreError) in try database.delete(query, as: caller) }
  }

  // MARK: The enclave

  /// The database's, which was there when this one was given out as an enclave.
  private func inner() throws(StoreError) -> any Enclave {
    guard let enclave = database.enclave else { throw .unavailable("this keychain has no enclave") }
    return enclave
  }

  var backend: EnclaveBackend { database.enclave?.backend ?? .software }

  func create(_ control: AccessControl, consent: Consent) throws(StoreError) -> EnclaveKey {
    try unlocking { () throws(StoreError) in try inner().create(control, consent: consent) }
  }

  func key(representation: [UInt8]) throws(StoreError) -> EnclaveKey {
    try unlocking { () throws(StoreError) in try inner().key(representation: representation) }
  }

  func sign(digest: [UInt8], with key: EnclaveKey, consent: Consent) throws(StoreError) -> [UInt8] {
    try unlocking { () throws(StoreError) in try inner().sign(digest: digest, with: key, consent: consent) }
  }

  func sharedSecret(
    with peer: [UInt8], by key: EnclaveKey, for operation: PresenceOperation, consent: Consent
  ) throws(StoreError) -> [UInt8] {
    try unlocking { () throws(StoreError) in
      try inner().sharedSecret(with: peer, by: key, for: operation, consent: consent)
    }
  }

  func attest(_ key: EnclaveKey, challenge: [UInt8], consent: Consent) throws(StoreError) -> [UInt8] {
    try unlocking { () throws(StoreError) in try inner().attest(key, challenge: challenge, consent: consent) }
  }

  /// No user is asked: where it is not known, the error says so.
  func isInvalidated(_ key: EnclaveKey) throws(StoreError) -> Bool { try inner().isInvalidated(key) }

  // MARK: Asking

  /// How often a wrong passcode is asked for again.
  private static let tries = 3

  private func unlocking<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
    do throws(StoreError) {
      return try body()
    } catch {
      guard case .locked = error, prompter.isReady else { throw error }
      do throws(StoreError) {
        try asking.withLock { _ throws(StoreError) in try ask() }
      } catch .presence(.notInteractive) {
        throw error
      }
      return try body()
    }
  }

  private func ask() throws(StoreError) {
    var complaint: String?
    for number in 1...Self.tries where database.lockState != .unlocked {
      var passcode = try answer(PresenceQuestion(.passcode, reason: "the keychain is locked", complaint: complaint))
      defer { passcode.wipe() }
      if passcode.isEmpty {
        complaint = "nothing was typed"
        continue
      }
      do throws(StoreError) {
        try database.unlock(passcode: passcode)
      } catch {
        guard case .wrongPasscode(let left) = error, left > 0, number < Self.tries else { throw error }
        complaint = "that was not the passcode; \(left) more before a delay"
      }
    }
  }

  private func answer(_ question: PresenceQuestion) throws(StoreError) -> [UInt8] {
    do throws(PresenceError) {
      return try prompter.answer(question, cancellation: Cancellation())
    } catch {
      throw .presence(error)
    }
  }
}
