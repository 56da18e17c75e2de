import ArgumentParser
import Crypto
import Foundation
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyEnrollment
import LatchkeyProvisioning
import LatchkeyProvisioningProtocol
import LatchkeySystem
import Security

/// What `latchkey provision` gives a device to enroll with.
struct GivenEnrollmentOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Once it has joined, have the device enroll with this service: https://HOST or https://HOST:PORT.",
      valueName: "url"))
  var enroll: String?
  @Option(
    help: ArgumentHelp(
      "The one-time token that `latchkey device token` or the operator (`latchkey-server token create`) got: @FILE, - or, with a warning, the token itself; asked for if left out.",
      valueName: "token"))
  var enrollToken: String?
  @Option(
    help: ArgumentHelp(
      "The root certificate that vouches for the service, PEM or DER: the device is given its SHA-256. Else it trusts whom it trusts anyway.",
      valueName: "file"))
  var enrollCa: String?

  func validate() throws {
    guard enroll != nil || (enrollToken == nil && enrollCa == nil) else {
      throw ValidationError("--enroll-token and --enroll-ca go with --enroll")
    }
  }

  /// What is given; nil without --enroll.
  ///
  /// - Throws: `CommandFailure` if a part cannot be read, or is none.
  func read() throws(CommandFailure) -> GivenEnrollment? {
    guard let enroll else { return nil }
    let server: ServerAddress
    do throws(EnrollmentError) {
      server = try ServerAddress(enroll)
    } catch {
      throw CommandFailure(.usage, "--enroll: \(error.userMessage)")
    }
    let anchor = try enrollCa.map { path throws(CommandFailure) in try Self.digest(ofRootIn: path) }
    var token = try SecretArgument.readBytes(enrollToken, option: "--enroll-token", prompt: "Enrollment token: ")
    defer { token.wipe() }
    guard !token.isEmpty, token.allSatisfy({ 0x21...0x7E ~= $0 }) else {
      throw CommandFailure(
        .badData, "--enroll-token: a token is one word; `latchkey device token` gets one, or the operator")
    }
    do throws(ProvisioningEnrollmentError) {
      return GivenEnrollment(
        server: server, enrollment: try ProvisioningEnrollment(url: "\(server)", token: token, anchor: anchor))
    } catch {
      throw CommandFailure(.badData, "the address has more than 512 bytes, or the token more than 1024")
    }
  }

  /// The SHA-256 of the one certificate in a file.
  private static func digest(ofRootIn path: String) throws(CommandFailure) -> Data {
    let certificates = try CertificateFile.read(path)
    guard certificates.count == 1 else {
      throw CommandFailure(
        .badData, "--enroll-ca: \(path) has \(certificates.count) certificates: give the root's alone")
    }
    return Data(SHA256.hash(data: SecCertificateCopyData(certificates[0]) as Data))
  }
}

/// Gives a device its enrollment, and reports what came of it.
struct GivenEnrollment: Sendable {
  let server: ServerAddress
  let enrollment: ProvisioningEnrollment

  /// The device has joined its network.
  ///
  /// - Throws: `CommandFailure`, which says that it has.
  func give(to session: ProvisioningSession, _ target: String, _ output: EventOptions) async throws(CommandFailure) {
    output.progress("The device has the token, and enrolls …", "enrolling", ["server": .text("\(server)")])
    do throws(ProvisioningFailure) {
      switch try await session.enroll(enrollment) {
      case .enrolled(let device):
        output.emit(
          "\(target): enrolled with \(server) as device \(PrintableText.escaped(device))", "enrolled",
          ["server": .text("\(server)"), "device": .text(device)])
      case .accepted:
        output.emit(
          "\(target): enrolls with \(server) later", "enrollmentAccepted", ["server": .text("\(server)")])
      }
    } catch {
      throw Self.failure(error, target)
    }
  }

  private static func failure(_ failure: ProvisioningFailure, _ target: String) -> CommandFailure {
    switch failure {
    case .enrollmentFailed(let failure):
      CommandFailure(
        failure.status, code: failure.code, "\(target) has joined, and is not enrolled: \(failure.words)")
    case .unsupported:
      CommandFailure(
        .unavailable, code: failure.code,
        "\(target) has joined, and takes no enrollment: `latchkey device` does with --enroll")
    case .disconnected, .timedOut:
      CommandFailure(
        .tryLater, code: failure.code,
        "\(target) has joined, and went away before it said whether it is enrolled: the same command again finds out")
    default:
      CommandFailure(
        failure.status, code: failure.code,
        "\(target) has joined, and is not enrolled: \(failure.explanation(of: target))")
    }
  }
}
