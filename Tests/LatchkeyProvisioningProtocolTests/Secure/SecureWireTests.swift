import LatchkeyByteCoding
import Testing

@testable import LatchkeyProvisioningProtocol

@Suite struct SecureWireTests {
  private func join(_ values: [[UInt8]], limit: Int = 2048) throws(SecureWireError) -> [UInt8]? {
    var reassembler = SecureReassembler(limit: limit)
    var message: [UInt8]?
    for value in values { message = try reassembler.add(value, now: .zero) }
    return message
  }

  @Test("Messages of all lengths come back, at every length of a value", arguments: [4, 5, 20, 182, 512, 600])
  func roundTrip(_ limit: Int) throws {
    for length in [3, 4, 5, 16, 17, 18, 67, 509, 510, 1236, 2048] {
      let message = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
      let values = SecureFragments.values(of: message, limit: limit)
      #expect(values.allSatisfy { $0.count <= min(limit, 512) })
      #expect(try join(values) == message)
    }
  }

  @Test("The page's fragment of one message") func bytes() throws {
    #expect(SecureFragments.values(of: [0x7F, 0, 1, 3], limit: 20) == [[0xC0, 0, 4, 0x7F, 0, 1, 3]])
    #expect(
      SecureFragments.values(of: [0x7F, 0, 1, 3], limit: 5) == [[0x80, 0, 4, 0x7F, 0], [0x41, 1, 3]])
  }

  @Test("Fragments that are out of place, out of order, empty or of the wrong length are refused") func refused() {
    let cases: [([[UInt8]], SecureWireError)] = [
      ([[]], .emptyFragment), ([[0xC0]], .emptyFragment), ([[0xC0, 0, 3]], .emptyFragment),
      ([[0x80, 0, 9, 1], [0x01]], .emptyFragment), ([[0x40, 1]], .outOfPlace), ([[0x01, 1]], .outOfPlace),
      ([[0x80, 0, 9, 1], [0x80, 0, 9, 1]], .outOfPlace), ([[0x80, 0, 9, 1], [0x02, 1]], .sequence),
      ([[0x81, 0, 9, 1]], .sequence), ([[0x80, 0, 9, 1], [0x01, 1], [0x01, 1]], .sequence),
      ([[0xC0, 0, 2, 1, 1]], .messageLength(2)), ([[0xC0, 8, 1, 1]], .messageLength(2049)),
      ([[0xC0, 0, 4, 1, 2, 3]], .lengthMismatch), ([[0xC0, 0, 4, 1, 2, 3, 4, 5]], .lengthMismatch),
      ([[0x80, 0, 4, 1, 2, 3, 4]], .lengthMismatch), ([[0x80, 0, 4, 1], [0x41, 2]], .lengthMismatch),
    ]
    for (values, error) in cases { #expect(throws: error, "\(values)") { try join(values) } }
  }

  @Test("A fragment that comes too late is refused") func late() throws {
    var reassembler = SecureReassembler(limit: 100)
    #expect(try reassembler.add([0x80, 0, 4, 1], now: .seconds(1)) == nil)
    #expect(reassembler.deadline == .seconds(6))
    #expect(throws: SecureWireError.incomplete) { try reassembler.add([0x41, 1, 1, 1], now: .seconds(6)) }
  }

  @Test("A message has the type and the exact length of the page") func messages() throws {
    let lengths: [SecureMessage.Kind: Set<Int>] = [
      .hello: [49, 1233], .reply: [64, 1152], .resume: [64], .resumed: [48], .error: [1, 3],
    ]
    for type in UInt8.min ... .max {
      for length in 0..<1300 {
        let bytes = [type, UInt8(length >> 8), UInt8(length & 0xFF)] + [UInt8](repeating: 1, count: length)
        let kind = SecureMessage.Kind(rawValue: type)
        let isAllowed =
          switch kind {
          case nil: false
          case .finish: length >= 48
          case .appRecord, .deviceRecord: length >= 16
          case .some(let kind): lengths[kind]?.contains(length) ?? false
          }
        guard isAllowed || length % 37 == 0 else { continue }
        if isAllowed {
          #expect(try SecureMessage(bytes).kind == kind)
        } else {
          #expect(throws: SecureWireError.message(type: type)) { try SecureMessage(bytes) }
        }
      }
    }
    #expect(throws: SecureWireError.self) { try SecureMessage([0x7F, 0, 2, 1]) }
    #expect(throws: SecureWireError.self) { try SecureMessage([0x7F, 0]) }
  }

  @Test("A hello with a suite and a key that do not belong together is none") func hello() {
    func hello(_ suite: UInt8, _ length: Int) -> SecureMessage.Hello? {
      SecureMessage.Hello(SecureMessage(.hello, [suite] + [UInt8](repeating: 1, count: length - 1)))
    }
    #expect(hello(1, 1233) != nil)
    #expect(hello(2, 49) != nil)
    #expect(hello(1, 49) == nil)
    #expect(hello(2, 1233) == nil)
    #expect(hello(9, 49)?.suite == 9)
  }

  @Test("INFO comes back, and is refused with any byte less") func information() throws {
    let information = SecureInformation(
      flags: [.pin, .resumption], capabilities: 0x7F, suites: [.hybrid, .classical], window: 8, maximumMessage: 2048,
      deviceIdentifier: [UInt8](0xD0...0xDF))
    let bytes = information.bytes
    #expect(bytes == hex("02057f020102080800d0d1d2d3d4d5d6d7d8d9dadbdcdddedf"))
    #expect(try SecureInformation(bytes) == information)
    for length in bytes.indices {
      #expect(throws: ByteCodingError.self) { try SecureInformation(Array(bytes[..<length])) }
    }
    let longest = bytes + [UInt8](repeating: 1, count: 64 - bytes.count)
    #expect(try SecureInformation(longest).bytes == longest)
    #expect(throws: ByteCodingError.self) { try SecureInformation(longest + [1]) }
  }

  @Test(
    "INFO with no suites, too many, one twice, or a longest message out of bounds is refused",
    arguments: [
      "02050000080800", "02050009010203040506070809080800", "020500020202080800", "02050001020800ff",
      "02050001020810ff",
      "02050001010804d3",
    ]) func badInformation(_ start: String)
  {
    let bytes = hex(start) + [UInt8](repeating: 1, count: 16)
    #expect(throws: ByteCodingError.self) { try SecureInformation(bytes) }
  }

  @Test(
    "The bounds of the longest message are allowed",
    arguments: ["0205000102080100", "0205000102081000", "02050001010804d4"])
  func boundsOfTheLongestMessage(_ start: String) throws {
    #expect(throws: Never.self) { try SecureInformation(hex(start) + [UInt8](repeating: 1, count: 16)) }
  }

  @Test("A page of a scan whose bounds or fields are not allowed is refused") func scanPages() throws {
    let network = ScannedNetwork(ssid: [1, 2], rssi: -60, security: .wpa2, channel: 6, bssid: nil)
    let page = SecureScanPage(of: [network], start: 0, limit: 100)
    #expect(page.bytes == [1, 0, 1, 0xC4, 3, 6, 0, 0, 0, 0, 0, 0, 2, 1, 2])
    #expect(try SecureScanPage(page.bytes) == page)
    for length in page.bytes.indices {
      #expect(throws: ByteCodingError.self) { try SecureScanPage(Array(page.bytes[..<length])) }
    }
    for bytes in [page.bytes + [0], [65, 0, 0], [1, 0, 0], [1, 1, 1], [255, 255, 255]] as [[UInt8]] {
      #expect(throws: ByteCodingError.self) { try SecureScanPage(bytes) }
    }
    for (index, value) in [(3, 1), (3, 0x80), (12, 33), (12, 3)] as [(Int, UInt8)] {
      var bytes = page.bytes
      bytes[index] = value
      #expect(throws: ByteCodingError.self) { try SecureScanPage(bytes) }
    }
    #expect(try SecureScanPage([0, 0, 0]).networks.isEmpty)
  }

  @Test("States of the network come back, and are refused when cut, longer or unknown") func states() throws {
    let joined = JoinedNetwork(
      ssid: [1], address: "fe80::1", security: nil, bssid: nil, channel: nil, reach: .portal, page: nil)
    let states: [NetworkState] = [.idle, .connecting, .connected(joined)] + JoinFailure.allCases.map { .failed($0) }
    for state in states {
      let bytes = SecureNetworkState.encode(state)
      #expect(try SecureNetworkState.decode(bytes) == state)
      for length in bytes.indices {
        #expect(throws: ByteCodingError.self) { try SecureNetworkState.decode(Array(bytes[..<length])) }
      }
      #expect(throws: ByteCodingError.self) { try SecureNetworkState.decode(bytes + [0]) }
    }
    #expect(try SecureNetworkState.decode([3, 99]) == .failed(.other))
    #expect(throws: ByteCodingError.self) { try SecureNetworkState.decode([4]) }
  }
}
