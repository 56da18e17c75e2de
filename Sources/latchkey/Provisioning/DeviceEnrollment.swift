import Foundation
import LatchkeyCommandLine
import LatchkeyEnrollment
import LatchkeyEnrollmentProtocol
import LatchkeyKeychainModel
import LatchkeyProvisioning
import LatchkeyProvisioningProtocol
import LatchkeySystem
import Security
import Synchronization

/// Enrolls the device of `latchkey device --enroll` with what an app gave it over the secure protocol.
///
/// The app has proved that it knows the code, and no more: it chooses a server, and cannot make a device that is enrolled give its identity up.
final class DeviceEnrollment: Sendable {
  /// What an app waits for is less than the two minutes after which it gives up.
  private static let limit = Duration.seconds(100)

  private let name: String
  private let label: String
  private let keychain: OpenKeychain
  /// The keychain's file; nil for one that no other process has.
  private let place: String?
  private let output: EventOptions
  private let isRunning = Mutex(false)
  /// Called when the device is enrolled.
  private let enrolled: @Sendable () -> Void

  /// Opens the keychain, or makes it.
  ///
  /// - Throws: `CommandFailure`, `StoreError`.
  init(
    _ options: DeviceEnrollmentOptions, name: String, output: EventOptions, enrolled: @escaping @Sendable () -> Void
  ) throws {
    self.name = name
    label = options.label ?? "default"
    keychain = try OpenKeychain(
      path: options.file.keychain, keyFile: options.file.keyFile, passcode: options.unlock.passcode, access: .changing)
    place = try options.file.chosen
    self.output = output
    self.enrolled = enrolled
  }

  /// - Throws: `EnrollmentFailure`, which the app is told; `CancellationError`.
  func enroll(_ given: ProvisioningEnrollment) async throws -> ProvisioningEnrollmentResult {
    let isFirst = isRunning.withLock { isRunning in
      defer { isRunning = true }
      return !isRunning
    }
    guard isFirst else { throw EnrollmentFailure.other }
    defer { isRunning.withLock { $0 = false } }
    output.emit(
      "enrolling with \(PrintableText.escaped(given.url)) …", "enrolling", ["server": .text(given.url)])
    do {
      let device = try await withLimit { [self] in try await keychain.use { try await enrollInTurn(given) } }
      enrolled()
      return .enrolled(device)
    } catch {
      try Task.checkCancellation()
      let failure = EnrollmentFailure(error)
      let words = Self.words(error)
      output.emit(
        "not enrolled: \(words). The device keeps its network; an app may try again", "enrollmentFailed",
        ["reason": .text(failure.code), "message": .text(words)])
      throw failure
    }
  }

  private func enrollInTurn(_ given: ProvisioningEnrollment) async throws -> String {
    try await EnrollmentTurn.run("device \(label)", of: place, while: "enrolls, renews or ends this device") {
      // An enrolled device goes on trusting whom it was enrolled under: an app could name a server of its own at the same address, and a
      // root of its own for it.
      let own = try EnrollmentConfiguration(deviceAt: ServerAddress(given.url), label: label)
      let configuration = if let own { own } else { try await given.configuration(label: label) }
      let client = EnrollmentClient(configuration)
      if let other = try await client.otherServer() { throw EnrolledElsewhere(server: other, label: label) }
      let enrollment = try await client.enroll(token: given.tokenText, deviceName: name).value
      await client.close()
      EnrollmentReport(output).enrolled(
        enrollment.identity, client.configuration, isNew: enrollment.isNewlyRegistered)
      return enrollment.identity.device
    }
  }

  private func withLimit(_ body: @escaping @Sendable () async throws -> String) async throws -> String {
    try await withThrowingTaskGroup(of: String.self) { group in
      group.addTask { try await body() }
      group.addTask {
        try await Task.sleep(for: Self.limit)
        throw EnrollmentError.unreachable("it took too long")
      }
      defer { group.cancelAll() }
      guard let device = try await group.next() else { throw CancellationError() }
      return device
    }
  }

  /// What went wrong, in a line, for the device's owner.
  static func words(_ error: any Error) -> String {
    switch error {
    // What a command adds to it is about its option --ca.
    case EnrollmentError.untrustedServer(let detail): "the server is not trusted: \(detail)"
    case let error as EnrollmentError: CommandFailure(error).message
    case let error as CommandFailure: error.message
    case let error as EnrolledElsewhere: error.words
    default: "\(error)"
    }
  }

  /// The device has an identity with a server that the app did not name.
  struct EnrolledElsewhere: Error {
    let server: ServerAddress
    let label: String

    var words: String {
      let option = label == "default" ? "" : " --label \(PrintableText.escaped(label))"
      return "this device is enrolled with \(server): `latchkey revoke\(option)` ends that"
    }
  }
}

extension ProvisioningEnrollment {
  /// A client's configuration for the server, whose root is asked for if the app gave its digest.
  ///
  /// - Throws: `EnrollmentError`, `CancellationError`.
  func configuration(label: String) async throws -> EnrollmentConfiguration {
    let server = try ServerAddress(url)
    let root: SecCertificate? =
      if let anchor { try await EnrollmentConfiguration.trustRoot(of: server, sha256: [UInt8](anchor)) } else { nil }
    return EnrollmentConfiguration(server: server, trustRoots: root.map { [$0] }, label: label)
  }

  /// The token as text, which the client checks.
  var tokenText: String { withToken { String(decoding: $0, as: UTF8.self) } }
}

extension EnrollmentFailure {
  /// What an app is told of an error.
  init(_ error: any Error) {
    switch error {
    case let error as EnrollmentError: self.init(error)
    case is DeviceEnrollment.EnrolledElsewhere: self = .enrolledElsewhere
    case is CommandFailure, is StoreError: self = .notStored
    default: self = .other
    }
  }

  private init(_ error: EnrollmentError) {
    switch error {
    case .problem(let problem):
      switch problem.code {
      case .notAuthenticated: self = .tokenRefused
      case .tooManyRequests, .inProgress, .unavailable, .internalError: self = .unreachable
      default: self = .refused
      }
    case .refused: self = .refused
    case .unreachable, .outcomeUnknown: self = .unreachable
    case .untrustedServer, .cannotVerify: self = .untrusted
    case .keychain: self = .notStored
    case .awaitingApproval: self = .refused
    case .misuse, .cannotInterpret, .identityExpired, .notEnrolled, .importFailed: self = .other
    }
  }
}
