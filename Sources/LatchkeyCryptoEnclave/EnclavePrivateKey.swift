import Crypto
import Foundation
import LatchkeyKeychainModel
import LocalAuthentication
import Security

/// The shared implementation of both kinds of private key: the enclave's key, and the context that consents to its use.
struct EnclavePrivateKey: Sendable {
  let enclave: any Enclave
  let key: EnclaveKey
  private let context: LAContext?

  /// Creates a key.
  init(compactRepresentable: Bool, accessControl: SecAccessControl, authenticationContext: LAContext?) throws {
    enclave = try bridged(SecureEnclave.enclave)
    context = authenticationContext
    key = try bridged { [enclave] () throws(StoreError) in
      let consent = try Self.consent(authenticationContext)
      for _ in 0..<Self.attempts {
        let key = try enclave.create(accessControl.accessControl, consent: consent)
        if !compactRepresentable || Self.isCompactRepresentable(key) { return key }
      }
      throw .hardware("no key with a compact representation was made in \(Self.attempts) attempts: try again")
    }
  }

  /// Loads a key from its representation.
  init(dataRepresentation: Data, authenticationContext: LAContext?) throws {
    enclave = try bridged(SecureEnclave.enclave)
    context = authenticationContext
    key = try bridged { [enclave] () throws(StoreError) in
      try enclave.key(representation: [UInt8](dataRepresentation))
    }
  }

  /// The limit of attempts to create a key with a compact representation. One key in two has one.
  private static let attempts = 64

  /// Whether y is the lesser of the two y coordinates for x (draft-jivsov-ecc-compact-05).
  private static func isCompactRepresentable(_ key: EnclaveKey) -> Bool {
    (try? Crypto.P256.Signing.PublicKey(x963Representation: key.publicKey))?.compactRepresentation != nil
  }

  private static func consent(_ context: LAContext?) throws(StoreError) -> Consent {
    guard let context else { return Consent() }
    return Consent(session: try context.presenceSession())
  }

  func sign(_ digest: some Digest) throws -> [UInt8] {
    try bridged { () throws(StoreError) in
      try enclave.sign(digest: digest.withUnsafeBytes { Array($0) }, with: key, consent: try Self.consent(context))
    }
  }

  func sharedSecret(with peer: [UInt8]) throws -> [UInt8] {
    try bridged { () throws(StoreError) in
      try enclave.sharedSecret(with: peer, by: key, for: .exchange, consent: try Self.consent(context))
    }
  }

  func attestation(challenge: Data) throws -> Data {
    try bridged { () throws(StoreError) in
      Data(try enclave.attest(key, challenge: [UInt8](challenge), consent: try Self.consent(context)))
    }
  }

  var isInvalidated: Bool {
    get throws { try bridged { () throws(StoreError) in try enclave.isInvalidated(key) } }
  }
}

/// Runs `body` and throws its errors as Apple's frameworks do: errors of presence as `LAError`, all others as an `NSError`
/// of `NSOSStatusErrorDomain`, with a description that says what to do.
func bridged<Value>(_ body: () throws(StoreError) -> Value) throws -> Value {
  do throws(StoreError) {
    return try body()
  } catch {
    if case .presence(let cause) = error { throw NSError.localAuthentication(cause) }
    throw NSError(
      domain: NSOSStatusErrorDomain, code: Int(error.status), userInfo: [NSLocalizedDescriptionKey: "\(error)"])
  }
}
