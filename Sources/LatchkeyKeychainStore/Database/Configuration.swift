import Dispatch
import Foundation
package import LatchkeyEnclaveKeys
import LatchkeyKeychainModel
import LatchkeyUserPresence

extension KeychainDatabase {
  /// Where a keychain is and how it is opened.
  public struct Configuration: Sendable {
    /// The database file. Its folder is made if need be, with mode 0700; the file has mode 0600.
    public var path: String
    /// Where the root key comes from: by default the file `keychain.key` beside the database.
    public var rootKey: RootKeySource = .keyFile()
    /// Whether only finds are wanted. The file must be there, and nothing is written to it.
    public var isReadOnly = false
    /// Whether a keychain is made where there is none.
    public var createsIfMissing = true
    /// How many seconds a call waits for another process that holds the file.
    public var busyTimeout = 5.0
    /// Who can be asked whether a user is there: nobody, unless said otherwise. The process's own keychain has what its
    /// environment says.
    public var presence = PresenceConfiguration()

    /// Seconds since 2001, for dates and delays.
    package var now: @Sendable () -> Double = { Date.timeIntervalSinceReferenceDate }
    /// The N of scrypt for new passcodes, which may lie below the floor, and lets short passcodes pass: for tests.
    package var scryptRounds: Int?
    /// The least N of scrypt that is opened, for tests of a cost that is raised.
    package var scryptMinimum: Int?
    /// Whether opening it makes copies old ones, where hardware counts (``RollbackGuard``).
    package var countsOpenings = true
    /// Whether an old copy is opened, to be made the newest one: for a restore.
    var takesOldCopies = false
    /// A counter in the place of the root key's own: for tests.
    package var counter: (any HardwareCounter)?
    /// Whether a keychain has its mark at this place (``UsedMark``); a draft has none.
    package var marksPlace = true
    /// The longest time in seconds until deleted and replaced content leaves the log.
    package var erasureDelay = 2.0
    /// Runs something so many seconds later.
    package var later: @Sendable (Double, @escaping @Sendable () -> Void) -> Void = { seconds, body in
      DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + seconds, execute: body)
    }
    /// Called at the steps of a read that looks at what others have committed: for tests, which commit then.
    package var readingStep: @Sendable (ReadingStep) -> Void = { _ in }
    /// Called after each step of a salvage: for tests, which end the process there.
    package var salvageStep: @Sendable (SalvageStep) -> Void = { _ in }
    /// Called after each step of a change of keys, and ends it by throwing: for tests.
    package var rotationStep: RotationStep.Hook = { (_) throws(StoreError) in }
    /// Which engine makes the enclave's new keys.
    package var engines = EngineChoice.automatic
    /// A PEM file with the certificates of a TPM's attestation key, its own first; nil: attestations carry none.
    package var attestationChain: String?

    /// The keychain at `path`, with everything else as it usually is.
    public init(path: String) { self.path = path }
  }
}
