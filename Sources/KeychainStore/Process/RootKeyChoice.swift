import KeychainModel

/// What `LATCHKEY_ROOT_KEY` says about where the root key of the process's keychain is.
enum RootKeyChoice {
  /// The variable's name.
  static let variable = "LATCHKEY_ROOT_KEY"

  /// Reads `file`, `tpm` and `tpm:TCTI`; nil and an empty text say nothing.
  ///
  /// - Throws: `.configuration` for any other text, and for a TPM in a build without the trait.
  static func source(_ text: String?) throws(StoreError) -> RootKeySource? {
    guard let text, !text.isEmpty else { return nil }
    if text == "file" { return .keyFile() }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts[0] == "tpm", parts.count == 1 || !parts[1].isEmpty else {
      throw .configuration("\(variable) is \(text): set it to file, tpm or tpm:TCTI")
    }
    #if TPM
      return .tpm(tcti: parts.count == 1 ? nil : String(parts[1]))
    #else
      throw .configuration(
        "\(variable) names a TPM, and this program was built without the trait TPM: build it with it "
          + "(swift build --traits TPM), or set the variable to file")
    #endif
  }
}
