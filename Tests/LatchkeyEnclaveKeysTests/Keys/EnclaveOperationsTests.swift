import LatchkeyTestSupport
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel
import Synchronization
import Testing

@Suite("The algorithms over an enclave's primitives")
struct EnclaveOperationsTests {
  /// A key that counts what it was asked.
  final class Key: EnclavePrimitives {
    let key: PrivateKey
    let asked = Mutex<[PresenceOperation]>([])
    let refusal: StoreError?

    init(refusal: StoreError? = nil) throws {
      key = try PrivateKey.generate(.ellipticCurve(.p256))
      self.refusal = refusal
    }

    func sign(digest: [UInt8]) throws(StoreError) -> [UInt8] {
      asked.withLock { $0.append(.sign) }
      if let refusal { throw refusal }
      do throws(KeyError) { return try key.sign(digest: digest) } catch { throw .invalidParameter("\(error)") }
    }

    func sharedSecret(with peer: [UInt8], for operation: PresenceOperation) throws(StoreError) -> [UInt8] {
      asked.withLock { $0.append(operation) }
      if let refusal { throw refusal }
      do throws(KeyError) { return try key.sharedSecret(with: peer) } catch { throw .invalidParameter("\(error)") }
    }
  }

  @Test("It does the same as a key in the open, and supports the same algorithms")
  func sameAsInTheOpen() throws {
    let enclave = try Key()
    let peer = try PrivateKey.generate(.ellipticCurve(.p256))
    for algorithm in KeySupportTests.algorithms {
      for operation in KeyOperation.allCases {
        #expect(
          EnclaveOperations.supports(algorithm, for: operation) == enclave.key.supports(algorithm, for: operation))
      }
      if enclave.key.supports(algorithm, for: .sign), case .ecdsa(let kind, let digest, _) = algorithm {
        let input = kind == .digest ? [UInt8](repeating: 1, count: digest?.byteCount ?? 20) : [1, 2, 3]
        let signature = try EnclaveOperations.sign(input, by: algorithm, with: enclave)
        #expect(try enclave.key.publicKey.isValid(signature, of: input, by: algorithm))
      }
      if enclave.key.supports(algorithm, for: .exchange) {
        let secret = try EnclaveOperations.exchange(
          with: peer.publicKey, by: algorithm, size: 40, sharedInfo: [7], with: enclave)
        let same = try peer.exchange(with: enclave.key.publicKey, by: algorithm, size: 40, sharedInfo: [7])
        #expect(secret == same)
      }
      if enclave.key.supports(algorithm, for: .decrypt) {
        let ciphertext = try enclave.key.publicKey.encrypt([9, 9], by: algorithm)
        let text = try EnclaveOperations.decrypt(
          ciphertext, by: algorithm, publicKey: enclave.key.publicKey, with: enclave)
        #expect(text == [9, 9])
      }
    }
    #expect(Set(enclave.asked.withLock { $0 }) == [.sign, .decrypt, .exchange])
  }

  @Test("Unsupported operations do not reach the enclave")
  func asksNobodyInVain() throws {
    let enclave = try Key()
    let publicKey = enclave.key.publicKey
    let stranger = try PrivateKey.generate(.ellipticCurve(.p384)).publicKey
    let attempts: [() throws -> [UInt8]] = [
      { try EnclaveOperations.sign([1], by: .ecdsa(.digest, .sha256, .x962), with: enclave) },
      { try EnclaveOperations.sign([], by: .ecdsa(.digest, nil, .x962), with: enclave) },
      { try EnclaveOperations.sign([1], by: .rsaPSS(.message, .sha256), with: enclave) },
      { try exchange(stranger, .ecdh(isCofactor: false, nil), nil) },
      { try exchange(publicKey, .ecdh(isCofactor: false, .sha256), nil) },
      { try exchange(publicKey, .ecdh(isCofactor: false, .sha256), 0) },
      { try exchange(publicKey, .ecdh(isCofactor: false, .sha256), 1 << 40) },
      { try decrypt([], .ecies(isCofactor: true, .sha256, hasVariableIV: true)) },
      { try decrypt([UInt8](repeating: 4, count: 200), .ecies(isCofactor: true, .sha256, hasVariableIV: true)) },
      { try decrypt(publicKey.encrypt([1], by: Self.ecies), .rsaEncryptionPKCS1) },
    ]
    for attempt in attempts { #expect(throws: EnclaveOperations.Fault.self) { try attempt() } }
    #expect(enclave.asked.withLock { $0 }.isEmpty)

    func exchange(_ peer: PublicKey, _ algorithm: KeyAlgorithm, _ size: Int?) throws -> [UInt8] {
      try EnclaveOperations.exchange(with: peer, by: algorithm, size: size, sharedInfo: [], with: enclave)
    }
    func decrypt(_ ciphertext: [UInt8], _ algorithm: KeyAlgorithm) throws -> [UInt8] {
      try EnclaveOperations.decrypt(ciphertext, by: algorithm, publicKey: publicKey, with: enclave)
    }
  }

  @Test("The enclave's error is passed on")
  func passesRefusals() throws {
    let refusal = StoreError.keyUsage("the key may not")
    let enclave = try Key(refusal: refusal)
    let ciphertext = try enclave.key.publicKey.encrypt([1], by: Self.ecies)
    let attempts: [() throws -> [UInt8]] = [
      { try EnclaveOperations.sign([1], by: .ecdsa(.message, .sha256, .x962), with: enclave) },
      {
        try EnclaveOperations.exchange(
          with: enclave.key.publicKey, by: .ecdh(isCofactor: true, nil), size: nil, sharedInfo: [], with: enclave)
      },
      {
        try EnclaveOperations.decrypt(
          ciphertext, by: Self.ecies, publicKey: enclave.key.publicKey, with: enclave)
      },
    ]
    for attempt in attempts {
      let fault = #expect(throws: EnclaveOperations.Fault.self) { try attempt() }
      guard case .enclave(refusal) = fault else {
        Issue.record("\(String(describing: fault))")
        continue
      }
    }
  }

  static let ecies = KeyAlgorithm.ecies(isCofactor: true, .sha256, hasVariableIV: true)
}
