import Crypto

/// The policies that our keys in a TPM have, by their digests under SHA-256.
package enum TPMPolicy {
  /// Anyone who uses the key must show its authorization value: TPM2_PolicyAuthValue on an empty session (TPM 2.0 Library
  /// Part 3 23.17; Part 1 19.7 on how digests grow). Wrong values count against the dictionary-attack lockout.
  package static let authValue = extended(empty, by: policyAuthValue)

  /// Somebody must show their presence at the machine: TPM2_PolicyPhysicalPresence on an empty session (Part 3 23.12).
  package static let physicalPresence = extended(empty, by: policyPhysicalPresence)

  /// Both: TPM2_PolicyPhysicalPresence, then TPM2_PolicyAuthValue.
  package static let physicalPresenceAndAuthValue = extended(physicalPresence, by: policyAuthValue)

  /// What a policy begins with.
  private static let empty = [UInt8](repeating: 0, count: 32)
  /// The commands' numbers, TPM_CC_PolicyAuthValue and TPM_CC_PolicyPhysicalPresence.
  private static let policyAuthValue: [UInt8] = [0x00, 0x00, 0x01, 0x6B]
  private static let policyPhysicalPresence: [UInt8] = [0x00, 0x00, 0x01, 0x87]

  private static func extended(_ digest: [UInt8], by command: [UInt8]) -> [UInt8] {
    SHA256.hash(data: digest + command).withUnsafeBytes { [UInt8]($0) }
  }
}
