import LatchkeyTestSupport
import Foundation
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel
import LatchkeyKeychainTesting
import Testing
@testable import LatchkeyUserPresence

@testable import LatchkeyKeychainStore

/// A keychain in which somebody can be asked: a finger, and somebody who types the passcode.
final class GuardedBench: Sendable {
  static let passcode = "correct horse"
  let folder: StoreFolder
  let finger = ScriptedAuthenticator()
  let user: ScriptedPrompter
  let store: KeychainDatabase
  let hasBiometry: Bool

  init(passcode: Bool = true, hasBiometry: Bool = false, types text: String = GuardedBench.passcode) throws {
    folder = try StoreFolder()
    user = ScriptedPrompter(always: text)
    self.hasBiometry = hasBiometry
    store = try KeychainDatabase(Self.configuration(folder, hasBiometry ? [finger] : [], user))
    if passcode { try store.setPasscode(Array(Self.passcode.utf8), current: nil) }
  }

  private static func configuration(
    _ folder: StoreFolder, _ biometry: [any Authenticator], _ user: ScriptedPrompter
  ) -> KeychainDatabase.Configuration {
    var configuration = folder.configuration()
    configuration.engines = .software
    configuration.presence = PresenceConfiguration(biometry: biometry, prompter: user)
    return configuration
  }

  /// The same file, opened again as another process would, and unlocked.
  func reopened(hasBiometry: Bool? = nil) throws -> KeychainDatabase {
    let biometry = hasBiometry ?? self.hasBiometry
    let store = try KeychainDatabase(Self.configuration(folder, biometry ? [finger] : [], user))
    if store.lockState != .unlocked { try store.unlock(passcode: Array(Self.passcode.utf8)) }
    return store
  }

  /// How often anybody was asked for anything.
  var timesAsked: Int { finger.timesAsked + user.questions.count }

  /// A session with an application password.
  func session(_ password: String, in store: KeychainDatabase? = nil) throws -> any PresenceSession {
    let session = try #require((store ?? self.store).presence).makeSession()
    try session.setApplicationPassword(Array(password.utf8))
    return session
  }

  @discardableResult
  func add(
    _ account: String, _ flags: AccessControl.Flags, _ protection: Accessibility = .whenUnlockedThisDeviceOnly,
    data: String? = "secret", consent: Consent = Consent()
  ) throws(StoreError) -> StoredItem {
    var item = NewItem.password(account, data: data)
    item.accessControl = AccessControl(protection: protection, flags: flags)
    item.consent = consent
    return try store.add(item, as: me)
  }

  func find(
    _ account: String, consent: Consent = Consent(), wantsData: Bool = true
  ) throws(StoreError) -> StoredItem? {
    var query = ItemQuery.password(account, wantsData: wantsData)
    query.consent = consent
    return try store.find(query, as: me).first
  }

  func update(
    _ account: String, _ changes: ItemChanges, consent: Consent = Consent()
  ) throws(StoreError) -> Int {
    var query = ItemQuery.password(account)
    query.consent = consent
    return try store.update(query, with: changes, as: me)
  }

  func makeKey(
    _ flags: AccessControl.Flags = .privateKeyUsage, _ protection: Accessibility = .whenUnlockedThisDeviceOnly
  ) throws -> EnclaveKey {
    let enclave = try #require(store.enclave)
    return try enclave.create(AccessControl(protection: protection, flags: flags), consent: Consent())
  }

  @discardableResult
  func keep(_ key: EnclaveKey, _ label: String = "key") throws(StoreError) -> StoredItem {
    var item = NewItem(.key, attributes: [.label: .text(label), .applicationLabel: .bytes(key.id)])
    item.enclaveKey = key
    return try store.add(item, as: me)
  }
}

extension StoreError {
  var isNotInteractive: Bool { if case .presence(.notInteractive) = self { true } else { false } }
  var isRefusal: Bool { if case .presence(.authenticationFailed) = self { true } else { false } }
}
