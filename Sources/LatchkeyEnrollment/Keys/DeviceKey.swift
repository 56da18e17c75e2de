internal import Foundation
internal import LocalAuthentication
internal import Security

/// The user presence that each use of an approval key requires.
public enum ApprovalKeyGuard: String, Sendable, Hashable, CaseIterable {
  /// Biometry or the passcode.
  case userPresence
  /// Biometry only, with any enrollment.
  case biometryAny
  /// Biometry only; the key is lost when the enrollment changes.
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

/// The two keys of a device, both created in the enclave and never exported.
enum DeviceKey {
  /// For the TLS handshake and the signatures of requests; needs no prompt.
  case identity
  /// For approvals and logins without a password; each use requires the user.
  case approval(ApprovalKeyGuard)

  private var flags: SecAccessControlCreateFlags {
    switch self {
    case .identity: .privateKeyUsage
    case .approval(let guarded): [guarded.flags, .privateKeyUsage]
    }
  }

  private var accessibility: CFString {
    switch self {
    // Requests are sent while the device is locked, too.
    case .identity: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
    case .approval: kSecAttrAccessibleWhenUnlockedThisDeviceOnly
    }
  }

  /// Returns the key with this label, and creates it if it is missing.
  func findOrMake(label: String, context: LAContext? = nil) throws(EnrollmentError) -> SecKey {
    if let key = try Self.find(label: label, context: context) { return key }
    return try make(label: label)
  }

  /// Creates a key with this label.
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
  ///   - context: authenticates the user when a guarded key is used; invalidating it ends the prompt.
  ///   - reason: the reason shown in the prompt.
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

  /// Changes the label of a private key.
  static func rename(_ label: String, to new: String) throws(EnrollmentError) {
    let query: ItemAttributes = [
      kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate, kSecAttrLabel: label,
    ]
    let change: ItemAttributes = [kSecAttrLabel: new]
    try Items.check(SecItemUpdate(query as CFDictionary, change as CFDictionary))
  }

  /// Deletes this private key, and no other.
  static func delete(_ key: SecKey) throws(EnrollmentError) {
    try Items.delete([kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate, kSecValueRef: key])
  }

  /// Deletes the private keys with this label.
  static func delete(label: String) throws(EnrollmentError) {
    try Items.delete([kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate, kSecAttrLabel: label])
  }
}

extension SecKey {
  /// Signs a message; blocks during a prompt.
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
  /// Converts an error of Security.
  init(_ error: Unmanaged<CFError>?) {
    guard let error = error?.takeRetainedValue() else {
      self = .keychain(status: errSecInternalError, "the keychain gave no reason")
      return
    }
    self = .keychain(
      status: OSStatus(truncatingIfNeeded: error.code), error.localizedDescription)
  }
}
