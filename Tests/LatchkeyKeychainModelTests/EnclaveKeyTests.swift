import LatchkeyKeychainModel
import Testing

@Suite("EnclaveKey") struct EnclaveKeyTests {
  private let key = EnclaveKey(
    id: Array(0..<16), publicKey: [4] + [UInt8](repeating: 1, count: 64),
    control: AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: .privateKeyUsage), backend: .software,
    representation: [1, 2, 3])

  @Test("A key is not stored unless it names the item that keeps it") func reference() {
    #expect(key.reference == nil)
  }

  @Test("Keys differ by each of their parts") func equality() throws {
    var others = [EnclaveKey](repeating: key, count: 6)
    #expect(others.allSatisfy { $0 == key })
    others[0].id[15] ^= 1
    others[1].publicKey[64] ^= 1
    others[2].control.flags = []
    others[3].backend = .tpm2
    others[4].representation.append(0)
    others[5].reference = try PersistentReference(itemClass: .key, uuid: key.id)
    for (number, other) in others.enumerated() { #expect(other != key, "\(number)") }
    #expect(Set(others).count == others.count)
  }

  @Test("A text that names no backend is refused", arguments: ["", "Software", "tpm", "tpm2 ", "TPM2", "tpm20"])
  func unknownBackends(_ text: String) {
    #expect(EnclaveBackend(rawValue: text) == nil)
  }
}
