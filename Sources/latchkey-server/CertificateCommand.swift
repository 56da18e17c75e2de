import ArgumentParser
import Foundation
import LatchkeyCommandLine
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore

/// `latchkey-server certificate`: devices' certificates, one by one.
struct CertificateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "certificate", abstract: "List devices' certificates, and revoke one.",
    examples: ["latchkey-server certificate list --only revoked"],
    statuses: .storeRecord,
    subcommands: [List.self, Revoke.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List certificates, of all devices or of one.",
      discussion: """
        Those of one device are in the order of their ends. With --json: certificate (serial, device, state, notAfter, revoked, \
        reason), done or error.
        """,
      examples: [
        "latchkey-server certificate list --only revoked",
        "latchkey-server certificate list DEVICE --only valid --json",
      ],
      statuses: .storeRecord)

    @Argument(help: "The device's identifier; all devices' certificates if it is left out.") var device: String?
    @Option(help: ArgumentHelp("Certificates that are valid, revoked or expired.", valueName: "state")) var only: State?
    @OptionGroup var options: OperatorOptions

    func run() async throws {
      let (device, state) = (device, only?.state)
      let now = Int64(Date().timeIntervalSince1970)
      try await options.list(["SERIAL", "DEVICE", "STATE", "UNTIL"], "certificate") { engine, cursor in
        guard let device else {
          return try await engine.certificates(CertificateFilter(state: state), limit: 1000, cursor: cursor)
        }
        let all = try await engine.certificates(of: device)
        return RecordPage(all: all.filter { state == nil || state == .init(of: $0, now: now) })
      } row: { certificate in
        let state = CertificateFilter.State(of: certificate, now: now)
        return [
          Moment.hexadecimal(certificate.serial), certificate.device.description,
          Moment.state(revoked: certificate.revoked, else: state.rawValue), Moment.text(certificate.notAfter),
        ]
      } fields: { certificate in
        [
          ("serial", .text(Moment.hexadecimal(certificate.serial))), ("device", .text(certificate.device.description)),
          ("state", .text(CertificateFilter.State(of: certificate, now: now).rawValue)),
          ("notAfter", .text(Moment.text(certificate.notAfter))), ("revoked", Moment.value(certificate.revoked)),
          ("reason", certificate.reason.map { .integer($0) } ?? .null),
        ]
      }
    }

    /// A state on the command line.
    enum State: String, ExpressibleByArgument, CaseIterable {
      case valid, revoked, expired

      var state: CertificateFilter.State {
        switch self {
        case .valid: .valid
        case .revoked: .revoked
        case .expired: .expired
        }
      }
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "revoke", abstract: "Revoke one certificate; the device's others count on.",
      discussion: """
        For a key that was stolen, let the device change its key (`latchkey renew --rotate-key`), or revoke the device. Servers \
        that run on the same store turn the certificate away within half a second. With --json: revoked (serial), done or error.
        """,
      examples: ["latchkey-server certificate revoke 5F3A9C01 --reason keyCompromise"],
      statuses: .storeRecord)

    @Argument(help: "The serial number: hexadecimal digits, as openssl x509 -serial prints them.") var serial: String
    @OptionGroup var why: RevocationOptions
    @OptionGroup var options: OperatorOptions

    func run() async throws {
      let reason = why.reason
      try await options.revoking("serial", serial) { try await $0.revokeCertificate(serial: serial, reason: reason) }
    }
  }
}
