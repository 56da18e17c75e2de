package import LatchkeyKeychainModel

/// The requirements of a passcode. Without hardware that counts the guesses, an attacker can try passcodes on a copy of the
/// file without limit: four digits fall in an afternoon.
package enum PasscodeRule {
  /// The minimum number of characters.
  package static let minimumCharacters = 8
  /// The maximum number of bytes, so that a wrong file given as a passcode is refused.
  package static let maximumBytes = 1024

  /// - Throws: `.passcodeRefused`.
  package static func validate(_ passcode: [UInt8], takesWeak: Bool = false) throws(StoreError) {
    if passcode.isEmpty { throw .passcodeRefused("a passcode needs at least \(minimumCharacters) characters") }
    if passcode.count > maximumBytes { throw .passcodeRefused("a passcode has at most \(maximumBytes) bytes") }
    if takesWeak { return }
    // Counts characters by their leading UTF-8 bytes, without a String, whose copy could not be wiped.
    guard passcode.count(where: { $0 & 0xC0 != 0x80 }) >= minimumCharacters else {
      throw .passcodeRefused("a passcode needs at least \(minimumCharacters) characters")
    }
    let steps = zip(passcode, passcode.dropFirst()).map { Int($1) - Int($0) }
    guard steps.contains(where: { $0 != steps.first || abs($0) > 1 }) else {
      throw .passcodeRefused(
        "a passcode that repeats one character or counts up or down is guessed first: choose another")
    }
  }
}
