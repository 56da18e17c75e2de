import ArgumentParser
import LatchkeyKeychainModel

/// A code of four characters: a creator or a type, which are numbers, or a protocol or an authentication type, which are
/// texts in the keychain of Apple's newer systems.
struct FourCharacterCode: ExpressibleByArgument {
  let text: String

  init?(argument: String) {
    guard argument.utf8.count == 4, argument.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    text = argument
  }

  var number: AttributeValue { .number(text.utf8.reduce(0) { $0 << 8 | Int64($1) }) }
}
