import LatchkeyServerTestSupport
import Foundation
import LatchkeyCertificateAuthority
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyTestSupport
import Testing

@testable import LatchkeyEnrollmentServer

/// What an operator's alerts are made of.
@Suite("Metrics of the operator")
struct OperatorMetricsTests {
  @Test("Logins, refusals, revocations and the store are counted as they happen, each with its HELP and TYPE")
  func series() async throws {
    try await RunningServer.with { server in
      let device = try await server.device()
      try await server.withClient(device) { client in
        let login = { try await client.post(Routes.login, PasswordLogin(user: "demo", password: $0)).status }
        #expect(try await login(RunningServer.password) == 200)
        #expect(try await login("wrong password") == 401)
        #expect(try await client.request("GET", Routes.revocationList).status == 200)
        #expect(try await client.request("POST", Routes.revocation).status == 204)
        #expect(try await client.request("GET", Routes.device).code == .revoked)
        let text = try await client.request("GET", Routes.metrics).text
        for line in [
          "latchkey_logins_total{method=\"password\"} 1", "latchkey_logins_total{method=\"key\"} 0",
          "latchkey_logins_refused_total{reason=\"wrong password\"} 1", "latchkey_users_locked_total 0",
          "latchkey_revocations_total{of=\"device\"} 1", "latchkey_refusals_total{code=\"revoked\"} 1",
          "latchkey_refusals_total{code=\"not_authenticated\"} 1", "latchkey_store_retries_total 0",
          "latchkey_store_failures_total{reason=\"contention\"} 0", "latchkey_crl_age_seconds 0",
        ] { #expect(text.contains(line + "\n"), "\(line)") }
        for name in ["latchkey_build_info", "process_resident_memory_bytes", "process_open_fds"] {
          #expect(text.contains("\n\(name)"), "\(name)")
        }
        let families = text.matches(of: /# TYPE (\S+)/).map { String($0.1) }
        #expect(Set(families).count == families.count)
        for family in families { #expect(text.contains("# HELP \(family) "), "\(family)") }
        #expect(!text.contains("demo"))
      }
    }
  }

  @Test("The ends of the authorities' certificates are told, of a named one with its name") func authorities()
    async throws
  {
    let now = Date()
    let sensors = try CertificateAuthority(
      name: "Sensors", key: FileAuthorityKey(), now: now.addingTimeInterval(-86_400), serial: RunningServer.serial())
    try await RunningServer.with({ $0.namedAuthorities = ["sensors": sensors] }) { server in
      // As maintenance does it each minute.
      try await StoreGauges(services: server.server.services).refresh()
      let text = try await server.withClient { try await $0.request("GET", Routes.metrics).text }
      let own = Int64(server.authority.notAfter.timeIntervalSince1970)
      let named = Int64(sensors.notAfter.timeIntervalSince1970)
      #expect(own != named)
      #expect(text.contains("\nlatchkey_authority_end_seconds \(own).0\n"))
      #expect(text.contains("\nlatchkey_authority_end_seconds{authority=\"sensors\"} \(named).0\n"))
    }
  }

  /// Ends with an error if the text does not parse, or a family has no help or no samples of a known type.
  private static let parse = """
    import sys
    from prometheus_client.parser import text_string_to_metric_families
    families = list(text_string_to_metric_families(sys.stdin.read()))
    assert len(families) > 20, len(families)
    for family in families:
        assert family.documentation and family.type != "unknown" and family.samples, family.name
    """

  @Test("A parser of Prometheus reads them", .needs("python3"))
  func parser() async throws {
    try await RunningServer.with { server in
      try await server.withClient { client in
        _ = try await client.post(Routes.login, PasswordLogin(user: "demo", password: RunningServer.password))
        let text = try await client.request("GET", Routes.metrics).text
        let run = try #require(
          try await ForeignProgram.run("/usr/bin/python3", ["-c", Self.parse], input: text))
        #expect(run.status == 0, "\(run.output)")
      }
    }
  }
}
