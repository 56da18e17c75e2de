internal import LatchkeyKeychainModel

/// Why a call's dictionary was refused, or why the keychain did not do what it says. Apple's calls tell the kinds apart
/// inside and answer `errSecParam` for most (Security-61901, SecItemInternal.h); so do these.
enum RequestFault: Error, Hashable {
  /// A key that is no string.
  case keyIsNoString
  /// A key that means nothing, or nothing in this call.
  case unknownKey
  /// A key for the keychain's own use.
  case internalKey
  /// A value that is not of its key's type, or outside of its range.
  case invalidValue
  /// No class, and nothing that implies one.
  case classMissing
  /// A class that does not exist, or another one than the reference's.
  case noSuchClass
  /// An attribute that items of the class do not have.
  case noSuchAttribute
  /// Two keys that exclude one another.
  case conflict
  /// A search key in a call that does not search, or for a class that it cannot search.
  case matchUnsupported
  /// A limit where all matching items are meant.
  case limitUnsupported
  /// A result asked of a call that returns none.
  case returnUnsupported
  /// Something that Apple's calls do and these do not.
  case unimplemented
  /// A stored certificate that cannot be read as one.
  case unreadableCertificate
  /// A stored key that cannot be read as one.
  case unreadableKey
  /// What the keychain said.
  case store(StoreError)
}

extension RequestFault {
  /// What is wrong, for those calls that answer with an error object.
  var text: String {
    switch self {
    case .keyIsNoString: "a key of the dictionary is no string"
    case .unknownKey: "a key of the dictionary means nothing here"
    case .internalKey: "a key of the dictionary is for the keychain's own use"
    case .invalidValue: "a value of the dictionary is not of its key's type, or out of range"
    case .classMissing: "the dictionary names no class"
    case .noSuchClass: "the dictionary names a class that does not exist"
    case .noSuchAttribute: "the dictionary has an attribute that keys do not have"
    case .conflict:
      "two entries of the dictionary exclude one another: of an access control and an accessibility, give one"
    case .matchUnsupported: "kSecMatch… has no place in this call"
    case .limitUnsupported: "kSecMatchLimit has no place in this call"
    case .returnUnsupported: "kSecReturn… has no place in this call"
    case .unimplemented: "this is not implemented"
    case .unreadableCertificate: "the stored certificate cannot be read as one"
    case .unreadableKey: "the data is no key of the class and type that its attributes name"
    case .store(let error): error.description
    }
  }
}

/// Runs `body` on the keychain and tells its errors as faults.
func inStore<Result>(_ body: () throws(StoreError) -> Result) throws(RequestFault) -> Result {
  do {
    return try body()
  } catch {
    throw .store(error)
  }
}
