// modules: LatchkeyEnclaveKeys LatchkeyKeychainModel
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel

/// Reads the input as a key in every form. What is read must be the same key once it is written and read again, in every
/// form that it can be written in; a private key's signature must be its public key's.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzKeyImports(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = [UInt8](UnsafeBufferPointer(start: start, count: count))
  let publicReaders: [([UInt8]) throws -> PublicKey] = [
    { try PublicKey(fileContents: $0) },
    { try PublicKey(derRepresentation: $0) },
    { try PublicKey(externalRepresentation: $0, family: .ellipticCurve) },
    { try PublicKey(externalRepresentation: $0, family: .rsa) },
    { try PublicKey(openSSHBlob: $0) },
  ]
  for read in publicReaders {
    if let key = try? read(input) { check(key) }
  }
  let privateReaders: [([UInt8]) throws -> PrivateKey] = [
    { try PrivateKey(fileContents: $0) },
    { try PrivateKey(derRepresentation: $0) },
    { try PrivateKey(externalRepresentation: $0, family: .ellipticCurve) },
    { try PrivateKey(externalRepresentation: $0, family: .rsa) },
  ]
  for read in privateReaders {
    if let key = try? read(input) { check(key) }
  }
  return 0
}

private func check(_ key: PublicKey) {
  guard let external = try? PublicKey(externalRepresentation: key.externalRepresentation, family: key.family),
    let der = try? PublicKey(derRepresentation: key.derRepresentation),
    let pem = try? PublicKey(pemRepresentation: key.pemRepresentation),
    let line = try? PublicKey(openSSHRepresentation: key.openSSHRepresentation(comment: "x")),
    external == key, der == key, pem == key, line == key
  else { fatalError("a key that was read is not read again") }
  guard key.applicationLabel.count == 20 else { fatalError("the label is not a hash") }
}

private func check(_ key: PrivateKey) {
  check(key.publicKey)
  guard let again = try? PrivateKey(externalRepresentation: key.externalRepresentation, family: key.publicKey.family),
    again.publicKey == key.publicKey
  else { fatalError("a private key that was read is not read again") }
  let algorithm: KeyAlgorithm =
    switch key.type {
    case .ellipticCurve: .ecdsa(.message, .sha256, .x962)
    case .rsa: .rsaPKCS1v15(.message, .sha256)
    }
  guard let signature = try? key.sign([1, 2, 3], by: algorithm) else {
    // RSA's numbers may have a key's form and be no key: signing fails with an error then.
    if case .rsa = key.type { return }
    fatalError("a key on a curve does not sign")
  }
  guard (try? key.publicKey.isValid(signature, of: [1, 2, 3], by: algorithm)) == true else {
    fatalError("a signature does not verify with its own key")
  }
}

/// This target uses no keychain; the access control of keys refers to one.
@_silgen_name("latchkey_process_keychain_session")
func noKeychain() throws(StoreError) -> KeychainSession { throw .configuration("there is no keychain here") }
