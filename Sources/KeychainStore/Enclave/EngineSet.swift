import EnclaveKeys
import Glibc
import KeychainModel
import Logging
import Synchronization

/// The engines that a keychain's keys may live in, each made when it is first needed.
final class EngineSet: Sendable {
  /// Where new keys live.
  let backend: EnclaveBackend
  private let choice: EngineChoice
  private let tcti: String?
  private let made: Mutex<[EnclaveBackend: any KeyEngine]>

  init(_ choice: EngineChoice) {
    var engines: [EnclaveBackend: any KeyEngine] = [:]
    switch choice {
    case .engines(let given):
      backend = given.first?.backend ?? .software
      tcti = nil
      for engine in given { engines[engine.backend] = engine }
    case .software:
      backend = .software
      tcti = nil
    case .tpm(let text):
      backend = .tpm2
      tcti = text
    case .automatic:
      backend = Self.hasDevice ? .tpm2 : .software
      tcti = nil
    }
    made = Mutex(engines)
    self.choice = choice
  }

  /// The engine of the keys that live there.
  ///
  /// - Throws: `.unavailable` for a TPM in a build without the trait; `.hardware` if it cannot be reached.
  func engine(for backend: EnclaveBackend) throws(StoreError) -> any KeyEngine {
    if let engine = made.withLock({ $0[backend] }) { return engine }
    // Made outside of the lock, since reaching a TPM takes its time; of two that are made at once the first one stays.
    let engine = try make(backend)
    return made.withLock { made in
      if let other = made[backend] { return other }
      made[backend] = engine
      return engine
    }
  }

  private func make(_ backend: EnclaveBackend) throws(StoreError) -> any KeyEngine {
    switch backend {
    case .software: return SoftwareEngine()
    case .tpm2:
      throw .unavailable(
        "the key lives in a TPM, and this program was built without the trait TPM: build it with it "
          + "(swift build --traits TPM)")
    }
  }

  // MARK: Saying which

  /// The device that the kernel's resource manager offers.
  private static let device = "/dev/tpmrm0"

  /// Whether this build can use a TPM, and the system has one.
  private static var hasDevice: Bool {
    #if TPM
      access(device, F_OK) == 0
    #else
      false
    #endif
  }

  private static let logger = Logger(label: "latchkey.enclave")
  private static let isTold = Mutex(false)

  /// Says once in a process where new keys live. Nothing must be held: whoever writes the log may want the keychain.
  func tell() {
    if case .engines = choice { return }
    let isFirst = Self.isTold.withLock { isTold in
      defer { isTold = true }
      return !isTold
    }
    guard isFirst else { return }
    Self.logger.info("new keys of the enclave live in: \(backend.rawValue)")
    #if TPM
      if case .automatic = choice, backend == .software {
        Self.logger.warning(
          "there is no TPM at \(Self.device): new keys of the enclave live in software; say LATCHKEY_ENCLAVE=software if that is meant"
        )
      }
    #endif
  }
}
