import Foundation
import Security
import Testing

@Test("Random bytes fill the requested length and nothing beyond it", arguments: [0, 1, 7, 8, 9, 31, 32, 33, 1000])
func randomBytesFillAllThatWasAskedForAndNothingBeyond(count: Int) {
  // 32 rounds: a byte that is never written stays zero in all of them, a random one with probability 2^-256.
  var written = [UInt8](repeating: 0, count: count)
  for _ in 0..<32 {
    var bytes = [UInt8](repeating: 0, count: count + 8)
    #expect(SecRandomCopyBytes(kSecRandomDefault, count, &bytes) == errSecSuccess)
    #expect(bytes[count...].allSatisfy { $0 == 0 })
    for place in 0..<count { written[place] |= bytes[place] }
  }
  #expect(written.allSatisfy { $0 != 0 })
}

@Test("Two draws differ") func twoDrawsDiffer() {
  var first = Data(count: 32)
  var second = Data(count: 32)
  for _ in 0..<2 {
    let status = first.withUnsafeMutableBytes { SecRandomCopyBytes(nil, $0.count, $0.baseAddress!) }
    #expect(status == errSecSuccess)
    _ = second.withUnsafeMutableBytes { SecRandomCopyBytes(kSecRandomDefault, $0.count, $0.baseAddress!) }
  }
  #expect(first != second)
}

@Test("A negative count is refused") func aNegativeCountIsRefused() {
  var bytes: [UInt8] = [7]
  #expect(SecRandomCopyBytes(kSecRandomDefault, -1, &bytes) == errSecParam)
  #expect(bytes == [7])
}
