import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// Calls from several threads at once, and what is large.
@Suite("Many and much", .temporaryKeychain)
struct SecItemConcurrencyTests {
  @Test("Of many concurrent adds of one item, one succeeds and the others get errSecDuplicateItem")
  func addAtOnce() async {
    let statuses = await withTaskGroup(of: OSStatus.self) { group in
      for number in 0..<8 {
        group.addTask { add(password("ada", [kSecValueData: Data([UInt8(number)])])).status }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses.filter { $0 == errSecSuccess }.count == 1)
    #expect(statuses.filter { $0 == errSecDuplicateItem }.count == 7)
    #expect(count(password("ada")) == 1)
  }

  @Test("while one item is updated again and again, each search finds one of its values whole")
  func findWhileUpdated() async {
    let values = (1...4).map { Data(repeating: UInt8($0), count: 3000) }
    #expect(add(password("ada", [kSecValueData: values[0]])).status == errSecSuccess)
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for round in 0..<20 {
          #expect(update(password("ada"), [kSecValueData: values[round % 4]]) == errSecSuccess)
        }
      }
      for _ in 0..<3 {
        group.addTask {
          for _ in 0..<20 { #expect(values.contains(secret(password("ada")) ?? Data())) }
        }
      }
    }
  }

  @Test("a large secret comes back whole")
  func largeSecret() {
    let large = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    #expect(add(password("ada", [kSecValueData: large])).status == errSecSuccess)
    #expect(secret(password("ada")) == large)
  }

  @Test("long texts are found, and differ in their last character")
  func longTexts() {
    let long = String(repeating: "long", count: 2000)
    #expect(add(password(long + "1", [kSecValueData: letter])).status == errSecSuccess)
    #expect(secret(password(long + "1")) == letter)
    #expect(find(password(long + "2")).status == errSecItemNotFound)
  }

  @Test("An item beyond the size limit is refused, and nothing is stored")
  func tooLarge() {
    let huge = Data(count: 16 << 20)
    #expect(add(password("ada", [kSecValueData: huge])).status == errSecParam)
    #expect(count(password("ada")) == 0)
  }
}
