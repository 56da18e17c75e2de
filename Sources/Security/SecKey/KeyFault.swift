internal import Foundation
internal import LatchkeyEnclaveKeys
internal import LatchkeyKeychainModel

/// Why a key was not made, or did not do what it was asked to: a status, and a text that says what to do next and holds
/// no secret.
struct KeyFault: Error {
  let status: OSStatus
  let text: String

  init(_ status: OSStatus, _ text: String) {
    self.status = status
    self.text = text
  }

  /// What callers are told of a key's errors: as Apple's calls, which answer `errSecParam` to most (SecKeyAdaptors.m of
  /// Security-61901).
  init(_ error: KeyError) {
    switch error {
    case .malformed(let text), .unsupported(let text), .invalidInput(let text): self.init(errSecParam, text)
    case .decryptionFailed:
      self.init(errSecParam, "the ciphertext does not open with this key: it is another key's, or was altered")
    case .refused(let text): self.init(errSecAuthFailed, text)
    }
  }

  /// What callers are told of the keychain's and the enclave's errors.
  init(_ error: StoreError) { self.init(error.status, error.description) }

  /// What callers are told of an item's faults.
  init(_ fault: RequestFault) {
    if case .store(let error) = fault {
      self.init(error)
    } else {
      self.init(fault.status, fault.text)
    }
  }

  init(_ fault: EnclaveOperations.Fault) {
    switch fault {
    case .key(let error): self.init(error)
    case .enclave(let error): self.init(error)
    }
  }

  /// The error object of it.
  var error: CFError {
    NSError(domain: NSOSStatusErrorDomain, code: Int(status), userInfo: [NSLocalizedDescriptionKey: text])
  }
}

/// Where a call puts its error; the caller releases it (`takeRetainedValue()`).
typealias ErrorPlace = UnsafeMutablePointer<Unmanaged<CFError>?>

/// Runs a call that answers with an object: nil and the error in its place, if there is a fault.
func answer<Result>(_ place: ErrorPlace?, _ call: () throws(KeyFault) -> Result) -> Result? {
  do {
    return try call()
  } catch {
    place?.pointee = .passRetained(error.error)
    return nil
  }
}

/// Runs `body` on a key and tells its errors as faults.
func inKey<Result>(_ body: () throws(KeyError) -> Result) throws(KeyFault) -> Result {
  do {
    return try body()
  } catch {
    throw KeyFault(error)
  }
}

/// Runs `body` on a key of the enclave and tells its errors as faults.
func inEnclave<Result>(_ body: () throws(EnclaveOperations.Fault) -> Result) throws(KeyFault) -> Result {
  do {
    return try body()
  } catch {
    throw KeyFault(error)
  }
}

/// Runs `body`, which reads dictionaries or adds items, and tells its faults as those of a key.
func inItems<Result>(_ body: () throws(RequestFault) -> Result) throws(KeyFault) -> Result {
  do {
    return try body()
  } catch {
    throw KeyFault(error)
  }
}
