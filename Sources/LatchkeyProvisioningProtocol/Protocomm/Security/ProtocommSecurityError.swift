/// Why a handshake or a message fails. The words are for the device's owner, or the app's user; none carries a secret.
package enum ProtocommSecurityError: Error, Hashable, Sendable {
  /// The message is not the one that follows here.
  case outOfPlace
  /// A key, a salt, a proof or a nonce has a length that it cannot have.
  case length
  /// A public key that makes the shared secret a constant.
  case weakKey
  /// The other side's proof is wrong: it does not know the code.
  case wrongProof
  /// The device refused, with this status.
  case refused(ProtocommStatus)
  /// A message was altered, repeated or reflected, or belongs to another session.
  case unauthentic
  /// No message is left for this session's key.
  case exhausted
  /// The cryptographic library refused a valid operation, or the random source gave nothing of use.
  case refusedByLibrary
}

extension ProtocommSecurityError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .outOfPlace: "a message of the handshake is out of place"
    case .length: "a value of the handshake has a wrong length"
    case .weakKey: "a public key that would make the shared secret a constant"
    case .wrongProof: "the proof of the code is wrong"
    case .refused(let status): "the device says \(status)"
    case .unauthentic: "a message was altered, repeated or reflected"
    case .exhausted: "the session has no numbers left for messages"
    case .refusedByLibrary: "the cryptographic library refused"
    }
  }
}

/// Bytes fit for secrets, as many as asked for. The shell gives the system's; tests give their own.
package typealias ProtocommRandom = @Sendable (Int) -> [UInt8]
