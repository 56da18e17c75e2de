internal import LatchkeyKeychainModel

/// An error in a call's dictionary, or of the keychain. Apple's calls distinguish these kinds internally and return
/// `errSecParam` for most (Security-61901, SecItemInternal.h); so do these.
enum RequestFault: Error, Hashable {
  /// A key is not a string.
  case keyIsNoString
  /// A key is unknown, or not supported in this call.
  case unknownKey
  /// A key is reserved for the keychain.
  case internalKey
  /// A value has the wrong type for its key, or is out of range.
  case invalidValue
  /// The class is missing, and no reference implies one.
  case classMissing
  /// The class does not exist, or differs from the reference's.
  case noSuchClass
  /// Items of the class do not have the attribute.
  case noSuchAttribute
  /// Two keys exclude each other.
  case conflict
  /// A search key is used in a call that does not search, or for a class that it cannot search.
  case matchUnsupported
  /// A limit is used in a call that applies to all matching items.
  case limitUnsupported
  /// A result is requested from a call that returns none.
  case returnUnsupported
  /// The request is not implemented, here alone or in Apple's keychain, too.
  case unimplemented
  /// A stored certificate cannot be parsed.
  case unreadableCertificate
  /// A stored key cannot be parsed.
  case unreadableKey
  /// An error of the keychain.
  case store(StoreError)
}

extension RequestFault {
  /// The description, for calls that return an error object.
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

/// Runs `body` on the keychain and converts its errors to faults.
func inStore<Result>(_ body: () throws(StoreError) -> Result) throws(RequestFault) -> Result {
  do {
    return try body()
  } catch {
    throw .store(error)
  }
}
