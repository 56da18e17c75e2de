package import LatchkeyKeychainModel

/// What a passcode must be. Without hardware that counts the guesses, a copy of the file can be tried for as long as
/// somebody likes: four digits fall in an afternoon.
package enum PasscodeRule {
  /// The fewest characters.
  package static let minimumCharacters = 8
  /// The most bytes, so that a wrong file given as a passcode is refused.
  package static let maximumBytes = 1024

  /// - Throws: `.passcodeRefused`.
  package static func judge(_ passcode: [UInt8], takesWeak: Bool = false) throws(StoreError) {
    if passcode.isEmpty { throw .passcodeRefused("a passcode needs at least \(minimumCharacters) characters") }
    if passcode.count > maximumBytes { throw .passcodeRefused("a passcode has at most \(maximumBytes) bytes") }
    if takesWeak { return }
    // Characters are counted without making a String, whose copy could not be wiped: bytes that continue none.
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
