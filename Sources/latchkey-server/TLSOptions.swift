import ArgumentParser
import Foundation
import LatchkeyCertificateAuthority
import LatchkeyCommandLine

/// The server's own certificate: from files, or issued by the authority while the server runs.
struct TLSOptions: ParsableArguments {
  @Option(
    name: .customLong("tls-cert"),
    help: ArgumentHelp(
      "The server's certificate and its issuers, PEM; else the authority issues one. Read again at SIGHUP.",
      valueName: "file"))
  var certificate: String?
  @Option(
    name: .customLong("tls-key"), help: ArgumentHelp("The key of that certificate: a file.", valueName: "file"))
  var key: String?
  @Option(
    name: .customLong("tls-name"),
    help: ArgumentHelp(
      "A host name or address for the certificate that the authority issues; of a tenant, a name by which clients reach it.",
      valueName: "name"))
  var names: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      Authorities, PEM, whose devices are let in besides, up to their roots: the one before, until its certificates have ended. \
      Those devices must believe the server's certificate, too: give it by --tls-cert.
      """, valueName: "file"))
  var alsoTrust: String?

  /// How long a certificate lasts that the server issues for itself, as far as the authority does: it is made again each day.
  private static let lifetime: TimeInterval = 30 * 24 * 3600

  func validate() throws {
    guard (certificate == nil) == (key == nil) else {
      throw ValidationError("--tls-cert and --tls-key belong together: give both")
    }
  }

  /// The authorities that are trusted besides, DER.
  func alsoTrusted() throws(CommandFailure) -> [[UInt8]] {
    guard let alsoTrust else { return [] }
    let certificates = try ServerFile.certificates(alsoTrust)
    guard certificates.allSatisfy(CertificateAuthority.isAuthority) else {
      throw CommandFailure(.badData, "--also-trust \(alsoTrust) holds a certificate that is no authority's")
    }
    return certificates
  }

  /// Whether the server issues its own.
  var isOwn: Bool { certificate == nil }

  /// The certificate with its issuers, leaf first, and its key: DER.
  ///
  /// - Parameter host: where the server listens, for a certificate of this machine's names, too; nil: of the options' names alone.
  func identity(
    host: String?, by authority: CertificateAuthority, now: Date
  ) throws -> (chain: [[UInt8]], key: [UInt8]) {
    if let certificate, let key {
      let bytes = try ServerFile.read(key, isSecret: true)
      do {
        return (try ServerFile.certificates(certificate), try ServerKey.der(bytes))
      } catch let error as ServerKey.Unreadable {
        throw CommandFailure(.badData, "\(key): \(error)")
      }
    }
    guard authority.notAfter > now else {
      throw CommandFailure(
        .badData, code: "authorityEnded",
        "the authority's certificate ended on \(authority.notAfter.formatted(.iso8601)): give a new one of the same key by --ca"
      )
    }
    let own = FileAuthorityKey()
    let machine = host.map { ["localhost", "127.0.0.1", "::1", ProcessInfo.processInfo.hostName, $0] } ?? []
    var all = machine + names
    all = all.filter { !$0.isEmpty && $0 != "0.0.0.0" && $0 != "::" }
    let unique = all.enumerated().filter { !all[..<$0.offset].contains($0.element) }.map(\.element)
    do {
      let leaf = try authority.issueServer(
        names: unique, publicKey: own.publicKey, serial: SerialNumber.random(),
        notBefore: now.addingTimeInterval(-3600),
        notAfter: min(now.addingTimeInterval(Self.lifetime), authority.notAfter))
      return ([leaf] + authority.chain.dropLast(), own.pkcs8)
    } catch {
      throw CommandFailure(.badData, "the server's certificate cannot be issued: \(error)")
    }
  }
}
