// modules: LatchkeyEnclaveKeys LatchkeyKeychainModel
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel

/// Verifies the input as a signature, in both forms and by RSA's algorithms, of a message that these keys never signed; then
/// overwrites bytes of a valid signature with it. The valid signature alone may verify.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzKeySignatures(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = [UInt8](UnsafeBufferPointer(start: start, count: count))
  for signed in signedMessages {
    if (try? signed.key.isValid(input, of: signed.message, by: signed.algorithm)) == true, input != signed.signature {
      // ECDSA has two: one with s, one with its negative.
      guard isMirrored(input, of: signed) else { fatalError("an unsigned message verifies: \(signed.algorithm)") }
    }
    guard let at = input.first, input.count > 1 else { continue }
    var bent = signed.signature
    for (offset, byte) in input.dropFirst().enumerated() where Int(at) + offset < bent.count {
      bent[Int(at) + offset] ^= byte
    }
    if bent != signed.signature, (try? signed.key.isValid(bent, of: signed.message, by: signed.algorithm)) == true {
      guard isMirrored(bent, of: signed) else { fatalError("an altered signature verifies: \(signed.algorithm)") }
    }
  }
  return 0
}

private struct SignedMessage {
  var key: PublicKey
  var algorithm: KeyAlgorithm
  var message: [UInt8]
  var signature: [UInt8]
}

private let signedMessages: [SignedMessage] = {
  let algorithms: [(KeyType, [KeyAlgorithm])] = [
    (.ellipticCurve(.p256), [.ecdsa(.message, .sha256, .x962), .ecdsa(.message, .sha256, .rfc4754)]),
    (.ellipticCurve(.p384), [.ecdsa(.message, .sha384, .x962)]),
    (.ellipticCurve(.p521), [.ecdsa(.message, .sha512, .x962), .ecdsa(.message, .sha512, .rfc4754)]),
    (.rsa(bits: 1024), [.rsaPKCS1v15(.message, .sha256), .rsaPSS(.message, .sha256)]),
  ]
  let message = Array("message".utf8)
  return algorithms.flatMap { type, algorithms in
    guard let key = try? PrivateKey.generate(type) else { fatalError("no key") }
    return algorithms.map { algorithm in
      guard let signature = try? key.sign(message, by: algorithm),
        (try? key.publicKey.isValid(signature, of: message, by: algorithm)) == true
      else { fatalError("no signature") }
      return SignedMessage(key: key.publicKey, algorithm: algorithm, message: message, signature: signature)
    }
  }
}()

/// Whether it has the same r in the same form.
private func isMirrored(_ signature: [UInt8], of signed: SignedMessage) -> Bool {
  guard case .ecdsa(_, _, let format) = signed.algorithm, case .ellipticCurve(let curve) = signed.key.type else {
    return false
  }
  // In DER, r begins after two tags and lengths; its length is the fourth byte or, with a length in two bytes, the fifth.
  let start = format == .rfc4754 ? 0 : signed.signature[1] < 0x80 ? 4 : 5
  let count = format == .rfc4754 ? curve.byteCount : Int(signed.signature[start - 1])
  guard signature.count >= start + count else { return false }
  return signature[start..<start + count] == signed.signature[start..<start + count]
}

/// This target uses no keychain; the access control of keys refers to one.
@_silgen_name("latchkey_process_keychain_session")
func noKeychain() throws(StoreError) -> KeychainSession { throw .configuration("there is no keychain here") }
