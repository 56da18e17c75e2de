internal import LatchkeyByteCoding
internal import LatchkeyKeychainModel

/// The faults of a chain that a program accepts (`SecTrustCopyExceptions`). They hold for one leaf, and each of them for one
/// certificate: a fault that comes later, or of another certificate, still counts.
struct TrustExceptions: Hashable, Sendable {
  /// The SHA-256 of the leaf.
  let leaf: [UInt8]
  /// The faults found by the evaluator.
  var excuses: Set<TrustExcuse> = []
  /// Whether the missing revocation check is accepted.
  var acceptsUnknownRevocation = false

  /// The maximum number of faults. Further ones stay refused: finding each takes an evaluation, which a hostile chain makes long.
  static let most = 64

  /// No exceptions yet for a chain with this leaf.
  init(leaf: SecCertificate) { self.leaf = leaf.digest }

  /// Whether these are the exceptions of a chain with this leaf.
  func match(_ leaf: SecCertificate?) -> Bool { leaf?.digest == self.leaf }

  /// Adds a fault that may be accepted; false for one that may not, and for one that was added before.
  mutating func accept(_ fault: TrustFault, of certificate: SecCertificate?) -> Bool {
    guard fault.result == .recoverableTrustFailure, excuses.count < Self.most else { return false }
    if fault.status == TrustFault.revocationUnknown.status {
      defer { acceptsUnknownRevocation = true }
      return !acceptsUnknownRevocation
    }
    guard let refusal = fault.refusal, refusal.isExcusable, let certificate else { return false }
    return excuses.insert(TrustExcuse(refusal, digest: certificate.digest)).inserted
  }
}

/// The encoding: a prefix with the version, the leaf's digest, and for each fault its code and a certificate's digest, in
/// ascending order.
extension TrustExceptions {
  /// "LKTE", and the version.
  private static let prefix: [UInt8] = [0x4C, 0x4B, 0x54, 0x45, 1]
  private static let digestByteCount = 32
  private static let recordByteCount = 1 + digestByteCount
  /// The code of the missing revocation check, followed by the leaf's digest.
  private static let unknownRevocation: UInt8 = 0x40

  /// The maximum length in bytes.
  static let longest = prefix.count + digestByteCount + (most + 1) * recordByteCount

  /// The encoded exceptions.
  var encoded: [UInt8] {
    var faults = excuses.map { [$0.refusal.code] + $0.digest }
    if acceptsUnknownRevocation { faults.append([Self.unknownRevocation] + leaf) }
    faults.sort { $0.lexicographicallyPrecedes($1) }
    return Self.prefix + leaf + faults.flatMap { $0 }
  }

  /// Decodes exceptions; nil for anything that ``encoded`` does not return.
  init?(encoded bytes: [UInt8]) {
    guard bytes.count <= Self.longest else { return nil }
    var reader = ByteReader(bytes)
    do throws(ByteCodingError) {
      guard try reader.bytes(Self.prefix.count, "prefix of exceptions") == Self.prefix else { return nil }
      leaf = try reader.bytes(Self.digestByteCount, "digest of a leaf")
      while !reader.isEmpty {
        let code = try reader.uint8("code of a fault")
        let digest = try reader.bytes(Self.digestByteCount, "digest of a certificate")
        if code == Self.unknownRevocation {
          acceptsUnknownRevocation = true
        } else {
          guard let refusal = TrustRefusal(code: code), refusal.isExcusable else { return nil }
          excuses.insert(TrustExcuse(refusal, digest: digest))
        }
      }
    } catch {
      return nil
    }
    guard encoded == bytes else { return nil }
  }
}

extension TrustRefusal {
  /// Whether a user may accept the fault: a recoverable one of a certificate, and not that the evaluation gave up.
  fileprivate var isExcusable: Bool { result == .recoverableTrustFailure && self != .tooMuch }

  /// The number in encoded exceptions. Numbers are never used again for something else.
  fileprivate var code: UInt8 {
    switch self {
    case .hostMismatch: 1
    case .expired: 2
    case .notYetValid: 3
    case .weakKey: 4
    case .weakSignature: 5
    case .keyUsage: 6
    case .usage: 7
    case .noAuthority: 8
    case .pathLength: 9
    case .noAnchor: 10
    case .noIssuer: 11
    case .criticalExtension: 12
    case .nameConstraints: 13
    case .tooMuch: 14
    case .invalid: 15
    }
  }

  fileprivate init?(code: UInt8) {
    guard let refusal = Self.allCases.first(where: { $0.code == code }) else { return nil }
    self = refusal
  }
}
