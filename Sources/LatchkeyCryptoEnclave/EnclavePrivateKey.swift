import Crypto
import Foundation
import LatchkeyKeychainModel
import LocalAuthentication
import Security

/// What both kinds of private key are made of: the enclave's key, and who consents to its use.
struct EnclavePrivateKey: Sendable {
  let enclave: any Enclave
  let key: EnclaveKey
  private let context: LAContext?

  /// A new key.
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

  /// The key of a representation.
  init(dataRepresentation: Data, authenticationContext: LAContext?) throws {
    enclave = try bridged(SecureEnclave.enclave)
    context = authenticationContext
    key = try bridged { [enclave] () throws(StoreError) in
      try enclave.key(representation: [UInt8](dataRepresentation))
    }
  }

  /// Every other key has one.
  private static let attempts = 64

  /// Whether y is the lesser of the two that x has (draft-jivsov-ecc-compact-05).
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

/// Runs `body` and tells its errors as Apple's frameworks do: what LocalAuthentication says as an `LAError`, all else as
/// an `NSError` of `NSOSStatusErrorDomain`, with a text that says what to do.
func bridged<Value>(_ body: () throws(StoreError) -> Value) throws -> Value {
  do throws(StoreError) {
    return try body()
  } catch {
    if case .presence(let cause) = error { throw NSError.localAuthentication(cause) }
    throw NSError(
      domain: NSOSStatusErrorDomain, code: Int(error.status), userInfo: [NSLocalizedDescriptionKey: "\(error)"])
  }
}
