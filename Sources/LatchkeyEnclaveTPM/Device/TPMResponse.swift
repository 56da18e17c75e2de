#if TPM
  import CLatchkeyTSS2
  package import LatchkeyKeychainModel

  /// What a command was answered with where that was not success: the TPM's own code, or that of a layer between.
  package struct TPMResponse: Hashable, Sendable {
    /// The code as tpm2-tss hands it out: the layer in bits 16 to 23.
    package let code: UInt32
    /// The command's name.
    package let command: String
    /// How the TPM counts wrong authorizations, where the code is about those.
    var attempts: TPMAttempts?

    init(_ code: UInt32, _ command: String) {
      self.code = code
      self.command = command
    }

    /// Whether the TPM or its resource manager has answered; otherwise the way to it failed, and nothing is known of what
    /// the TPM has done.
    var isFromTPM: Bool { [0, 11, 12].contains(code >> 16 & 0xFF) }

    /// Whether the way to the TPM broke (the layer of the TCTI).
    var isConnectionLost: Bool { code >> 16 & 0xFF == 10 }

    /// The TPM's code without the number of the handle, session or parameter (Part 2, 6.6); nil of another layer.
    package var kind: UInt32? {
      guard isFromTPM else { return nil }
      let low = code & 0xFFFF
      return low & 0x80 != 0 ? low & 0xBF : low & 0x97F
    }

    /// Whether the TPM asks to be asked again.
    var asksForRetry: Bool {
      switch kind {
      case TPM2.Code.retry, TPM2.Code.yielded, TPM2.Code.testing, TPM2.Code.nvRate, TPM2.Code.pcrChanged: true
      default: false
      }
    }

    /// Whether something that was loaded before is not there any more: the TPM was reset, or another took its place.
    var isAboutLostHandle: Bool {
      guard let kind else { return false }
      return TPM2.Code.references.contains(kind) || kind == TPM2.Code.contextGap
    }

    /// Whether there was no room for one more object or session.
    var isAboutRoom: Bool {
      switch kind {
      case TPM2.Code.objectMemory, TPM2.Code.sessionMemory, TPM2.Code.memory, TPM2.Code.sessionHandles,
        TPM2.Code.objectHandles:
        true
      default: false
      }
    }

    /// The code in words and as a number.
    var text: String { "\(String(cString: Tss2_RC_Decode(code))) (0x\(String(code, radix: 16)))" }
  }

  /// How the TPM's dictionary attack protection stands (Part 1, 19.8).
  struct TPMAttempts: Hashable, Sendable {
    /// Wrong authorizations that count now.
    var failed: UInt32
    /// With how many the TPM locks itself.
    var maximum: UInt32
    /// After how many seconds one is forgotten.
    var secondsToForget: UInt32

    /// How many more are allowed.
    var left: Int { max(0, Int(maximum) - Int(failed)) }
  }

  /// Why work in the TPM ended without a result.
  package enum TPMFailure: Error {
    /// A command failed.
    case response(TPMResponse)
    /// Something else did.
    case store(StoreError)

    /// The response's kind, if it is one.
    var kind: UInt32? {
      if case .response(let response) = self { response.kind } else { nil }
    }
  }

  extension StoreError {
    /// What a failure is to those above, where nothing more is known of what was tried.
    init(_ failure: TPMFailure) {
      switch failure {
      case .store(let error): self = error
      case .response(let response): self.init(response)
      }
    }

    private init(_ response: TPMResponse) {
      let text = "\(response.command) failed in the TPM: \(response.text)"
      // What it is given comes from an authority, and was never this TPM's.
      let isActivation = response.command == TPM2.activateCredential
      switch response.kind {
      case TPM2.Code.badAuth where ["TPM2_CreatePrimary", "TPM2_NV_DefineSpace"].contains(response.command):
        self = .hardware(
          "\(text): the TPM's owner or endorsement hierarchy has an authorization value of its own, and keys and counters "
            + "are made under empty ones; take it away (tpm2_changeauth -c owner), or use another TPM")
      case TPM2.Code.authFail, TPM2.Code.badAuth:
        let left = response.attempts.map { ": \($0.left) more before it locks itself" } ?? ""
        self = .presence(.authenticationFailed("the TPM refused the authorization of the key\(left)"))
      case TPM2.Code.integrity where isActivation, TPM2.Code.value where isActivation,
        TPM2.Code.size where isActivation, TPM2.Code.insufficient where isActivation,
        TPM2.Code.eccPoint where isActivation, TPM2.Code.binding where isActivation:
        self = .foreignKey(
          "the TPM refuses the credential: it was made for another endorsement key or attestation key, or was altered since. "
            + "Have it made for what `latchkey enclave endorsement` and `latchkey enclave attestation-key` print here (\(text))"
        )
      case TPM2.Code.lockout:
        self = .passcodeDelayed(seconds: Double(response.attempts?.secondsToForget ?? 0))
      case TPM2.Code.integrity:
        self = .damaged("the TPM refused what it once made: \(text)")
      case nil where response.isConnectionLost:
        self = .hardware(
          "the connection to the TPM was lost: \(text); see that the TPM is there (/dev/tpmrm0, or swtpm running) and try "
            + "again")
      default:
        self = .hardware(text)
      }
    }
  }
#endif
