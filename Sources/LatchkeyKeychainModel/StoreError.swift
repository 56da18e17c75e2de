/// Why a keychain, or its enclave, did not do what it was asked to. "Not found", "locked", "wrong passcode" and "damaged" are never the
/// same case. No text of these contains a secret.
public enum StoreError: Error, Hashable, Sendable {
  /// No item matches.
  case itemNotFound
  /// An item with this primary key exists in this access group.
  case duplicateItem
  /// The keys of this accessibility are not there in this state of the lock; nil: items that may match are hidden before the first
  /// unlock, and which of them do cannot be told.
  case locked(Accessibility?, LockState)
  /// An access group that the caller does not have; nil: the caller has none at all.
  case missingEntitlement(group: String?)
  /// A query or an item that makes no sense; the text says what.
  case invalidParameter(String)
  /// The class has no such attribute.
  case noSuchAttribute(ItemAttribute)
  /// Something that this version does not do; the text says what.
  case unimplemented(String)
  /// The item wants a passcode to be set, and none is.
  case passcodeNotSet
  /// The passcode was not the right one.
  case wrongPasscode(attemptsBeforeDelay: Int)
  /// Too many wrong passcodes: none is tried for so many seconds.
  case passcodeDelayed(seconds: Double)
  /// A new passcode that is too weak to be one; the text says what is asked for.
  case passcodeRefused(String)
  /// The root key does not open this keychain, or is not where it was; the text says where it was looked for.
  case rootKeyUnavailable(String)
  /// Rows were changed, put back, swapped or taken away by something else than a keychain; the text says what is known.
  case damaged(String)
  /// The file is older than what this process has already seen of it.
  case rolledBack(path: String)
  /// The file is not a keychain.
  case notAKeychain(path: String)
  /// The file was written by a newer version.
  case newerFormat(path: String, found: Int, known: Int)
  /// No room on the disk.
  case diskFull(path: String)
  /// The file or its folder cannot be written.
  case readOnly(path: String)
  /// The file, its folder or its key file is open to other users, or lies where it cannot be safe; the text says which.
  case unsafeLocation(String)
  /// Another process held the file for longer than this one waits.
  case busy(path: String)
  /// Reading or writing failed; the text is the system's.
  case inputOutput(String)
  /// The process's settings are wrong, an entitlements file say; the text says which and how to mend it.
  case configuration(String)
  /// A constrained item or key was not consented to.
  case presence(PresenceError)
  /// What the item or key asks for is not there, biometry say; the text says what to set or start.
  case unavailable(String)
  /// The item or key is lost for good, since what was enrolled when it was made has changed.
  case invalidated(String)
  /// A key of another keychain's enclave, or of another TPM.
  case foreignKey(String)
  /// A key may not be used so; the text says what it lacks.
  case keyUsage(String)
  /// The TPM, or the way to it, failed; the text has its code.
  case hardware(String)
}

extension StoreError: CustomStringConvertible {
  /// What happened, and what to do next.
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
        "the keychain was not unlocked yet, and whether a hidden item matches cannot be told: give the passcode, by "
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
      "too many wrong passcodes: wait \(Int(seconds.rounded(.up))) seconds before the next attempt"
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
