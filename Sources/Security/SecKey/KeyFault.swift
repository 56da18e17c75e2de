internal import Foundation
internal import LatchkeyEnclaveKeys
internal import LatchkeyKeychainModel

/// An error of creating or using a key: a status, and a text that says what to do next and contains no secret.
struct KeyFault: Error {
  let status: OSStatus
  let text: String

  init(_ status: OSStatus, _ text: String) {
    self.status = status
    self.text = text
  }

  /// Converts a key's error. As in Apple's calls, most are `errSecParam` (SecKeyAdaptors.m of Security-61901).
  init(_ error: KeyError) {
    switch error {
    case .malformed(let text), .unsupported(let text), .invalidInput(let text): self.init(errSecParam, text)
    case .decryptionFailed:
      self.init(errSecParam, "the ciphertext does not open with this key: it is another key's, or was altered")
    case .refused(let text): self.init(errSecAuthFailed, text)
    }
  }

  /// Converts an error of the keychain or the enclave.
  init(_ error: StoreError) { self.init(error.status, error.description) }

  /// Converts an item's fault.
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

  /// The fault as an error object.
  var error: CFError {
    NSError(domain: NSOSStatusErrorDomain, code: Int(status), userInfo: [NSLocalizedDescriptionKey: text])
  }
}

/// The error parameter of a call. The caller must release the error (`takeRetainedValue()`).
typealias ErrorPlace = UnsafeMutablePointer<Unmanaged<CFError>?>

/// Runs a call that returns an object. On a fault it returns nil and stores the error in `place`.
func answer<Result>(_ place: ErrorPlace?, _ call: () throws(KeyFault) -> Result) -> Result? {
  do {
    return try call()
  } catch {
    place?.pointee = .passRetained(error.error)
    return nil
  }
}

/// Runs `body` on a key and converts its errors to faults.
func inKey<Result>(_ body: () throws(KeyError) -> Result) throws(KeyFault) -> Result {
  do {
    return try body()
  } catch {
    throw KeyFault(error)
  }
}

/// Runs `body` on a key of the enclave and converts its errors to faults.
func inEnclave<Result>(_ body: () throws(EnclaveOperations.Fault) -> Result) throws(KeyFault) -> Result {
  do {
    return try body()
  } catch {
    throw KeyFault(error)
  }
}

/// Runs `body`, which parses dictionaries or adds items, and converts its faults to those of a key.
func inItems<Result>(_ body: () throws(RequestFault) -> Result) throws(KeyFault) -> Result {
  do {
    return try body()
  } catch {
    throw KeyFault(error)
  }
}
