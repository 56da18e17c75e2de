import Testing

@testable import LatchkeyCertificateAuthority

@Suite("Patterns of names") struct NamePatternTests {
  private func permits(_ pattern: String, _ name: String) throws -> Bool {
    try NamePattern(pattern).permits(AlternativeName(name))
  }

  @Test(
    "A pattern permits what it says",
    arguments: [
      ("dns:a.example", "dns:a.example"), ("dns:*.devices.example", "dns:a.devices.example"),
      ("dns:*.Devices.Example", "dns:a1-b.devices.example"), ("dns:*.example", "dns:_x.example"),
      ("ip:192.0.2.7", "ip:192.0.2.7"), ("ip:192.0.2.0/24", "ip:192.0.2.255"), ("ip:0.0.0.0/0", "ip:203.0.113.9"),
      ("ip:192.0.2.128/25", "ip:192.0.2.129"), ("ip:2001:db8::/33", "ip:2001:db8:7fff::1"),
      ("ip:192.0.2.4/30", "ip:192.0.2.7"), ("uri:urn:example:7", "uri:urn:example:7"),
      ("uri:urn:example:*", "uri:urn:example:a.b-c_d~1"), ("uri:spiffe://example/dev/*", "uri:spiffe://example/dev/7"),
    ] as [(String, String)])
  func permitted(_ pattern: String, _ name: String) throws { #expect(try permits(pattern, name)) }

  @Test(
    "A pattern permits nothing else",
    arguments: [
      ("dns:a.example", "dns:b.example"), ("dns:a.example", "dns:x.a.example"),
      ("dns:*.devices.example", "dns:devices.example"),
      ("dns:*.devices.example", "dns:a.b.devices.example"), ("dns:*.devices.example", "dns:a.devices.example.org"),
      ("dns:*.devices.example", "dns:adevices.example"), ("dns:*.devices.example", "dns:xn--e1a.devices.example"),
      ("dns:*.devices.example", "uri:dns:a.devices.example"), ("ip:192.0.2.0/24", "ip:192.0.3.0"),
      ("ip:192.0.2.128/25", "ip:192.0.2.127"), ("ip:192.0.2.4/30", "ip:192.0.2.8"), ("ip:0.0.0.0/0", "ip:::1"),
      ("ip:192.0.2.0/24", "ip:::ffff:192.0.2.1"), ("ip:::/0", "ip:192.0.2.1"),
      ("ip:2001:db8::/33", "ip:2001:db8:8000::"),
      ("uri:urn:example:*", "uri:urn:example:a:b"), ("uri:urn:example:*", "uri:urn:example:a/b"),
      ("uri:spiffe://example/dev/*", "uri:spiffe://example/dev/."),
      ("uri:spiffe://example/dev/*", "uri:spiffe://example/dev/.."),
      ("uri:spiffe://example/dev/*", "uri:spiffe://example/dev/a/b"),
      ("uri:spiffe://example/dev/*", "uri:spiffe://example/dev/%2e%2e"),
      ("uri:spiffe://example/dev/*", "uri:spiffe://example/dev/a?b"),
      ("uri:spiffe://example/dev/*", "uri:spiffe://example/dev/a#b"),
      ("uri:spiffe://example/dev/*", "uri:spiffe://example/dev/*"),
      ("uri:spiffe://example/dev/*", "uri:SPIFFE://example/dev/a"),
      ("uri:spiffe://example/dev/*", "uri:spiffe://example/dev/"),
    ] as [(String, String)])
  func others(_ pattern: String, _ name: String) throws {
    let isPermitted = (try? permits(pattern, name)) ?? false
    #expect(!isPermitted)
  }

  private static let tooLong = "dns:*." + String(repeating: "a.", count: 126) + "a"

  @Test(
    "What is no pattern is refused",
    arguments: [
      "", "a.example", "dns:", "dns:*", "dns:*.", "dns:*a.example", "dns:a.*.example", "dns:*.*.example",
      "dns:**.example",
      "dns:a.example.", "dns:*.a.example.", "dns:ä.example", "dns:192.0.2.1", "dns:*.192.0.2.1/24", "dns:a example",
      "ip:192.0.2", "ip:192.0.2.0/", "ip:192.0.2.0/33", "ip:192.0.2.0/-1", "ip:192.0.2.0/+8", "ip:192.0.2.0/24/24",
      "ip:192.0.2.1/24", "ip:2001:db8::/129", "ip:2001:db8::1/64", "ip:*", "ip:192.0.2.*", "ip:a.example", "uri:*",
      "uri:urn:*", "uri:https://*", "uri:https://example*", "uri:https://*/a", "uri:urn:example:*:*", "uri:a b",
      "uri:urn:exämple:1",
      "uri:urn:latchkey:device:*", "uri:URN:Latchkey:device:1", "uri:urn:latchkey:*", "email:a@example",
      "DNS:a.example",
      "dns:a.example\u{0}", Self.tooLong,
    ] as [String])
  func refused(_ text: String) {
    #expect {
      _ = try NamePattern(text)
    } throws: { error in
      if case AuthorityError.misuse? = error as? AuthorityError { true } else { false }
    }
  }
}
