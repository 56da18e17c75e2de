import LatchkeyEnrollmentServer
import Testing

/// Blocks of addresses.
@Suite struct AddressBlockTests {
  @Test(
    "A block contains the addresses with its prefix, and no others",
    arguments: [
      (
        "10.0.0.0/8", ["10.0.0.1", "10.255.255.255", "::ffff:10.1.2.3"], ["11.0.0.1", "9.9.9.9", "::1", "fd00::1", ""]
      ),
      ("192.0.2.1", ["192.0.2.1"], ["192.0.2.2", "192.0.2.0"]), ("0.0.0.0/0", ["1.2.3.4"], ["::1"]),
      ("192.0.2.128/25", ["192.0.2.128", "192.0.2.255"], ["192.0.2.127"]),
      ("fd00::/8", ["fd00::1", "fdff::1%eth0"], ["fe80::1", "10.0.0.1"]), ("::1", ["::1"], ["::2", "127.0.0.1"]),
      ("2001:db8::/33", ["2001:db8:7fff::1"], ["2001:db8:8000::1"]),
      ("::ffff:192.0.2.0/24", ["192.0.2.9"], ["192.0.3.1"]),
    ] as [(String, [String], [String])])
  func contains(text: String, inside: [String], outside: [String]) throws {
    let block = try #require(AddressBlock(text))
    for address in inside { #expect(block.contains(address), "\(address)") }
    for address in outside { #expect(!block.contains(address), "\(address)") }
  }

  @Test(
    "Text of another form is no block, nor an address with bits beyond its prefix",
    arguments: [
      "", "/", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/08", "10.0.0.1/8", "10.0.0/8",
      "10/8",
      "localhost", "fd00::/129", "fd00::1/8", "10.0.0.0/8/8", " 10.0.0.0/8", "192.0.2.129/25", "*",
    ])
  func refused(text: String) { #expect(AddressBlock(text) == nil) }
}
