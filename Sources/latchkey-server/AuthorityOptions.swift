import ArgumentParser
import Foundation
import LatchkeyCertificateAuthority
import LatchkeyCommandLine

/// Who issues the devices' certificates: an authority of one's own, or one that the server made for itself.
struct AuthorityOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The authority's certificate and those above it, PEM; else one that is made in the state folder.",
      valueName: "file"))
  var ca: String?
  @Option(
    name: .customLong("ca-key"),
    help: ArgumentHelp(
      "The authority's P-256 key: a file, or keychain:LABEL for a key in the keychain, which may never leave it.",
      valueName: "key"))
  var caKey: String?

  func validate() throws {
    guard (ca == nil) == (caKey == nil) else {
      throw ValidationError(
        "--ca and --ca-key belong together: give both; latchkey-server ca create makes a certificate for a key")
    }
  }

  /// The authority; made if there is none yet.
  ///
  /// - Parameter made: called if it is made.
  func authority(_ folder: StateFolder, now: Date, made: () -> Void = {}) throws -> CertificateAuthority {
    do {
      if let ca, let caKey { return try Self.authority(ca, key: caKey, option: "--ca-key") }
      return try folder.exclusively {
        if let known = try known(folder) { return known }
        let key = FileAuthorityKey()
        let authority = try CertificateAuthority(
          name: "Latchkey throw-away authority", key: key, now: now, serial: SerialNumber.random())
        try folder.write("ca-key.pem", key.pem)
        try folder.write("ca.pem", ServerFile.pem(authority.chain[0]))
        made()
        return authority
      }
    } catch let error as AuthorityError {
      throw CommandFailure(.badData, "\(ca ?? folder.path("ca.pem")): \(error)")
    }
  }

  /// An authority by its files.
  ///
  /// - Parameter option: what named the key, for messages.
  static func authority(_ file: String, key: String, option: String) throws(CommandFailure) -> CertificateAuthority {
    let given: CertificateAuthority
    let (chain, key) = (try ServerFile.certificates(file), try AuthorityKeyArgument.key(key, option: option))
    do throws(AuthorityError) {
      given = try CertificateAuthority(chain: chain, key: key)
    } catch {
      throw CommandFailure(.badData, "\(file): \(error)")
    }
    guard given.isComplete else {
      throw CommandFailure(
        .badData, code: "incompleteChain",
        "\(file) ends with a certificate that another authority issued, and no device could connect: append that one's, up "
          + "to the root that signed itself (cat \(file.shellQuoted) root.pem > chain.pem)")
    }
    return given
  }

  /// The authority, for a command that makes none.
  func existing(_ folder: StateFolder) throws -> CertificateAuthority {
    do {
      if ca == nil {
        guard let known = try known(folder) else {
          throw CommandFailure(
            .badData, code: "noAuthority",
            "there is no authority in \(folder.path("")): give the server's --state, or its --ca and --ca-key")
        }
        return known
      }
    } catch let error as AuthorityError {
      throw CommandFailure(.badData, "\(folder.path("ca.pem")): \(error)")
    }
    return try authority(folder, now: Date())
  }

  /// Whether it is the one that the server made for itself.
  var isThrowAway: Bool { ca == nil }

  private func known(_ folder: StateFolder) throws -> CertificateAuthority? {
    let (certificate, key) = (try folder.read("ca.pem"), try folder.read("ca-key.pem"))
    guard let certificate, let key else {
      // One of two: the other was lost. Devices would not know another authority in its place.
      guard certificate == nil, key == nil else {
        throw CommandFailure(
          .badData, code: "halfAuthority",
          "\(folder.path(certificate == nil ? "ca.pem" : "ca-key.pem")) is missing: restore it from a copy, or move "
            + "\(certificate == nil ? "ca-key.pem" : "ca.pem") away for another authority, in which every device enrolls anew"
        )
      }
      return nil
    }
    return try CertificateAuthority(
      chain: ServerFile.certificates(certificate, of: folder.path("ca.pem")), key: FileAuthorityKey(fileContents: key))
  }

  /// The file of the authority that clients are to trust.
  func file(_ folder: StateFolder) -> String { ca ?? folder.path("ca.pem") }
}

/// Serial numbers of certificates (RFC 5280 4.1.2.2): positive, 16 bytes, drawn.
enum SerialNumber {
  static func random() -> [UInt8] {
    [UInt8.random(in: 1...0x7F)] + (0..<15).map { _ in UInt8.random(in: .min ... .max) }
  }
}
