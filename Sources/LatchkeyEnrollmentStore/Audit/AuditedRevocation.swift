internal import LatchkeyByteCoding

/// An entry by which a device or a certificate ended, held against what the store says of it: a revocation never ends, so the one
/// that counts again was altered in the tables.
enum AuditedRevocation {
  /// Whether the store says that what the entry revoked counts, or does not have it at all.
  static func isContradicted(_ entry: AuditEntry, in store: any StoreTransaction) throws -> Bool {
    switch entry.event {
    case "device.revoked":
      guard let id = entry.fields["device"].flatMap({ Identifier($0) }) else { return false }
      guard try store.device(id)?.revoked != nil else { return true }
      return try store.certificates(of: id).contains { $0.revoked == nil }
    case "certificate.revoked":
      guard let serial = entry.fields["serial"].flatMap({ try? Hexadecimal.decode($0) }) else { return false }
      return try store.certificate(serial: serial)?.revoked == nil
    default: return false
    }
  }
}
