import ArgumentParser
import LatchkeyCommandLine
import LatchkeyEnrollment
import LatchkeyEnrollmentProtocol
import LatchkeyKeychainModel

/// Which enrollment, in which keychain, and in which form it is printed.
struct EnrollmentOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The enrollment's name in the keychain.", valueName: "label")) var label = "default"
  @OptionGroup var file: KeychainFile
  @OptionGroup var unlock: KeychainUnlock
  @OptionGroup var output: EventOptions

  /// Runs `body` with the keychain in the place of the process's own, and prints the last event.
  ///
  /// - Parameters:
  ///   - access: `.changing` makes a keychain where there is none; without one nothing is enrolled.
  ///   - changesDevice: whether it may make or end the device, or its keys: one process at a time does that to an enrollment.
  ///   - prepare: what must succeed before the keychain is opened, or made, a question to the user say.
  func run<Prepared: Sendable>(
    _ access: OpenKeychain.Access, changingDevice changesDevice: Bool = false, endsBySignal: Bool = false,
    after prepare: @escaping @Sendable () throws -> Prepared,
    _ body: @escaping @Sendable (Prepared) async throws -> Void
  ) async throws {
    let (file, unlock) = (file, unlock)
    try await output.run(endsBySignal: endsBySignal) {
      try await Self.failing {
        let prepared = try prepare()
        let keychain: OpenKeychain
        do {
          keychain = try OpenKeychain(
            path: file.keychain, keyFile: file.keyFile, passcode: unlock.passcode, access: access)
        } catch let failure as CommandFailure where failure.status == .itemNotFound {
          throw EnrollmentError.notEnrolled
        }
        try await keychain.use {
          guard changesDevice else { return try await body(prepared) }
          try await inTurnOfDevice { try await body(prepared) }
        }
      }
    }
  }

  /// The same with nothing to prepare.
  func run(
    _ access: OpenKeychain.Access = .findingItems, changingDevice changesDevice: Bool = false,
    endsBySignal: Bool = false, _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    try await run(access, changingDevice: changesDevice, endsBySignal: endsBySignal, after: {}) { _ in try await body()
    }
  }

  /// Runs `body` while no other process makes, renews or ends this device.
  func inTurnOfDevice<R>(_ body: () async throws -> R) async throws -> R {
    try await EnrollmentTurn.run(
      "device \(label)", of: try file.chosen, while: "enrolls, renews or ends this device", body)
  }

  /// Runs `body` while no other process makes the same transfer.
  func inTurn<R>(_ transfer: Transfer, _ body: () async throws -> R) async throws -> R {
    let digest = transfer.digest.map { "\($0)" }.joined(separator: " ")
    return try await EnrollmentTurn.run(
      "transfer \(label) \(digest)", of: try file.chosen, while: "makes the same transfer", body)
  }

  /// A client of the enrollment that the keychain has.
  func client() throws -> EnrollmentClient {
    var configuration = try EnrollmentConfiguration(enrolled: label)
    configuration.onWaiting = { EnrollmentTurn.reportWait(for: "renews this device's certificate") }
    return EnrollmentClient(configuration)
  }

  /// Runs `body`; an error of the client becomes the command's end.
  static func failing(_ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let error as EnrollmentError {
      throw CommandFailure(error)
    } catch let error as StoreError {
      throw error.failure
    }
  }
}

extension OpenKeychain {
  /// Runs `body` with this keychain as that of the Security calls in it.
  func use<R: Sendable>(_ body: () async throws -> R) async rethrows -> R {
    try await KeychainSession.$replacement.withValue(
      KeychainSession(store: store, entitlements: entitlements), operation: body)
  }
}
