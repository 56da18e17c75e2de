public import Foundation
import LatchkeyByteCoding

// Signatures, encryption and agreement (Apple, SecKey.h). Each answers nil, or false, and sets the error in
// `NSOSStatusErrorDomain`, which is the caller's to release; its text says what to do next.

/// Signs `dataToSign`, a message or a digest as the algorithm says, with a private key.
///
/// A key of the enclave is used under its access control: the user is asked as the key's parameters or query said
/// (`kSecUseAuthenticationContext`, `kSecUseAuthenticationUI`, `kSecUseOperationPrompt`), and the call waits.
///
/// - Returns: the signature; nil and `errSecParam` for an algorithm that the key does not know or a digest of a wrong
///   length, `errSecKeyUsageIncorrect` for a key that must not sign, `errSecUserCanceled`, `errSecAuthFailed`,
///   `errSecInteractionNotAllowed`, `errSecNotAvailable`, `errSecItemNotFound` for a key that was deleted.
@discardableResult
public func SecKeyCreateSignature(
  _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ dataToSign: CFData,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
  answer(error) { () throws(KeyFault) in try key.sign([UInt8](dataToSign), by: algorithm).object }
}

/// Whether `signature` is one of `signedData`, a message or a digest as the algorithm says, by the private half of a
/// public key.
///
/// - Returns: false and `errSecVerifyFailed` if it is not, however it is malformed; `errSecParam` for an algorithm that
///   the key does not know or a digest of a wrong length; `errSecKeyUsageIncorrect` for a key that must not verify.
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
/// - Returns: the ciphertext, which for ECIES is the ephemeral public key, the text as AES-GCM has it, and a tag of 16
///   bytes; nil and `errSecParam` for an algorithm that the key does not know or a text too long for it,
///   `errSecKeyUsageIncorrect` for a key that must not encrypt.
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

/// Decrypts with a private key; one of the enclave as ``SecKeyCreateSignature(_:_:_:_:)`` says.
///
/// - Returns: the text; nil and `errSecParam` for a ciphertext that does not open and an algorithm that the key does not
///   know; others as ``SecKeyCreateSignature(_:_:_:_:)``.
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

/// Agrees on a secret with the holder of `publicKey`; a key of the enclave as ``SecKeyCreateSignature(_:_:_:_:)`` says.
///
/// `parameters` are read for the algorithms with a key derivation: ``SecKeyKeyExchangeParameter/requestedSize``, 1 to
/// 1,048,576 bytes, and ``SecKeyKeyExchangeParameter/sharedInfo`` if there is any.
///
/// - Returns: the x coordinate, or the key derived of it; nil and `errSecParam` for keys that do not fit one another and
///   parameters that make no sense, `errSecKeyUsageIncorrect` for a key that must not derive; others as
///   ``SecKeyCreateSignature(_:_:_:_:)``.
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

/// Whether a key can do `operation` by `algorithm`, and its attributes let it.
@discardableResult
public func SecKeyIsAlgorithmSupported(
  _ key: SecKey, _ operation: SecKeyOperationType, _ algorithm: SecKeyAlgorithm
) -> Bool {
  key.allows(operation, by: algorithm)
}
