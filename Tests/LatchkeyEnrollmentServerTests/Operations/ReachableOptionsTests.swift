import ArgumentParser
import LatchkeyLedger
import Testing

@testable import LatchkeyEnrollmentServer
@testable import latchkey_server

/// Each policy and each limit has an option.
@Suite struct ReachableOptionsTests {
  /// The properties of a value, as text.
  private func properties(_ value: Any) -> [String: String] {
    Dictionary(
      uniqueKeysWithValues: Mirror(reflecting: value).children.map { ($0.label ?? "", "\($0.value)") })
  }

  @Test("Every property of the limits changes by an option") func limits() throws {
    var limits = ServerLimits()
    try LimitOptions.parse([
      "--logins-per-minute", "31", "--requests-per-second", "201", "--anonymous-per-second", "101",
      "--devices-per-user", "101", "--connections", "20001", "--connections-per-address", "513",
    ]).apply(to: &limits)
    try Self.further().apply(to: &limits)
    let (before, after) = (properties(ServerLimits()), properties(limits))
    #expect(before.count > 20)
    for (name, value) in before { #expect(after[name] != value, "no option sets \(name)") }
  }

  /// Those that a file or several options set together: tests of the program see their effects.
  private static let byAttestation: Set<String> = [
    "attestationTrust", "attestationPolicy", "identityAttestationPolicy",
  ]

  @Test("Every property of the policy changes by an option") func policy() throws {
    var policy = ServerPolicy()
    try PolicyOptions.parse([
      "--certificate-lifetime", "25h", "--session-lifetime", "16m", "--approval-cool-down", "1h",
      "--renew-after-expiry", "7d",
      "--password-enrollment", "off", "--password-cost", "15",
    ]).apply(to: &policy)
    try Self.further().apply(to: &policy)
    var configuration = try CeremonyBench().services.configuration
    try PublicationOptions.parse(["--ocsp-signer", "authority"]).apply(to: &configuration)
    policy.delegatesStatus = configuration.policy.delegatesStatus
    let (before, after) = (properties(ServerPolicy()), properties(policy))
    for (name, value) in before where !Self.byAttestation.contains(name) {
      #expect(after[name] != value, "no option sets \(name)")
    }
  }

  @Test("Every property of the sample bank's policy changes by an option") func bank() throws {
    let bank = try #require(
      try LedgerOptions.parse([
        "--sample-bank", "--approval-from", "1000.01", "--approval-sum", "5.00", "--daily-sum", "7.00", "--date-ahead",
        "91d",
      ]).service())
    let (before, after) = (properties(LedgerPolicy()), properties(bank.policy))
    #expect(!before.isEmpty)
    for (name, value) in before { #expect(after[name] != value, "no option sets \(name)") }
  }

  @Test("Without --sample-bank there is no bank, whatever is said of its policy") func noBank() throws {
    #expect(try LedgerOptions.parse(["--approval-from", "1.00"]).service() == nil)
  }

  private static func further() throws -> FurtherOptions {
    try FurtherOptions.parse([
      "--challenge-lifetime", "61s", "--answer-lifetime", "49h", "--signature-skew", "301s", "--signature-lifetime",
      "302s", "--crl-lifetime", "25h", "--revocation-staleness", "501ms", "--handshake-timeout", "11s",
      "--request-timeout", "31s", "--answer-timeout", "32s", "--idle-timeout", "601s", "--header-size", "16385",
      "--header-count", "65", "--body-size", "65537", "--unfinished-bodies-per-connection", "131073",
      "--unfinished-bodies-per-peer", "262145", "--json-depth", "17", "--password-failures", "6", "--lock-time", "61s",
      "--password-failures-per-day", "101", "--passwords-at-once", "3", "--password-wait", "751ms",
      "--status-lifetime", "61m", "--pending-lifetime", "25h", "--pending-per-user", "9",
      "--answer-size", "1048577", "--transaction-time", "31s",
    ])
  }

  @Test(
    "Values beyond the bounds are refused, and the option is named",
    arguments: [
      ["--challenge-lifetime", "4s"], ["--answer-lifetime", "59m"], ["--signature-skew", "0"],
      ["--signature-lifetime", "2d"], ["--crl-lifetime", "1s"], ["--status-lifetime", "1s"], ["--lock-time", "0"],
      ["--handshake-timeout", "99ms"],
      ["--request-timeout", "2h"], ["--idle-timeout", "0"], ["--password-wait", "61s"], ["--header-size", "1"],
      ["--json-depth", "129"], ["--passwords-at-once", "0"], ["--body-size", "16777217"], ["--header-count", "-1"],
      ["--password-wait", "-1ms"], ["--password-wait", "1"], ["--password-wait", "ms"], ["--password-wait", "1.5s"],
      ["--answer-size", "65535"], ["--answer-size", "67108865"], ["--transaction-time", "999ms"],
      ["--transaction-time", "3600001ms"],
    ])
  func bounds(words: [String]) {
    #expect { _ = try FurtherOptions.parse(words) } throws: { error in
      FurtherOptions.message(for: error).contains(words[0])
    }
  }
}
