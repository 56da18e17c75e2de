import ArgumentParser
import Foundation
import LatchkeyCommandLine
import LatchkeyKeychainModel
import Security

/// `latchkey keychain add-certificates`: from files.
struct AddCertificates: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add-certificates",
    abstract: "Add the certificates in files.",
    discussion: """
      A file holds one certificate in DER, or some in PEM. All files are tried; the command ends as the first that failed: \
      45 if a certificate is there already, 65 if it is none.

      With --json: added (path, label), failed (path, code, message), done or error.
      """,
    examples: ["latchkey keychain add-certificates root.pem intermediate.der"],
    statuses: .newKeychainItem)

  @Argument(help: "The files.") var files: [String]
  @OptionGroup var group: ItemGroupOptions
  @OptionGroup var file: KeychainFile
  @OptionGroup var unlock: KeychainUnlock
  @OptionGroup var output: KeychainOutput

  func run() throws {
    try output.run {
      let keychain = try OpenKeychain(
        path: file.keychain, keyFile: file.keyFile, passcode: unlock.passcode, access: .changing)
      var failures: [CommandFailure] = []
      for path in files {
        do {
          for certificate in try CertificateFile.read(path) { try add(certificate, from: path, to: keychain) }
        } catch let failure as CommandFailure {
          failures.append(failure)
          // The first one is also the command's own failure.
          try output.emit(
            [], "failed", [("path", .text(path)), ("code", .text(failure.code)), ("message", .text(failure.message))])
        }
      }
      for failure in failures.dropFirst() { StandardStreams.reportError(failure.message) }
      if let first = failures.first { throw first }
    }
  }

  private func add(_ certificate: SecCertificate, from path: String, to keychain: OpenKeychain) throws {
    var attributes: [CFString: Any] = [kSecClass: kSecClassCertificate, kSecValueRef: certificate]
    attributes[kSecAttrAccessGroup] = group.accessGroup
    attributes[kSecAttrAccessible] = group.accessible?.accessibility.rawValue
    let status = keychain.use { SecItemAdd(attributes as CFDictionary, nil) }
    guard status == errSecSuccess else { throw CommandFailure(adding: status, of: path, in: keychain) }
    let summary = SecCertificateCopySubjectSummary(certificate).map { $0 as String }
    try output.emit([], "added", [("path", .text(path)), ("label", summary.map { .text($0) } ?? .null)])
  }
}
