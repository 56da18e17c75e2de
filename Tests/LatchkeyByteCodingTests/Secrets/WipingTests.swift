import Foundation
import LatchkeyByteCoding
import LatchkeySecretData
import Testing

@Suite("Wiping")
struct WipingTests {
  @Test("Exactly the bytes given are overwritten, wherever they begin and end")
  func bounds() {
    for count in 0...40 {
      for offset in 0...9 {
        var bytes = [UInt8](repeating: 0xAA, count: 64)
        bytes.withUnsafeMutableBytes { memory in
          UnsafeMutableRawBufferPointer(rebasing: memory[offset..<offset + count]).wipe()
        }
        let expected = (0..<64).map { (offset..<offset + count).contains($0) ? UInt8(0) : 0xAA }
        #expect(bytes == expected, "\(count) bytes at \(offset)")
      }
    }
    UnsafeMutableRawBufferPointer(start: nil, count: 0).wipe()
  }

  @Test("Arrays of bytes and of words, and empty ones")
  func arrays() {
    var bytes: [UInt8] = [1, 2, 3]
    bytes.wipe()
    #expect(bytes == [0, 0, 0])
    var words: [UInt64] = [.max, 1]
    words.wipe()
    #expect(words == [0, 0])
    var halves: [UInt16] = [.max]
    halves.wipe()
    #expect(halves == [0])
    var none: [UInt8] = []
    none.wipe()
    #expect(none.isEmpty)
  }

  @Test("The storage itself is overwritten, not a copy of it")
  func inPlace() {
    var bytes = [UInt8](repeating: 7, count: 100)
    let before = bytes.withUnsafeBytes { $0.baseAddress }
    bytes.wipe()
    #expect(bytes.withUnsafeBytes { $0.baseAddress } == before)
  }

  @Test("An array that shares the storage keeps its bytes")
  func shared() {
    var bytes: [UInt8] = [1, 2, 3]
    let other = bytes
    bytes.wipe()
    #expect(other == [1, 2, 3])
    #expect(bytes == [0, 0, 0])
  }

  @Test("Values of plain bits")
  func values() {
    var value: (UInt8, UInt64) = (1, 2)
    wipeBits(of: &value)
    #expect(value == (0, 0))
  }

  @Test("Data, short and long, and slices of it", arguments: [0, 1, 14, 15, 16, 1000])
  func data(count: Int) {
    var data = Data(repeating: 5, count: count)
    data.wipe()
    #expect(data == Data(count: count))
    var whole = Data(repeating: 5, count: count + 2)
    whole[1..<count + 1].wipe()
    #expect(whole == Data([5]) + Data(count: count) + Data([5]))
  }

  @Test("Moving out leaves zeros behind", arguments: [0, 1, 14, 15, 16, 1000])
  func moving(count: Int) {
    var data = Data(repeating: 5, count: count)
    #expect(data.movedOut() == [UInt8](repeating: 5, count: count))
    #expect(data == Data(count: count))
    var other = Data(repeating: 6, count: count)
    #expect(SecretBytes(movingOutOf: &other).array() == [UInt8](repeating: 6, count: count))
    #expect(other == Data(count: count))
  }
}
