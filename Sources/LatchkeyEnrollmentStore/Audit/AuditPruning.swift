internal import LatchkeyByteCoding

/// Says that the first entries of a chain were deleted on purpose, and by whom: the number and the hash of the last one, signed. The
/// entries that are left follow from it, and an exported file of those that were deleted ends in it.
///
/// The signature is ECDSA (P-256, SHA-256, X9.62) by the key of a server's answers over these lines:
///
///     latchkey-audit-pruning 1
///     time 1764000000
///     before 1760000000
///     pruned 42 0f…9a server 1
///
/// The title tells it from the heads of a chain (``AuditCheckpoint``): signed heads, which a server writes each minute, prune nothing.
public struct AuditPruning: Sendable, Hashable {
  /// The chain, and the number and hash of its last entry that was deleted.
  public let head: AuditHead
  /// The time before which the deleted entries were written, seconds since 1970.
  public let before: Int64
  /// When they were deleted, seconds since 1970.
  public let time: Int64
  /// X9.62.
  public let signature: [UInt8]

  package init(head: AuditHead, before: Int64, time: Int64, signature: [UInt8]) {
    self.head = head
    self.before = before
    self.time = time
    self.signature = signature
  }

  /// Signs a pruning.
  ///
  /// - Parameters:
  ///   - head: the chain, and the last entry to delete.
  ///   - before: the time before which all entries to delete were written, seconds since 1970.
  ///   - time: the time now, seconds since 1970.
  ///   - sign: signs a message with ECDSA P-256 and SHA-256; gives X9.62 DER.
  public init<Failure: Error>(
    upTo head: AuditHead, before: Int64, at time: Int64, by sign: (_ message: [UInt8]) throws(Failure) -> [UInt8]
  ) throws(Failure) {
    self.init(
      head: head, before: before, time: time, signature: try sign(Self.message(head, before: before, time: time)))
  }

  /// Whether the signature is that of this key: X9.63, 65 bytes.
  public func isSigned(by publicKey: [UInt8]) -> Bool {
    AuditSignature.isValid(signature, of: Self.message(head, before: before, time: time), by: publicKey)
  }

  private static func message(_ head: AuditHead, before: Int64, time: Int64) -> [UInt8] {
    let title = "latchkey-audit-pruning 1\ntime \(time)\nbefore \(before)\n"
    return Array("\(title)pruned \(head.sequence) \(Hexadecimal.encode(head.hash)) \(head.node)\n".utf8)
  }
}

/// Whose signatures of prunings count.
public enum AuditSigners: Sendable, Hashable {
  /// Those of these public keys: X9.63, 65 bytes each.
  case keys([[UInt8]])
  /// All, even a forged one: for a reader that has no key.
  case anyone

  /// Whether a pruning counts.
  public func accept(_ pruning: AuditPruning) -> Bool {
    switch self {
    case .keys(let keys): keys.contains { pruning.isSigned(by: $0) }
    case .anyone: true
    }
  }
}
