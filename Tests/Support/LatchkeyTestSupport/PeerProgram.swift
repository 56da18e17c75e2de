import Foundation
import Testing

/// A program of another implementation, with a folder for its files.
package final class PeerProgram: Sendable {
  /// Where programs are; nil for those that are not installed.
  package static let openssl = ProgramPath.installed("openssl")
  package static let keytool = ProgramPath.installed("keytool")
  package static let age = ProgramPath.installed("age")
  /// A Python that has cryptography.
  package static let python: String? = ProgramPath.installed("python3").flatMap { python in
    (try? PeerProgram(python).run("-c", "import cryptography.hazmat.primitives.serialization.pkcs12").code) == 0
      ? python : nil
  }

  private let program: String
  private let folder: Folder

  /// - Parameter program: its path; a program that is not installed fails the test.
  package init(_ program: String?) throws {
    self.program = try #require(program)
    folder = try Folder()
  }

  /// The path of a file in its folder.
  package func path(_ name: String) -> String { folder.path(name) }

  /// Writes a file and returns its path.
  package func write(_ name: String, _ bytes: [UInt8]) throws -> String { try folder.write(name, bytes) }

  /// The content of a file.
  package func read(_ name: String) throws -> [UInt8] { try folder.read(name) }

  /// Writes certificates, each DER, as one file of PEM.
  package func writePEM(_ name: String, _ certificates: [[UInt8]]) throws -> String {
    try write(name, Array(certificates.map { PEMText.block("CERTIFICATE", $0) }.joined().utf8))
  }

  /// Runs the program in its folder.
  ///
  /// - Returns: the exit status, and standard output and standard error in one text.
  @discardableResult
  package func run(_ arguments: [String]) throws -> (code: Int32, text: String) {
    let run = try ProgramRun(program, arguments, folder: folder.url, joined: true)
    return (run.status, run.output)
  }

  @discardableResult
  package func run(_ arguments: String...) throws -> (code: Int32, text: String) { try run(arguments) }

  /// Runs the program in its folder and returns its standard output; it must succeed.
  package func output(_ arguments: [String], input: [UInt8] = []) throws -> [UInt8] {
    let run = try ProgramRun(program, arguments, input: input, folder: folder.url)
    try #require(run.status == 0, "\(run.errors)")
    return run.bytes
  }
}

/// Text in PEM (RFC 7468).
package enum PEMText {
  /// One block of DER.
  package static func block(_ label: String, _ der: [UInt8]) -> String {
    let text = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    return "-----BEGIN \(label)-----\n\(text)\n-----END \(label)-----\n"
  }
}
