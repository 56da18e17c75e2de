import LatchkeyTestSupport
import Foundation
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel
import LatchkeyKeychainTesting
import Synchronization
import Testing
@testable import LatchkeyUserPresence

@testable import LatchkeyKeychainStore

/// A clock that stands still until a test sets it on. It wakes nobody.
final class StandingClock: Sendable {
  private let seconds = Mutex<Double>(1000)

  func pass(_ seconds: Double) { self.seconds.withLock { $0 += seconds } }

  var presenceClock: PresenceClock {
    PresenceClock(now: { self.seconds.withLock { $0 } }, after: { _, _ in {} })
  }
}

/// A keychain with an enclave, a finger, somebody who types the passcode, and a clock that stands still.
final class EnclaveFixture: Sendable {
  static let passcode = "correct horse"
  let folder: StoreFolder
  let finger = ScriptedAuthenticator()
  let user = ScriptedPrompter(always: EnclaveFixture.passcode)
  let engine: RecordingEngine
  let clock = StandingClock()
  let keychain: KeychainDatabase
  let hasBiometry: Bool

  /// - Parameter hasBiometry: whether the finger counts.
  init(passcode: Bool = true, hasBiometry: Bool = true, backend: EnclaveBackend = .software) throws {
    folder = try StoreFolder()
    engine = RecordingEngine(backend: backend)
    self.hasBiometry = hasBiometry
    keychain = try KeychainDatabase(
      Self.configuration(folder, [engine], hasBiometry ? [finger] : [], user, clock))
    if passcode { try keychain.setPasscode(Array(Self.passcode.utf8), current: nil) }
  }

  private static func configuration(
    _ folder: StoreFolder, _ engines: [any KeyEngine], _ biometry: [any Authenticator], _ user: ScriptedPrompter,
    _ clock: StandingClock
  ) -> KeychainDatabase.Configuration {
    var configuration = folder.configuration()
    configuration.engines = .engines(engines)
    configuration.presence = PresenceConfiguration(biometry: biometry, prompter: user)
    configuration.presence.clock = clock.presenceClock
    return configuration
  }

  /// The same file, opened again as another process would.
  func reopened(_ engines: [any KeyEngine]? = nil, hasBiometry: Bool? = nil) throws -> KeychainDatabase {
    let biometry = hasBiometry ?? self.hasBiometry
    return try KeychainDatabase(
      Self.configuration(folder, engines ?? [engine], biometry ? [finger] : [], user, clock))
  }

  func enclave(_ keychain: KeychainDatabase? = nil) throws -> any Enclave {
    try #require((keychain ?? self.keychain).enclave)
  }

  func session() throws -> any PresenceSession { try #require(keychain.presence).makeSession() }

  func create(
    _ flags: AccessControl.Flags = .privateKeyUsage, _ protection: Accessibility = .whenUnlockedThisDeviceOnly,
    consent: Consent = Consent()
  ) throws -> EnclaveKey {
    try enclave().create(AccessControl(protection: protection, flags: flags), consent: consent)
  }

  /// How often anybody was asked for anything.
  var timesAsked: Int { finger.timesAsked + user.questions.count }
}

let someDigest = (0..<32).map { UInt8($0) }

extension Enclave {
  func sign(_ key: EnclaveKey, _ consent: Consent = Consent()) throws(StoreError) -> [UInt8] {
    try sign(digest: someDigest, with: key, consent: consent)
  }
}
