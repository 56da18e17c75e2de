internal import Foundation
internal import LatchkeyCertificateAuthority
internal import LatchkeyEnrollmentStore
internal import Metrics

/// What an operator watches: certificates that end soon, the ends of the audit chains, and when the authorities' certificates end. Read each
/// minute, since it costs queries.
struct StoreGauges: Sendable {
  /// The windows in which certificates end, each within the next.
  private static let windows: [(name: String, seconds: Int64)] = [
    ("1h", 3600), ("24h", 86_400), ("7d", 7 * 86_400), ("30d", 30 * 86_400),
  ]
  /// The chains that have a series.
  private static let mostChains = 64

  let services: Services

  func refresh() async throws {
    let now = services.now
    let (counts, heads) = try await services.store.read { store in
      (
        try Self.windows.map { try store.countCertificates(now: now, endingBefore: now + $0.seconds) },
        try store.auditHeads()
      )
    }
    let factory = services.configuration.metrics
    let configuration = services.configuration
    let named = configuration.namedAuthorities.map { (dimensions: [("authority", $0.key)], authority: $0.value) }
    for (dimensions, authority) in [([], configuration.authority)] + named {
      Meter(label: "latchkey_authority_end_seconds", dimensions: dimensions, factory: factory)
        .set(Int64(authority.notAfter.timeIntervalSince1970))
    }
    for (window, count) in zip(Self.windows, counts) {
      Meter(label: "latchkey_certificates_expiring", dimensions: [("window", window.name)], factory: factory)
        .set(Int64(count))
    }
    for head in heads.prefix(Self.mostChains) {
      Meter(label: "latchkey_audit_head_sequence", dimensions: [("node", head.node)], factory: factory)
        .set(head.sequence)
    }
  }
}
