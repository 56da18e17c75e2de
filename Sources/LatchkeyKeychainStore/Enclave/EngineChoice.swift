package import LatchkeyEnclaveKeys
package import LatchkeyKeychainModel

/// Selects the engine that creates the enclave's new keys. An existing key is used by the engine that created it.
package enum EngineChoice: Sendable {
  /// The TPM if this build has the trait and the system has one, else software.
  case automatic
  /// The software engine.
  case software
  /// A TPM, reached by tpm2-tss's TCTI string; nil is the system's default.
  case tpm(tcti: String?)
  /// Given engines, the first of which creates new keys. For tests.
  case engines([any KeyEngine])

  /// Parses `LATCHKEY_ENCLAVE`; nil and an empty text are ``automatic``.
  ///
  /// - Throws: `.configuration` for any other text than `software`, `tpm` and `tpm:TCTI`, and for a TPM in a build without the
  ///   trait.
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

  /// The name of the environment variable.
  package static let variable = "LATCHKEY_ENCLAVE"
}
