public import Foundation
import LatchkeyByteCoding

// Signatures, encryption and key agreement (Apple, SecKey.h). On failure each function returns nil or false, and sets an
// error of `NSOSStatusErrorDomain`, which the caller must release; its text says what to do next.

/// Signs `dataToSign` with a private key. The algorithm decides whether it is a message or a digest.
///
/// The access control of a key of the enclave applies: the call prompts the user as the key's parameters or query specified
/// (`kSecUseAuthenticationContext`, `kSecUseAuthenticationUI`, `kSecUseOperationPrompt`), and waits.
///
/// - Returns: the signature; nil and `errSecParam` for an algorithm that the key does not support or a digest of a wrong
///   length, `errSecKeyUsageIncorrect` for a key that may not sign, `errSecUserCanceled`, `errSecAuthFailed`,
///   `errSecInteractionNotAllowed`, `errSecNotAvailable`, `errSecItemNotFound` for a key that was deleted.
@discardableResult
public func SecKeyCreateSignature(
  _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ dataToSign: CFData,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
  answer(error) { () throws(KeyFault) in try key.sign([UInt8](dataToSign), by: algorithm).object }
}

/// Verifies a signature of `signedData` with a public key. The algorithm decides whether it is a message or a digest.
///
/// - Returns: true if the signature is valid; false and `errSecVerifyFailed` if it is not valid or malformed, `errSecParam`
///   for an algorithm that the key does not support or a digest of a wrong length, `errSecKeyUsageIncorrect` for a key that
///   may not verify.
@discardableResult
public func SecKeyVerifySignature(
  _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ signedData: CFData, _ signature: CFData,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> Bool {
  answer(error) { () throws(KeyFault) in
    try key.verify([UInt8](signature), of: [UInt8](signedData), by: algorithm)
    return true
  } ?? false
}

/// Encrypts with a public key.
///
/// - Returns: the ciphertext, which for ECIES is the ephemeral public key, the text encrypted with AES-GCM, and a tag of 16
///   bytes; nil and `errSecParam` for an algorithm that the key does not support or a text that is too long for it,
///   `errSecKeyUsageIncorrect` for a key that may not encrypt.
@discardableResult
public func SecKeyCreateEncryptedData(
  _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ plaintext: CFData,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
  answer(error) { () throws(KeyFault) in
    var text = [UInt8](plaintext)
    defer { text.wipe() }
    return try key.encrypt(text, by: algorithm).object
  }
}

/// Decrypts with a private key; with a key of the enclave it prompts like ``SecKeyCreateSignature(_:_:_:_:)``.
///
/// - Returns: the text; nil and `errSecParam` for a ciphertext that cannot be decrypted and an algorithm that the key does
///   not support; others as ``SecKeyCreateSignature(_:_:_:_:)``.
@discardableResult
public func SecKeyCreateDecryptedData(
  _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ ciphertext: CFData,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
  answer(error) { () throws(KeyFault) in
    var text = try key.decrypt([UInt8](ciphertext), by: algorithm)
    defer { text.wipe() }
    return text.object
  }
}

/// Performs key agreement with `publicKey`; with a key of the enclave it prompts like ``SecKeyCreateSignature(_:_:_:_:)``.
///
/// Algorithms with a key derivation use `parameters`: ``SecKeyKeyExchangeParameter/requestedSize``, 1 to 1,048,576 bytes,
/// and ``SecKeyKeyExchangeParameter/sharedInfo``, which is optional.
///
/// - Returns: the x coordinate, or the key derived from it; nil and `errSecParam` for keys of different types and invalid
///   parameters, `errSecKeyUsageIncorrect` for a key that may not derive; others as ``SecKeyCreateSignature(_:_:_:_:)``.
@discardableResult
public func SecKeyCopyKeyExchangeResult(
  _ privateKey: SecKey, _ algorithm: SecKeyAlgorithm, _ publicKey: SecKey, _ parameters: CFDictionary,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
  answer(error) { () throws(KeyFault) in
    var secret = try privateKey.exchange(
      with: publicKey, by: algorithm, parameters: KeyExchangeParameters(parameters))
    defer { secret.wipe() }
    return secret.object
  }
}

/// Whether a key supports `operation` with `algorithm`, and its attributes allow it.
@discardableResult
public func SecKeyIsAlgorithmSupported(
  _ key: SecKey, _ operation: SecKeyOperationType, _ algorithm: SecKeyAlgorithm
) -> Bool {
  key.allows(operation, by: algorithm)
}
