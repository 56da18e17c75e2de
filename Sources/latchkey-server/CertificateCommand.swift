import ArgumentParser
import LatchkeyCommandLine
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore

/// `latchkey-server certificate`: devices' certificates, one by one.
struct CertificateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "certificate", abstract: "List a device's certificates, and revoke one.",
    examples: ["latchkey-server certificate list DEVICE"],
    statuses: .storeRecord,
    subcommands: [List.self, Revoke.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List a device's certificates, the latest end last.",
      discussion: "With --json: certificate (serial, notAfter, revoked, reason), done or error.",
      examples: ["latchkey-server certificate list DEVICE"],
      statuses: .storeRecord)

    @Argument(help: "The device's identifier.") var device: String
    @OptionGroup var options: OperatorOptions

    func run() async throws {
      try await options.operating { for certificate in try await $0.certificates(of: device) { emit(certificate) } }
    }

    private func emit(_ certificate: CertificateRecord) {
      let serial = certificate.serial.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      let end = Moment.text(certificate.notAfter)
      options.output.emit(
        "\(serial)  \(Moment.state(revoked: certificate.revoked, else: "until \(end)"))", "certificate",
        [
          "serial": .text(serial), "notAfter": .text(end),
          "revoked": Moment.value(certificate.revoked),
          "reason": certificate.reason.map { .integer($0) } ?? .null,
        ])
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "revoke", abstract: "Revoke one certificate; the device's others count on.",
      discussion: """
        For a key that was stolen, let the device change its key (`latchkey renew --new-key`), or revoke the device. Servers \
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
