import ArgumentParser
import Foundation
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyKeychainModel
import LatchkeySystem
import Security

/// `latchkey keychain find-identity`: certificates whose private key is there, and whether they are trusted.
struct FindIdentity: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "find-identity",
    abstract: "Find certificates with their private keys, and print whether they are valid.",
    discussion: """
      One is valid if a chain of the keychain's certificates leads from it to a root that the system trusts, or that \
      --anchors names. The others are listed with the reason, in macOS's words. No user is asked for consent: no key is used. \
      Finding none is no failure, as for macOS's `security`.

      With --json: identity (sha1, label, valid, code, reason; code and reason are null if it is valid), done or error.
      """,
    examples: [
      "latchkey keychain find-identity -v",
      "latchkey keychain find-identity -p ssl-server -s bank.example --anchors roots.pem",
    ],
    statuses: .keychain)

  @Flag(name: [.customShort("v"), .customLong("valid")], help: "Print the valid ones alone.") var validOnly = false
  @Option(
    name: [.customShort("p"), .long],
    help: ArgumentHelp("For what.", valueName: "policy"))
  var policy = Policy.basic
  @Option(
    name: [.customShort("s"), .long], parsing: .unconditional,
    help: ArgumentHelp("The host that a server's certificate must be for.", valueName: "host"))
  var name: String?
  @Option(help: ArgumentHelp("A file with roots to trust, too, in DER or PEM.", valueName: "file")) var anchors: String?
  @OptionGroup var group: ItemGroupOptions
  @OptionGroup var place: KeychainOptions
  @OptionGroup var output: KeychainOutput

  /// The purpose that an identity is evaluated for, in macOS's words.
  enum Policy: String, ExpressibleByArgument, CaseIterable {
    case basic
    case sslClient = "ssl-client"
    case sslServer = "ssl-server"

    var title: String {
      switch self {
      case .basic: "X.509 Basic"
      case .sslClient: "SSL (client)"
      case .sslServer: "SSL (server)"
      }
    }
  }

  func validate() throws {
    guard name == nil || policy == .sslServer else { throw ValidationError("-s goes with -p ssl-server") }
  }

  func run() throws {
    try output.run {
      let roots = try anchors.map { path throws(CommandFailure) in try CertificateFile.read(path) } ?? []
      let keychain = try place.open(.findingItems)
      let certificates = try CertificateItem.all(group.query(.certificate, limit: nil, wantsData: true), in: keychain)
      let keys = ItemQuery(.key, attributes: [.keyClass: .number(1)], synchronizable: .any, limit: nil)
      let labels = Set(try keychain.found(keys).get().compactMap { $0.attributes[.applicationLabel] })
      let identities = certificates.filter { $0.item.attributes[.publicKeyHash].map(labels.contains) ?? false }
      let issuers = certificates.map(\.certificate)
      let evaluated = identities.map { ($0, EvaluatedCertificate($0.certificate, issuers, policy: rule, roots: roots)) }
      if output.json { return try emitEvents(evaluated) }
      try emitLines(evaluated)
    }
  }

  private var rule: SecPolicy {
    switch policy {
    case .basic: SecPolicyCreateBasicX509()
    case .sslClient: SecPolicyCreateSSL(false, nil)
    case .sslServer: SecPolicyCreateSSL(true, name.map { $0 as CFString })
    }
  }

  private func emitEvents(_ evaluated: [(CertificateItem, EvaluatedCertificate)]) throws {
    for (identity, verdict) in evaluated where verdict.isValid || !validOnly {
      try output.emit(
        [], "identity",
        [
          ("sha1", .text(Hexadecimal.encode(identity.sha1))), ("label", .text(identity.summary)),
          ("valid", .boolean(verdict.isValid)), ("code", verdict.status.map { .integer(Int($0)) } ?? .null),
          ("reason", verdict.reason.map { .text($0) } ?? .null),
        ])
    }
  }

  private func emitLines(_ evaluated: [(CertificateItem, EvaluatedCertificate)]) throws {
    let valid = evaluated.filter { $0.1.isValid }
    var lines: [String] = []
    if !validOnly {
      lines += ["", "Policy: \(policy.title)", "  Matching identities"]
      lines += list(evaluated) + ["     \(evaluated.count) identities found", "", "  Valid identities only"]
    }
    lines += list(valid) + ["     \(valid.count) valid identities found"]
    for line in lines { try StandardStreams.writeLine(line) }
  }

  private func list(_ evaluated: [(CertificateItem, EvaluatedCertificate)]) -> [String] {
    evaluated.enumerated().map { index, entry in
      let number = String(index + 1)
      let hash = Hexadecimal.encode(entry.0.sha1).uppercased()
      // Anyone may have made the certificate: its text must not move the cursor.
      let name = PrintableText.escaped(entry.0.summary)
      let reason = entry.1.status.map { " (\(SecurityToolText.trustError($0)))" } ?? ""
      return "\(String(repeating: " ", count: max(0, 3 - number.count)))\(number)) \(hash) \"\(name)\"\(reason)"
    }
  }
}

extension CertificateItem {
  /// What it is called in lists.
  fileprivate var summary: String { SecCertificateCopySubjectSummary(certificate).map { $0 as String } ?? "<unknown>" }
}
