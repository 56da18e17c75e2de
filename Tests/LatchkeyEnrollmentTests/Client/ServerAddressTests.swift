import Testing

@testable import LatchkeyEnrollment

@Suite struct ServerAddressTests {
  @Test(
    "A server's address is read and written",
    arguments: [
      ("https://bank.example", "https://bank.example", 443), ("https://Bank.Example:443/", "https://bank.example", 443),
      ("https://localhost:8443", "https://localhost:8443", 8443), ("https://[::1]:8443", "https://[::1]:8443", 8443),
    ])
  func isReadAndWritten(_ text: String, _ written: String, _ port: Int) throws {
    let address = try ServerAddress(text)
    #expect(address.description == written)
    #expect(address.port == port)
  }

  @Test(
    "Texts that are no address are refused",
    arguments: [
      "", "bank.example", "http://bank.example", "https://", "https://bank.example/v1", "https://a@bank.example",
      "https://bank.example?x", "https://bank.example#x", "https://bank.example:0", "https://bank.example:65536",
      "https://bank.example:x", "ftp://bank.example",
    ])
  func whatIsNoneIsRefused(_ text: String) {
    #expect(throws: EnrollmentError.self) { try ServerAddress(text) }
  }
}
