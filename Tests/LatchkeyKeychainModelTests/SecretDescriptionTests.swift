import LatchkeyKeychainModel
import Testing

/// Logs and debuggers print values by these texts and mirrors.
struct SecretDescriptionTests {
  private static let secret: [UInt8] = [201, 202, 203]

  private static func values() throws -> [any CustomReflectable] {
    let reference = try PersistentReference(itemClass: .genericPassword, uuid: [UInt8](repeating: 1, count: 16))
    return [
      NewItem(.genericPassword, attributes: [.account: .text("ada")], data: secret),
      ItemChanges(attributes: [.account: .text("ada")], data: secret),
      StoredItem(
        reference: reference, attributes: [.account: .text("ada")], accessGroup: "T.app", isSynchronizable: false,
        accessControl: AccessControl(protection: .always), data: secret),
    ]
  }

  /// The numbers within a value, however deep.
  private func numbers(in value: Any) -> [UInt8] {
    if let number = value as? UInt8 { return [number] }
    return Mirror(reflecting: value).children.flatMap { numbers(in: $0.value) }
  }

  @Test("An item's texts and mirror show its attributes, and no byte of its secret") func items() throws {
    for value in try Self.values() {
      for text in texts(of: value) {
        #expect(!text.contains("201") && !text.contains("202") && !text.contains("203"), "\(text)")
        #expect(text.contains("ada"))
      }
      #expect(Set(numbers(in: value)).isDisjoint(with: Self.secret))
    }
  }

  @Test("An item without a secret differs in its texts from one with a secret") func absence() {
    #expect(String(describing: NewItem(.key)) != String(describing: NewItem(.key, data: [1])))
    #expect(String(describing: ItemChanges()) != String(describing: ItemChanges(data: [1])))
  }

  @Test("The texts and the mirror of a proof show no byte of its key material") func proofs() {
    let proof = PresenceProof.bound(Self.secret)
    for text in texts(of: proof) { #expect(!text.contains("201"), "\(text)") }
    #expect(!holdsBytes(proof))
    #expect(String(describing: proof) != String(describing: PresenceProof.asserted))
  }
}
