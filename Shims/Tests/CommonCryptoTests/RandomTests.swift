import CommonCrypto
import Testing

struct RandomTests {
  @Test("All bytes are filled, and none behind them", arguments: [1, 16, 255, 256, 257, 100_000])
  func filled(_ count: Int) {
    // A byte that is 0 sixteen times in a row was not filled.
    var seen = [Bool](repeating: false, count: count)
    for _ in 0..<16 {
      var bytes = [UInt8](repeating: 0, count: count + 1)
      #expect(CCRandomGenerateBytes(&bytes, count) == kCCSuccess)
      for (index, byte) in bytes.dropLast().enumerated() where byte != 0 { seen[index] = true }
      #expect(bytes.last == 0)
    }
    #expect(seen.allSatisfy { $0 })
  }

  @Test("No two answers are alike")
  func different() {
    var answers = Set<[UInt8]>()
    for _ in 0..<100 {
      var bytes = [UInt8](repeating: 0, count: 16)
      CCRandomGenerateBytes(&bytes, bytes.count)
      answers.insert(bytes)
    }
    #expect(answers.count == 100)
  }

  @Test("No place is no place for bytes, but for none")
  func noPlace() {
    #expect(CCRandomGenerateBytes(nil, 1) == kCCParamError)
    #expect(CCRandomGenerateBytes(nil, 0) == kCCSuccess)
  }
}
