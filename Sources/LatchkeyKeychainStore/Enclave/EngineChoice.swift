package import LatchkeyEnclaveKeys
package import LatchkeyKeychainModel

/// Which engine makes the enclave's new keys. Keys that are there already are used by the engine that made them.
package enum EngineChoice: Sendable {
  /// The TPM where this build has the trait and the system has one, software otherwise.
  case automatic
  /// In software.
  case software
  /// In a TPM, by tpm2-tss's text for the way to it; nil: the system's.
  case tpm(tcti: String?)
  /// These; the first one makes new keys. For tests.
  case engines([any KeyEngine])

  /// Reads `LATCHKEY_ENCLAVE`; nil and an empty text are ``automatic``.
  ///
  /// - Throws: `.configuration` for any other text than `software`, `tpm` and `tpm:TCTI`, and for a TPM in a build without
  ///   the trait.
  package init(_ text: String?) throws(StoreError) {
    guard let text, !text.isEmpty else {
      self = .automatic
      return
    }
    if text == "software" {
      self = .software
      return
    }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts[0] == "tpm", parts.count == 1 || !parts[1].isEmpty else {
      throw .configuration("\(Self.variable) is \(text): set it to software, tpm or tpm:TCTI")
    }
    #if TPM
      self = .tpm(tcti: parts.count == 1 ? nil : String(parts[1]))
    #else
      throw .configuration(
        "\(Self.variable) names a TPM, and this program was built without the trait TPM: build it with it "
          + "(swift build --traits default,TPM), or set the variable to software")
    #endif
  }

  /// The variable's name.
  package static let variable = "LATCHKEY_ENCLAVE"
}
