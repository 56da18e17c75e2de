internal import Crypto
internal import LatchkeyEnrollmentStore

/// What stands for addresses, devices and places of logins in the reports to other servers: a keyed digest, another for each limit.
///
/// The store holds the key, because servers share no other place. The key makes digests of different stores differ. An attacker who reads
/// the store can still find an IPv4 address by trying all of them, as long as its report is stored: one minute.
struct ClientDigests: Sendable {
  /// The setting that stores the key.
  static let setting = "limits.digest-key"
  static let keySize = 32

  private let key: SymmetricKey

  init(key: [UInt8]) { self.key = SymmetricKey(data: key) }

  func digest(of client: [UInt8], _ limit: LimitUse.Kind) -> ClientDigest {
    HMAC<SHA256>.authenticationCode(for: [limit.rawValue] + client, using: key).withUnsafeBytes { bytes in
      ClientDigest(
        high: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self).bigEndian,
        low: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self).bigEndian)
    }
  }
}

extension LimitUse {
  /// What was collected of one limit.
  static func uses(
    _ kind: Kind, _ collected: [(client: ClientDigest, count: UInt32, tenths: UInt16)]
  ) -> [LimitUse] {
    collected.map { LimitUse(Key(kind, $0.client), count: $0.count, tenths: $0.tenths) }
  }
}
