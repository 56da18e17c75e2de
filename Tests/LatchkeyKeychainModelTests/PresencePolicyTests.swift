import LatchkeyKeychainModel
import Testing

@Suite("PresencePolicy") struct PresencePolicyTests {
  @Test("The policies have the numbers of Apple's LAPolicy") func policies() {
    #expect(PresencePolicy.biometry.rawValue == 1)
    #expect(PresencePolicy.userPresence.rawValue == 2)
    #expect(PresencePolicy.companion.rawValue == 3)
    #expect(PresencePolicy.biometryOrCompanion.rawValue == 4)
    #expect(PresencePolicy.allCases.count == 4)
  }

  @Test(
    "A number that is none of LAPolicy's is refused", arguments: [Int.min, -1, 0, 5, 6, 256 + 1, 1 << 32 | 1, .max])
  func unknownPolicies(_ number: Int) {
    #expect(PresencePolicy(rawValue: number) == nil)
  }

  @Test("The operations have the numbers of Apple's LAAccessControlOperation") func operations() {
    let operations: [PresenceOperation] = [.createItem, .useItem, .createKey, .sign, .decrypt, .exchange]
    #expect(operations.map(\.rawValue) == [0, 1, 2, 3, 4, 5])
    #expect(PresenceOperation.allCases == operations)
  }

  @Test("A number that is none of LAAccessControlOperation's is refused", arguments: [Int.min, -1, 6, 7, 256, .max])
  func unknownOperations(_ number: Int) {
    #expect(PresenceOperation(rawValue: number) == nil)
  }
}
