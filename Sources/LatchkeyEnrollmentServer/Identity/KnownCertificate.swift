package import LatchkeyEnrollmentProtocol
package import LatchkeyEnrollmentStore

/// The store's state of a certificate.
package enum KnownCertificate: Sendable {
  /// It was issued here, and neither it nor its device was revoked.
  case good(AuthenticatedDevice)
  /// It was revoked because its device changed its key; the device itself is valid.
  case superseded(AuthenticatedDevice)
  /// It, or its device, was revoked, permanently.
  case revoked
  /// The device's user is disabled; it counts again when the user is enabled.
  case disabled
  /// It was not issued here.
  case unknown

  package init(_ row: (certificate: CertificateRecord, device: DeviceRecord)?) {
    guard let (certificate, device) = row else {
      self = .unknown
      return
    }
    let isSuperseded = certificate.revoked != nil && certificate.reason == Self.superseded
    guard certificate.revoked == nil || isSuperseded, device.revoked == nil else {
      self = .revoked
      return
    }
    guard !device.isUserDisabled else {
      self = .disabled
      return
    }
    let known = AuthenticatedDevice(
      id: device.id, user: device.user, name: device.name, identityKey: device.identityKey,
      approvalKey: device.approvalKey, approvalEvidence: device.approvalEvidence,
      identityEvidence: device.identityEvidence,
      fingerprint: certificate.fingerprint, notAfter: certificate.notAfter)
    self = isSuperseded ? .superseded(known) : .good(known)
  }

  /// The refusal of a disabled user's devices.
  static let ofDisabledUser = Problem(.notPermitted, detail: "the user is disabled; ask who runs the service")

  /// CRLReason superseded (RFC 5280 5.3.1): used only for certificates of a key that was changed.
  static let superseded = 4

  /// The device of a certificate that ended because the key changed, until its own expiry: valid for one request
  /// (``RenewalCeremony``).
  func superseded(at now: Int64) -> AuthenticatedDevice? {
    if case .superseded(let device) = self, device.notAfter > now { device } else { nil }
  }

  /// The device, if the certificate is valid at this time.
  package func device(at now: Int64) throws(Problem) -> AuthenticatedDevice {
    switch self {
    case .revoked: throw Problem(.revoked, detail: "the certificate or its device was revoked; enroll again")
    case .superseded:
      throw Problem(.revoked, detail: "the device has another key now, which ended this certificate; enroll again")
    case .disabled: throw Self.ofDisabledUser
    case .unknown: throw Problem(.notAuthenticated, detail: "this server did not issue the certificate; enroll here")
    case .good(let device):
      guard device.notAfter > now else {
        throw Problem(.notAuthenticated, detail: "the certificate has ended; enroll again")
      }
      return device
    }
  }
}

/// A bounded cache of recently used certificates in two generations: when the younger one is full, the older one is dropped,
/// and a hit moves an entry to the younger one.
struct CertificateCache {
  private struct Entry {
    let known: KnownCertificate
    let end: ContinuousClock.Instant
  }

  /// A device's name and keys change without a revocation, so entries are read again at this interval.
  private static let longest = Duration.seconds(60)
  /// An unknown certificate may have been restored meanwhile, or come from a server that is ahead.
  private static let longestUnknown = Duration.seconds(1)

  private let half: Int
  private var younger: [Fingerprint: Entry] = [:]
  private var older: [Fingerprint: Entry] = [:]

  init(capacity: Int) { half = max(1, capacity / 2) }

  var count: Int { younger.count + older.count }

  mutating func find(_ fingerprint: Fingerprint, at time: ContinuousClock.Instant) -> KnownCertificate? {
    if let entry = younger[fingerprint] { return entry.end > time ? entry.known : nil }
    guard let entry = older.removeValue(forKey: fingerprint), entry.end > time else { return nil }
    insert(entry, fingerprint)
    return entry.known
  }

  mutating func insert(_ known: KnownCertificate, _ fingerprint: Fingerprint, at time: ContinuousClock.Instant) {
    let longest = if case .unknown = known { Self.longestUnknown } else { Self.longest }
    insert(Entry(known: known, end: time + longest), fingerprint)
  }

  mutating func remove(_ fingerprint: Fingerprint) {
    younger[fingerprint] = nil
    older[fingerprint] = nil
  }

  mutating func removeAll() {
    younger = [:]
    older = [:]
  }

  private mutating func insert(_ entry: Entry, _ fingerprint: Fingerprint) {
    if younger.count >= half, younger[fingerprint] == nil {
      older = younger
      younger = [:]
    }
    younger[fingerprint] = entry
  }
}
