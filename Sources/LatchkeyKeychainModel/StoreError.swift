/// An error of a keychain or its enclave. "Not found", "locked", "wrong passcode" and "damaged" are always distinct cases.
/// No text contains a secret.
public enum StoreError: Error, Hashable, Sendable {
  /// No item matches.
  case itemNotFound
  /// An item with this primary key exists in this access group.
  case duplicateItem
  /// The keys of this accessibility are not available in this state of the lock. Nil: items that may match are hidden before
  /// the first unlock, so whether they match is unknown.
  case locked(Accessibility?, LockState)
  /// The caller does not have this access group; nil: the caller has no access group.
  case missingEntitlement(group: String?)
  /// A query or an item is invalid; the text says why.
  case invalidParameter(String)
  /// The class has no such attribute.
  case noSuchAttribute(ItemAttribute)
  /// This version does not support the request; the text says what is missing.
  case unimplemented(String)
  /// The item requires a passcode, and none is set.
  case passcodeNotSet
  /// The passcode was wrong.
  case wrongPasscode(attemptsBeforeDelay: Int)
  /// Too many wrong passcodes: every attempt is refused for this many seconds.
  case passcodeDelayed(seconds: Double)
  /// The new passcode is too weak; the text says what is required.
  case passcodeRefused(String)
  /// The root key does not open this keychain, or is missing; the text says where it was looked for.
  case rootKeyUnavailable(String)
  /// A program other than a keychain changed, restored, swapped or deleted rows; the text says what is known.
  case damaged(String)
  /// The file is older than the state that this process has already read.
  case rolledBack(path: String)
  /// The file is not a keychain.
  case notAKeychain(path: String)
  /// The file was written by a newer version.
  case newerFormat(path: String, found: Int, known: Int)
  /// The disk is full.
  case diskFull(path: String)
  /// The file or its folder is not writable.
  case readOnly(path: String)
  /// The file, its folder or its key file is accessible to other users, or is in an unsafe place; the text says which.
  case unsafeLocation(String)
  /// Another process locked the file for longer than the timeout.
  case busy(path: String)
  /// Reading or writing failed; the text is the system's error.
  case inputOutput(String)
  /// A setting of the process is wrong, such as an entitlements file; the text says which, and how to fix it.
  case configuration(String)
  /// Consent to the use of a constrained item or key was not obtained.
  case presence(PresenceError)
  /// A factor that the item or key requires, such as biometry, is not available; the text says what to set or start.
  case unavailable(String)
  /// The item or key is permanently invalid, because the enrollment changed after its creation.
  case invalidated(String)
  /// The key belongs to another keychain's enclave, or to another TPM.
  case foreignKey(String)
  /// The key does not allow this use; the text says what it lacks.
  case keyUsage(String)
  /// The TPM, or the connection to it, failed; the text has its code.
  case hardware(String)
}

extension StoreError: CustomStringConvertible {
  /// The cause, and how to fix it.
  public var description: String {
    switch self {
    case .itemNotFound: "no item matches"
    case .duplicateItem: "an item with the same primary key exists already: update it, or delete it first"
    case .locked(let accessibility, let state):
      switch (accessibility, state) {
      case (let accessibility?, .beforeFirstUnlock):
        "the keychain was not unlocked yet, and the item is accessible \(accessibility.commandName): give the passcode, by "
          + "LATCHKEY_PASSCODE_FILE say"
      case (nil, .beforeFirstUnlock):
        "the keychain was not unlocked yet, and whether a hidden item matches is unknown: give the passcode, by "
          + "LATCHKEY_PASSCODE_FILE say"
      case (let accessibility?, _):
        "the keychain is locked, and the item is accessible \(accessibility.commandName): unlock it"
      case (nil, _): "the keychain is locked: unlock it"
      }
    case .missingEntitlement(let group?):
      "the access group \(group) is not among this program's: add it to keychain-access-groups"
    case .missingEntitlement(nil): "this program's entitlements name no access group: add keychain-access-groups"
    case .invalidParameter(let text): text
    case .noSuchAttribute(let attribute): "items of this class have no attribute \(attribute)"
    case .unimplemented(let text): text
    case .passcodeNotSet:
      "a passcode is wanted and the keychain has none: set one (`latchkey keychain set-passcode`)"
    case .wrongPasscode(let attempts):
      attempts > 0
        ? "the passcode is wrong; \(attempts) more before a delay" : "the passcode is wrong; the next attempt must wait"
    case .passcodeDelayed(let seconds):
      // A number that no integer equals: none, an infinite or a huge one.
      if let seconds = Int(exactly: seconds.rounded(.up)) {
        "too many wrong passcodes: wait \(seconds) seconds before the next attempt"
      } else {
        "too many wrong passcodes: wait before the next attempt"
      }
    case .passcodeRefused(let text): text
    case .rootKeyUnavailable(let text): text
    case .damaged(let text): "the keychain was altered from outside: \(text)"
    case .rolledBack(let path): "\(path) is older than it was: it was replaced by an earlier copy"
    case .notAKeychain(let path): "\(path) is not a keychain"
    case .newerFormat(let path, let found, let known):
      "\(path) has format \(found), this version knows formats up to \(known): use a newer version"
    case .diskFull(let path): "no room on the disk of \(path): free some and try again; nothing was changed"
    case .readOnly(let path): "\(path) cannot be written: check its permissions and those of its folder"
    case .unsafeLocation(let text): text
    case .busy(let path): "\(path) is in use by another process: try again"
    case .inputOutput(let text): text
    case .configuration(let text): text
    case .presence(let error): error.description
    case .unavailable(let text), .invalidated(let text), .foreignKey(let text), .keyUsage(let text),
      .hardware(let text):
      text
    }
  }
}
