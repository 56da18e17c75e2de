import LatchkeyEnrollmentProtocol
import Testing

/// Headers of the PROXY protocol, version 2.
@Suite struct ProxyHeaderTests {
  private static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]

  private static func header(
    _ block: [UInt8], command: UInt8 = 0x21, family: UInt8 = 0x11, length: Int? = nil
  ) -> [UInt8] {
    let length = length ?? block.count
    return signature + [command, family, UInt8(length >> 8), UInt8(length & 0xFF)] + block
  }

  private static let four: [UInt8] = [203, 0, 113, 7, 192, 0, 2, 1, 0x30, 0x39, 0x01, 0xBB]
  private static let six: [UInt8] = [0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [7]
  private static let sixBlock = six + [UInt8](repeating: 1, count: 16) + [0x30, 0x39, 0x01, 0xBB]

  @Test(
    "A header gives the client's address, its fields skipped, and TLS begins behind it",
    arguments: [
      (header(four), .client([203, 0, 113, 7])), (header(sixBlock, command: 0x21, family: 0x21), .client(six)),
      (header(four + [0x04, 0, 2, 9, 9]), .client([203, 0, 113, 7])), (header(four, command: 0x20, family: 0x11), .own),
      (header([], command: 0x20, family: 0), .own), (header([1, 2, 3], command: 0x20, family: 0xFF), .own),
      (header([], command: 0x21, family: 0), .own),
      (header([1, 2, 3], command: 0x21, family: 0), .own),
      (header([UInt8](repeating: 0, count: 216), command: 0x21, family: 0x31), .own),
      (header(four + [UInt8](repeating: 0, count: 2020)), .client([203, 0, 113, 7])),
    ] as [([UInt8], ProxyHeader)])
  func found(bytes: [UInt8], header: ProxyHeader) throws {
    let found = try #require(try ProxyHeader.read(bytes + [0x16, 0x03, 0x01]))
    #expect(found.header == header && found.length == bytes.count)
    for count in bytes.indices { #expect(try ProxyHeader.read(Array(bytes.prefix(count))) == nil, "\(count)") }
  }

  @Test(
    "What is no header is refused as soon as that is sure",
    arguments: [
      ([0x16], .noHeader), ([0x16, 0x03, 0x01], .noHeader), ([0x0D, 0x0A, 0x0D, 0x0B], .noHeader),
      (Array("GET / HTTP/1.1".utf8), .noHeader), (Array("PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n".utf8), .version1),
      (Array("PROXY UNKNOWN\r\n".utf8), .version1), (Array("PROXX".utf8), .noHeader),
      (header(four, command: 0x22, family: 0x11), .command(0x22)),
      (header(four, command: 0x11, family: 0x11), .command(0x11)),
      (header(four, command: 0x31, family: 0x11), .command(0x31)),
      (header(four, command: 0x21, family: 0x12), .family(0x12)),
      (header(sixBlock, command: 0x21, family: 0x22), .family(0x22)),
      (header(four, command: 0x21, family: 0x32), .family(0x32)),
      (header(four, command: 0x21, family: 0x10), .family(0x10)),
      (header(four, command: 0x21, family: 0x41), .family(0x41)),
      (header(Array(four.dropLast()), command: 0x21, family: 0x11), .tooShort(11)),
      (header([], command: 0x21, family: 0x11), .tooShort(0)),
      (header(Array(sixBlock.dropLast()), command: 0x21, family: 0x21), .tooShort(35)),
      (header(four, command: 0x21, family: 0x21), .tooShort(12)),
      (header(four, command: 0x21, family: 0x31), .tooShort(12)),
      (header(four, command: 0x21, family: 0x11, length: 2033), .tooLong(2033)),
      (header([], command: 0x21, family: 0x11, length: 0xFFFF), .tooLong(0xFFFF)),
      (header([], command: 0x20, family: 0, length: 0xFFFF), .tooLong(0xFFFF)),
    ] as [([UInt8], ProxyHeaderError)])
  func refused(bytes: [UInt8], error: ProxyHeaderError) {
    #expect(throws: error) { _ = try ProxyHeader.read(bytes) }
  }

  @Test("Nothing is known of nothing") func nothing() throws {
    #expect(try ProxyHeader.read([]) == nil)
  }
}
