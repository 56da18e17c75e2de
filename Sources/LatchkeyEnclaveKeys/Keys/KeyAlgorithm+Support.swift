extension KeyAlgorithm {
  /// The operations of private keys; all others are of public keys.
  static let privateOperations: Set<KeyOperation> = [.sign, .decrypt, .exchange]

  /// Whether a key of `type` outside of an enclave supports `operation` by this algorithm, in the half that performs it.
  ///
  /// RSA without padding, to sign and to encrypt, is missing: it protects nothing by itself.
  func isSupported(by type: KeyType, for operation: KeyOperation) -> Bool {
    switch type {
    case .ellipticCurve: isSupportedByCurves(for: operation)
    case .rsa(let bits): isSupportedByRSA(bits, for: operation)
    }
  }

  private func isSupportedByCurves(for operation: KeyOperation) -> Bool {
    switch self {
    case .ecdsa(let input, let digest, _):
      (operation == .sign || operation == .verify) && (input == .digest || digest != nil)
    case .ecdh: operation == .exchange
    case .ecies: operation == .encrypt || operation == .decrypt
    default: false
    }
  }

  private func isSupportedByRSA(_ bits: Int, for operation: KeyOperation) -> Bool {
    switch (self, operation) {
    case (.rsaPKCS1v15(let input, let digest), .sign), (.rsaPKCS1v15(let input, let digest), .verify):
      input == .digest || digest != nil
    case (.rsaPSS(_, let digest), .sign), (.rsaPSS(_, let digest), .verify): RSASizes.hasRoomForPSS(bits, digest)
    case (.rsaEncryptionPKCS1, .encrypt), (.rsaEncryptionPKCS1, .decrypt): bits.isMultiple(of: 8)
    case (.rsaOAEP(let digest), .encrypt), (.rsaOAEP(let digest), .decrypt):
      bits.isMultiple(of: 8) && RSASizes.longestOAEPText(bits, digest) >= 0
    case (.rsaOAEPAESGCM(let digest), .encrypt), (.rsaOAEPAESGCM(let digest), .decrypt):
      bits.isMultiple(of: 8) && RSASizes.longestOAEPText(bits, digest) >= RSASizes.sessionKeyByteCount(bits)
    default: false
    }
  }
}
