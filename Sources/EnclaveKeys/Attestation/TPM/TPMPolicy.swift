import Crypto

/// The policies that our keys in a TPM have, by their digests under SHA-256.
package enum TPMPolicy {
  /// Whoever uses the key must show its authorization value: TPM2_PolicyAuthValue on an empty session (TPM 2.0 Library
  /// Part 3 23.17; Part 1 19.7 on how digests grow). Wrong values count against the dictionary-attack lockout.
  package static let authValue: [UInt8] = {
    // The zeros that a policy begins with, and the number of the command, TPM_CC_PolicyAuthValue.
    let extended = [UInt8](repeating: 0, count: 32) + [0x00, 0x00, 0x01, 0x6B]
    return SHA256.hash(data: extended).withUnsafeBytes { [UInt8]($0) }
  }()
}
