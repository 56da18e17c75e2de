import LatchkeySystem
import Testing

@Suite("Random bytes of the system")
struct RandomBytesTests {
  @Test(
    "As many bytes as are wanted, no 32 of which are left out, around the 256 of one system call",
    arguments: [0, 1, 16, 32, 255, 256, 257, 288, 512, 544, 1000])
  func filled(count: Int) {
    let bytes = RandomBytes.fresh(count)
    #expect(bytes.count == count)
    for start in stride(from: 0, through: count - 32, by: 32) {
      #expect(bytes[start..<start + 32].contains { $0 != 0 }, "from \(start) on")
    }
  }

  @Test("Two draws differ") func fresh() {
    #expect(RandomBytes.fresh(32) != RandomBytes.fresh(32))
  }
}
