import Glibc
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel
import Logging
import Synchronization

#if TPM
  import LatchkeyEnclaveTPM
#endif

/// The engines of a keychain's enclave keys, each created at its first use.
final class EngineSet: Sendable {
  /// The backend of new keys.
  let backend: EnclaveBackend
  private let choice: EngineChoice
  private let attestationChain: String?
  private let made: Mutex<[EnclaveBackend: any KeyEngine]>

  /// - Parameter attestationChain: a PEM file with the certificates of a TPM's attestation key.
  init(_ choice: EngineChoice, attestationChain: String? = nil) {
    self.choice = choice
    self.attestationChain = attestationChain
    var engines: [EnclaveBackend: any KeyEngine] = [:]
    switch choice {
    case .engines(let given):
      backend = given.first?.backend ?? .software
      for engine in given { engines[engine.backend] = engine }
    case .software: backend = .software
    case .tpm: backend = .tpm2
    case .automatic: backend = Self.canUseDevice ? .tpm2 : .software
    }
    made = Mutex(engines)
  }

  /// Returns the engine of a backend. No command is sent to a TPM yet.
  ///
  /// - Throws: `.unavailable` for a TPM in a build without the trait.
  func engine(for backend: EnclaveBackend) throws(StoreError) -> any KeyEngine {
    try made.withLock { (made) throws(StoreError) in
      if let engine = made[backend] { return engine }
      let engine = try make(backend)
      made[backend] = engine
      return engine
    }
  }

  private func make(_ backend: EnclaveBackend) throws(StoreError) -> any KeyEngine {
    if case .engines = choice {
      throw .unavailable("the key lives in \(backend.rawValue), and there is no such engine here")
    }
    switch backend {
    case .software: return SoftwareEngine()
    case .tpm2:
      #if TPM
        if case .tpm(let tcti?) = choice { return TPMEngine(tcti: tcti, attestationChainPath: attestationChain) }
        return TPMEngine(attestationChainPath: attestationChain)
      #else
        throw .unavailable(
          "the key lives in a TPM, and this program was built without the trait TPM: build it with it "
            + "(swift build --traits default,TPM)")
      #endif
    }
  }

  // MARK: Saying which

  /// The device of the kernel's TPM resource manager.
  private static let device = "/dev/tpmrm0"

  /// Whether this build supports a TPM, and this process has access to the system's.
  private static var canUseDevice: Bool {
    #if TPM
      access(device, R_OK | W_OK) == 0
    #else
      false
    #endif
  }

  private static let logger = Logger(label: "latchkey.enclave")
  private static let isLogged = Mutex(false)

  /// Logs once per process where new keys live. The caller must hold no lock, because the log handler may use the keychain.
  func logBackend() {
    if case .engines = choice { return }
    let isFirst = Self.isLogged.withLock { isLogged in
      defer { isLogged = true }
      return !isLogged
    }
    guard isFirst else { return }
    Self.logger.info("new keys of the enclave live in: \(backend.rawValue)")
    #if TPM
      // A build with the trait is expected to find a TPM.
      guard case .automatic = choice, backend == .software else { return }
      let why =
        access(Self.device, F_OK) == 0 ? "this process may not use \(Self.device)" : "there is no \(Self.device)"
      Self.logger.warning(
        "\(why): new keys of the enclave live in software; set \(EngineChoice.variable)=software if that is meant")
    #endif
  }
}
