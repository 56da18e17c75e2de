// modules: LatchkeyEnclaveKeys LatchkeyKeychainModel
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel

/// Decrypts the input by every key and scheme, which must fail; encrypts and decrypts it, which must return it; then overwrites
/// bytes of a valid ciphertext with it, which must fail, too.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzECIESCiphertexts(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = [UInt8](UnsafeBufferPointer(start: start, count: count))
  let chosen = cases[Int(input.first ?? 0) % cases.count]
  let (key, algorithm) = (chosen.key, chosen.algorithm)
  let rest = Array(input.dropFirst())
  if (try? key.decrypt(rest, by: algorithm)) != nil, !rest.starts(with: chosen.ciphertext) {
    fatalError("a ciphertext without an encryption opens: \(algorithm)")
  }
  guard let sealed = try? key.publicKey.encrypt(rest, by: algorithm), (try? key.decrypt(sealed, by: algorithm)) == rest
  else { fatalError("the plaintext differs: \(algorithm)") }
  guard let at = rest.first, rest.count > 1 else { return 0 }
  var bent = chosen.ciphertext
  for (offset, byte) in rest.dropFirst().enumerated() where Int(at) + offset < bent.count {
    bent[Int(at) + offset] ^= byte
  }
  if bent != chosen.ciphertext, (try? key.decrypt(bent, by: algorithm)) != nil {
    fatalError("an altered ciphertext opens: \(algorithm)")
  }
  return 0
}

private struct Case {
  var key: PrivateKey
  var algorithm: KeyAlgorithm
  var ciphertext: [UInt8]
}

private let cases: [Case] = {
  let algorithms: [(KeyType, [KeyAlgorithm])] = [
    (
      .ellipticCurve(.p256),
      [
        .ecies(isCofactor: true, .sha256, hasVariableIV: true),
        .ecies(isCofactor: false, .sha224, hasVariableIV: false),
      ]
    ),
    (.ellipticCurve(.p384), [.ecies(isCofactor: true, .sha384, hasVariableIV: true)]),
    (.ellipticCurve(.p521), [.ecies(isCofactor: true, .sha512, hasVariableIV: false)]),
    (.rsa(bits: 1024), [.rsaOAEPAESGCM(.sha256), .rsaOAEPAESGCM(.sha1)]),
  ]
  return algorithms.flatMap { type, algorithms in
    guard let key = try? PrivateKey.generate(type) else { fatalError("key generation fails") }
    return algorithms.map { algorithm in
      guard let ciphertext = try? key.publicKey.encrypt([1, 2, 3], by: algorithm) else {
        fatalError("encryption fails")
      }
      return Case(key: key, algorithm: algorithm, ciphertext: ciphertext)
    }
  }
}()

/// This target uses no keychain; the access control of keys refers to one.
@_silgen_name("latchkey_process_keychain_session")
func noKeychain() throws(StoreError) -> KeychainSession { throw .configuration("there is no keychain here") }
