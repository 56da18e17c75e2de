internal import Foundation
internal import LocalAuthentication
internal import Security

/// What each use of an approval key asks of the user.
public enum ApprovalKeyGuard: String, Sendable, Hashable, CaseIterable {
  /// Biometry or the passcode.
  case userPresence
  /// Biometry alone, whatever is enrolled.
  case biometryAny
  /// Biometry alone; the key is lost when what is enrolled changes.
  case biometryCurrentSet
  /// The passcode.
  case passcode

  var flags: SecAccessControlCreateFlags {
    switch self {
    case .userPresence: .userPresence
    case .biometryAny: .biometryAny
    case .biometryCurrentSet: .biometryCurrentSet
    case .passcode: .devicePasscode
    }
  }
}

/// The two keys of a device, both made in the enclave and never outside.
enum DeviceKey {
  /// For the TLS handshake and the signatures of requests: used without anybody being asked.
  case identity
  /// For approvals and logins without a password: each use needs the user.
  case approval(ApprovalKeyGuard)

  private var flags: SecAccessControlCreateFlags {
    switch self {
    case .identity: .privateKeyUsage
    case .approval(let guarded): [guarded.flags, .privateKeyUsage]
    }
  }

  private var accessibility: CFString {
    switch self {
    // Requests go out while the device is locked, too.
    case .identity: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
    case .approval: kSecAttrAccessibleWhenUnlockedThisDeviceOnly
    }
  }

  /// The key with this label, made if there is none.
  func findOrMake(label: String, context: LAContext? = nil) throws(EnrollmentError) -> SecKey {
    if let key = try Self.find(label: label, context: context) { return key }
    return try make(label: label)
  }

  /// A new key with this label.
  func make(label: String) throws(EnrollmentError) -> SecKey {
    var error: Unmanaged<CFError>?
    guard let control = SecAccessControlCreateWithFlags(nil, accessibility, flags, &error) else {
      throw EnrollmentError(error)
    }
    let attributes: ItemAttributes = [
      kSecAttrIsPermanent: true, kSecAttrLabel: label, kSecAttrAccessControl: control,
    ]
    let parameters: ItemAttributes = [
      kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
      kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecPrivateKeyAttrs: attributes,
    ]
    guard let key = SecKeyCreateRandomKey(parameters as CFDictionary, &error) else { throw EnrollmentError(error) }
    return key
  }

  /// The private key with this label; nil if there is none.
  ///
  /// - Parameters:
  ///   - context: who is asked when a guarded key is used; invalidating it ends the asking.
  ///   - reason: the text that the prompt shows.
  static func find(label: String, context: LAContext? = nil, reason: String? = nil) throws(EnrollmentError) -> SecKey? {
    var query: ItemAttributes = [
      kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate, kSecAttrLabel: label, kSecReturnRef: true,
      kSecMatchLimit: kSecMatchLimitOne,
    ]
    query[kSecUseAuthenticationContext] = context
    if let reason {
      if let context { context.localizedReason = reason } else { query[kSecUseOperationPrompt] = reason }
    }
    return try Items.find(query) as? SecKey
  }

  /// The private key with this label that has this public half, X9.63; nil if there is none.
  static func find(
    label: String, publicKey: [UInt8], context: LAContext?, reason: String
  ) throws(EnrollmentError) -> SecKey? {
    var query: ItemAttributes = [
      kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate, kSecAttrLabel: label, kSecReturnRef: true,
      kSecMatchLimit: kSecMatchLimitAll,
    ]
    context?.localizedReason = reason
    query[kSecUseAuthenticationContext] = context
    for key in try Items.find(query) as? [SecKey] ?? [] where try key.publicKeyX963() == publicKey { return key }
    return nil
  }

  /// Gives the private key with this label another.
  static func rename(_ label: String, to new: String) throws(EnrollmentError) {
    let query: ItemAttributes = [
      kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate, kSecAttrLabel: label,
    ]
    let change: ItemAttributes = [kSecAttrLabel: new]
    try Items.check(SecItemUpdate(query as CFDictionary, change as CFDictionary))
  }

  /// Deletes the private keys with this label.
  static func delete(label: String) throws(EnrollmentError) {
    try Items.delete([kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate, kSecAttrLabel: label])
  }
}

extension SecKey {
  /// Signs a message; waits where the user is asked.
  func signature(of message: [UInt8], by algorithm: SecKeyAlgorithm) throws(EnrollmentError) -> [UInt8] {
    var error: Unmanaged<CFError>?
    guard let signature = SecKeyCreateSignature(self, algorithm, Data(message) as CFData, &error) else {
      throw EnrollmentError(error)
    }
    return Array(signature as Data)
  }

  /// X9.63 of the public half of a P-256 key: 65 bytes.
  func publicKeyX963() throws(EnrollmentError) -> [UInt8] {
    var error: Unmanaged<CFError>?
    guard let half = SecKeyCopyPublicKey(self), let data = SecKeyCopyExternalRepresentation(half, &error) else {
      throw EnrollmentError(error)
    }
    return Array(data as Data)
  }
}

extension EnrollmentError {
  /// What a call of Security said.
  init(_ error: Unmanaged<CFError>?) {
    guard let error = error?.takeRetainedValue() else {
      self = .keychain(status: errSecInternalError, "the keychain gave no reason")
      return
    }
    self = .keychain(
      status: OSStatus(truncatingIfNeeded: error.code), error.localizedDescription)
  }
}
