import LatchkeyTestSupport
import Foundation
import Testing

/// PKCS#12 files without keys, and files that are not read, at the command line; written by OpenSSL.
@Suite struct ImportCertificatesTests {
  private let place: CommandFolder
  private var folder: URL { place.url }
  private var environment: [String: String] { place.environment }

  init() throws { place = try CommandFolder() }

  private func openssl(_ line: String) throws -> Bool {
    let words = line.split(separator: " ").map(String.init)
    return try BuiltCommand.run(words, input: [], program: URL(filePath: "/usr/bin/openssl"), folder: folder).status
      == 0
  }

  /// Two certificates, each with its key.
  private func makeCertificates() throws -> Bool {
    for name in ["one", "two"] {
      let line =
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout \(name).key -out \(name).pem -subj /CN=\(name)"
      guard try openssl(line) else { return false }
    }
    return true
  }

  private func run(_ line: String) throws -> BuiltCommand.Result {
    try BuiltCommand.run(
      ["keychain"] + line.split(separator: " ").map(String.init), input: [], folder: folder, environment: environment)
  }

  @Test("Of a file without keys all certificates are imported, once")
  func certificatesAlone() throws {
    guard try makeCertificates() else { return }
    let (one, two) = (folder.appending(path: "one.pem"), folder.appending(path: "two.pem"))
    try (Data(contentsOf: one) + Data(contentsOf: two)).write(to: folder.appending(path: "both.pem"))
    #expect(try openssl("pkcs12 -export -nokeys -in both.pem -out both.p12 -passout pass:secret"))
    let imported = try run("import both.p12 -P secret")
    #expect(imported.status == 0, "\(imported.errors)")
    #expect(imported.output == "2 certificates imported.\n")
    #expect(try run("import both.p12 -P secret").status == 45)
    #expect(try run("import both.p12 -P wrong").status == 51)
    #expect(try run("find-certificate -c one").status == 0)
  }

  @Test("A key without its certificate is refused, not read as a list of certificates")
  func keyAlone() throws {
    guard try makeCertificates() else { return }
    #expect(try openssl("pkcs12 -export -nocerts -inkey one.key -in one.pem -out key.p12 -passout pass:secret"))
    let refused = try run("import key.p12 -P secret")
    #expect(refused.status == 65)
    #expect(refused.errors.contains("no private key with its certificate"))
  }

  @Test("An unsupported cipher is reported by name")
  func unsupported() throws {
    guard try makeCertificates() else { return }
    let cipher = "PBE-SHA1-RC4-128"
    let line = "pkcs12 -export -legacy -keypbe \(cipher) -certpbe \(cipher) -inkey one.key -in one.pem -out rc4.p12"
    // Only with OpenSSL's provider of old algorithms.
    guard try openssl(line + " -passout pass:secret") else { return }
    let refused = try run("import rc4.p12 -P secret")
    #expect(refused.status == 65)
    #expect(refused.errors.contains("RC4"))
    #expect(try openssl("pkcs12 -export -nomac -inkey one.key -in one.pem -out nomac.p12 -passout pass:secret"))
    #expect(try run("import nomac.p12 -P secret").errors.contains("no MAC"))
  }
}
