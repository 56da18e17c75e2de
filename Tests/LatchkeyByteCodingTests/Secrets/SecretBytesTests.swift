import LatchkeyByteCoding
import Testing

@Suite("Secret bytes")
struct SecretBytesTests {
  private struct Failure: Error {}

  @Test("They hold what they were made of")
  func content() {
    #expect(SecretBytes([]).array() == [])
    #expect(SecretBytes(count: 3).array() == [0, 0, 0])
    let bytes = SecretBytes(Array(0..<10))
    #expect(bytes.count == 10)
    #expect(bytes[9] == 9)
    #expect(bytes.array(3..<5) == [3, 4])
    #expect(bytes.copy(2..<4).array() == [2, 3])
    #expect(bytes.withUnsafeBytes(in: 4..<4) { $0.count } == 0)
  }

  @Test("An array that is consumed is wiped")
  func consuming() {
    var source: [UInt8] = [1, 2, 3]
    #expect(SecretBytes(consuming: &source).array() == [1, 2, 3])
    #expect(source == [0, 0, 0])
  }

  @Test("They are filled once, and an error on the way comes out")
  func filling() {
    #expect(SecretBytes(count: 3) { memory in memory[1] = 7 }.array() == [0, 7, 0])
    #expect(throws: Failure.self) { try SecretBytes(count: 3) { _ throws(Failure) in throw Failure() } }
  }

  @Test("They do not print")
  func printing() {
    let secret = SecretBytes(Array("hunter2".utf8))
    #expect("\(secret)" == "a secret")
    var text = ""
    dump(secret, to: &text)
    #expect(!text.contains("104"))
    #expect(!text.contains("hunter"))
  }

  @Test("Places outside of the bytes end the process")
  func bounds() async {
    await #expect(processExitsWith: .failure) { _ = SecretBytes([1])[1] }
    await #expect(processExitsWith: .failure) { _ = SecretBytes([1])[-1] }
    await #expect(processExitsWith: .failure) { _ = SecretBytes([1]).array(0..<2) }
  }
}
