#if TPM
  import CLatchkeyTSS2
  package import LatchkeyKeychainModel

  /// An unsuccessful response to a command: the TPM's own code, or one of a layer in between.
  package struct TPMResponse: Hashable, Sendable {
    /// The code as tpm2-tss returns it: the layer in bits 16 to 23.
    package let code: UInt32
    /// The command's name.
    package let command: String
    /// The state of the dictionary-attack counter, for codes about authorization.
    var attempts: TPMAttempts?

    init(_ code: UInt32, _ command: String) {
      self.code = code
      self.command = command
    }

    /// Whether the TPM or its resource manager responded. Otherwise the transport failed, and the TPM's state is unknown.
    var isFromTPM: Bool { [0, 11, 12].contains(code >> 16 & 0xFF) }

    /// Whether the connection to the TPM broke (the layer of the TCTI).
    var isConnectionLost: Bool { code >> 16 & 0xFF == 10 }

    /// The TPM's code without the number of the handle, session or parameter (Part 2, 6.6); nil for another layer.
    package var kind: UInt32? {
      guard isFromTPM else { return nil }
      let low = code & 0xFFFF
      return low & 0x80 != 0 ? low & 0xBF : low & 0x97F
    }

    /// Whether the TPM asks for a retry.
    var asksForRetry: Bool {
      switch kind {
      case TPM2.Code.retry, TPM2.Code.yielded, TPM2.Code.testing, TPM2.Code.nvRate, TPM2.Code.pcrChanged: true
      default: false
      }
    }

    /// Whether a loaded object no longer exists: the TPM was reset, or is another one.
    var isAboutLostHandle: Bool {
      guard let kind else { return false }
      return TPM2.Code.references.contains(kind) || kind == TPM2.Code.contextGap
    }

    /// Whether no slot was free for another object or session.
    var isAboutRoom: Bool {
      switch kind {
      case TPM2.Code.objectMemory, TPM2.Code.sessionMemory, TPM2.Code.memory, TPM2.Code.sessionHandles,
        TPM2.Code.objectHandles:
        true
      default: false
      }
    }

    /// The code as text and number.
    var text: String { "\(String(cString: Tss2_RC_Decode(code))) (0x\(String(code, radix: 16)))" }
  }

  /// The state of the TPM's dictionary attack protection (Part 1, 19.8).
  struct TPMAttempts: Hashable, Sendable {
    /// The current count of wrong authorizations.
    var failed: UInt32
    /// The count at which the TPM locks itself.
    var maximum: UInt32
    /// The seconds until the count decreases by one.
    var secondsToForget: UInt32

    /// The number of attempts left.
    var left: Int { max(0, Int(maximum) - Int(failed)) }
  }

  /// The reason that an operation in the TPM failed.
  package enum TPMFailure: Error {
    /// A command failed.
    case response(TPMResponse)
    /// Another failure.
    case store(StoreError)

    /// The kind of the response; nil for other failures.
    var kind: UInt32? {
      if case .response(let response) = self { response.kind } else { nil }
    }
  }

  extension StoreError {
    /// Maps a failure for callers, without further knowledge of the operation.
    init(_ failure: TPMFailure) {
      switch failure {
      case .store(let error): self = error
      case .response(let response): self.init(response)
      }
    }

    private init(_ response: TPMResponse) {
      let text = "\(response.command) failed in the TPM: \(response.text)"
      // Its input comes from an authority, and was never this TPM's.
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
