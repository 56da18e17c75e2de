import Crypto
import Testing

@testable import LatchkeyKeychainStore

@Suite("Prepared codes") struct StoragePreparedMACTests {
  private static func hex(_ text: String) -> [UInt8] {
    stride(from: 0, to: text.count, by: 2).map { place in
      UInt8(text.dropFirst(place).prefix(2), radix: 16) ?? 0
    }
  }

  /// RFC 4231 4.2, 4.3, 4.4 and 4.7: a short key, a shorter one, a full block, and a key longer than a block.
  @Test(
    "The vectors of the standard hold",
    arguments: [
      (
        [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
      ),
      (
        Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ),
      (
        [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
      ),
      (
        [UInt8](repeating: 0xAA, count: 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
      ),
    ])
  func theVectorsOfTheStandard(_ key: [UInt8], _ message: [UInt8], _ code: String) {
    let mac = PreparedMAC(SymmetricKey(data: key))
    #expect(mac.code(message) == Self.hex(code))
    #expect(mac.tag(message) == Array(Self.hex(code).prefix(16)))
  }

  @Test("The MAC equals the library's for every length, also many in turn")
  func theSameAsTheLibrarysForEveryLengthAndManyInTurn() {
    for size in [1, 31, 32, 33, 63, 64, 65, 100] {
      let key = SymmetricKey(data: (0..<size).map { UInt8(truncatingIfNeeded: $0 * 7 + size) })
      let mac = PreparedMAC(key)
      for count in 0..<140 {
        let message = (0..<count).map { UInt8(truncatingIfNeeded: $0 ^ count) }
        #expect(
          mac.code(message) == Array(HMAC<SHA256>.authenticationCode(for: message, using: key)), "\(size), \(count)")
      }
    }
  }
}
