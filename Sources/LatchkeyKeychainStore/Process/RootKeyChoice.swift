import LatchkeyKeychainModel

/// The parsed value of `LATCHKEY_ROOT_KEY`, which selects the root key of the process's keychain.
enum RootKeyChoice: Hashable, Sendable {
  /// `file`.
  case file
  /// `tpm`, `tpm:TCTI`, and either with `?pcrs=` and register numbers separated by commas: `tpm?pcrs=0,7`.
  case tpm(tcti: String?, registers: Set<Int>)

  /// The name of the environment variable.
  static let variable = "LATCHKEY_ROOT_KEY"

  /// - Throws: `.configuration`.
  init(_ text: String) throws(StoreError) {
    if text == "file" {
      self = .file
      return
    }
    var place = text[...]
    var registers: Set<Int> = []
    if let mark = text.firstRange(of: Self.mark) {
      registers = try Self.registers(text[mark.upperBound...], of: text)
      place = text[..<mark.lowerBound]
    }
    let parts = place.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts[0] == "tpm", parts.count == 1 || !parts[1].isEmpty else { throw Self.error(text) }
    self = .tpm(tcti: parts.count == 1 ? nil : String(parts[1]), registers: registers)
  }

  /// Parses the root key's source; nil for nil and an empty text.
  ///
  /// - Throws: `.configuration` for another text, and for a TPM in a build without the trait.
  static func source(_ text: String?) throws(StoreError) -> RootKeySource? {
    guard let text, !text.isEmpty else { return nil }
    switch try RootKeyChoice(text) {
    case .file: return .keyFile()
    case .tpm(let tcti, let registers):
      #if TPM
        return .tpm(registers: registers, tcti: tcti)
      #else
        _ = (tcti, registers)
        throw .configuration(
          "\(variable) names a TPM, and this program was built without the trait TPM: build it with it "
            + "(swift build --traits default,TPM), or set the variable to file")
      #endif
    }
  }

  private static let mark = "?pcrs="
  private static let registerCount = 24

  private static func registers(_ list: Substring, of text: String) throws(StoreError) -> Set<Int> {
    var registers: Set<Int> = []
    for word in list.split(separator: ",", omittingEmptySubsequences: false) {
      guard (1...2).contains(word.utf8.count), word.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let number = Int(word), number < registerCount, registers.insert(number).inserted
      else { throw error(text) }
    }
    return registers
  }

  private static func error(_ text: String) -> StoreError {
    .configuration(
      "\(variable) is \(text): set it to file, tpm or tpm:TCTI, the latter two with ?pcrs=0,7 for registers (0 to 23) that "
        + "must be as they were")
  }
}
