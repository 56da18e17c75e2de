import LatchkeyByteCoding
import Testing

@Suite struct ConstantTimeTests {
  @Test("All bytes are compared") func comparesAllBytes() {
    #expect(constantTimeEquals([1, 2, 3], [1, 2, 3]))
    #expect(!constantTimeEquals([1, 2, 3], [1, 2, 4]))
    #expect(!constantTimeEquals([0, 2, 3], [1, 2, 3]))
    #expect(!constantTimeEquals([1, 2], [1, 2, 3]))
    #expect(constantTimeEquals([], []))
    #expect(constantTimeIsZero([0, 0]))
    #expect(!constantTimeIsZero([0, 1]))
  }
}
