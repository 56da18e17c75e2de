import Crypto

/// The policies of Latchkey's keys in a TPM, as SHA-256 digests.
package enum TPMPolicy {
  /// Each use requires the key's authorization value: TPM2_PolicyAuthValue on an empty session (TPM 2.0 Library Part 3 23.17;
  /// Part 1 19.7 on how digests are extended). Wrong values count against the dictionary-attack lockout.
  package static let authValue = extended(empty, by: policyAuthValue)

  /// Each use requires physical presence at the machine: TPM2_PolicyPhysicalPresence on an empty session (Part 3 23.12).
  package static let physicalPresence = extended(empty, by: policyPhysicalPresence)

  /// Each use requires both: TPM2_PolicyPhysicalPresence, then TPM2_PolicyAuthValue.
  package static let physicalPresenceAndAuthValue = extended(physicalPresence, by: policyAuthValue)

  /// The initial digest of a policy.
  private static let empty = [UInt8](repeating: 0, count: 32)
  /// The command codes TPM_CC_PolicyAuthValue and TPM_CC_PolicyPhysicalPresence.
  private static let policyAuthValue: [UInt8] = [0x00, 0x00, 0x01, 0x6B]
  private static let policyPhysicalPresence: [UInt8] = [0x00, 0x00, 0x01, 0x87]

  private static func extended(_ digest: [UInt8], by command: [UInt8]) -> [UInt8] {
    SHA256.hash(data: digest + command).withUnsafeBytes { [UInt8]($0) }
  }
}
