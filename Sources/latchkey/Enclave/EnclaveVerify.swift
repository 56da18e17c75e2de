import ArgumentParser
import Foundation
import LatchkeyCommandLine
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel

/// `latchkey enclave verify`: whether a signature is one of a key.
struct EnclaveVerify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Verify a signature by a key of the enclave, or by a public key in a file.",
    discussion: """
      Ends with 0 if it is good and with 1 if it is not. No user is asked.

      With --json: verified (isValid), done or error.
      """,
    examples: [
      "latchkey enclave verify --label build --signature release.sig release.tar",
      "latchkey enclave verify --public-key build.pem --signature release.sig release.tar",
    ],
    statuses: .keychainItem + [.notVerified])

  @Option(help: ArgumentHelp("The signature's file: DER, or with --raw 64 bytes.", valueName: "file")) var signature:
    String
  @Option(help: ArgumentHelp("The label of a key of the enclave.", valueName: "label")) var label: String?
  @Option(
    help: ArgumentHelp(
      "A file with a public key on a curve, in PEM, DER, X9.63 or OpenSSH's form.", valueName: "file"))
  var publicKey: String?
  @Argument(help: "What was signed; - or nothing is standard input.", completion: .file()) var input: String?
  @Flag(help: "The input is the SHA-256 digest itself: 32 bytes.") var digest = false
  @Flag(help: "The signature is r and s, 32 bytes each (RFC 4754).") var raw = false
  @Option(help: ArgumentHelp("The access group, one of those in LATCHKEY_ENTITLEMENTS.", valueName: "group"))
  var accessGroup: String?
  @OptionGroup var file: KeychainFile
  @OptionGroup var unlock: KeychainUnlock
  @OptionGroup var output: KeychainOutput

  func validate() throws {
    guard (label == nil) != (publicKey == nil) else { throw ValidationError("give --label or --public-key") }
  }

  func run() throws {
    var isValid = false
    try output.run {
      let key = try key()
      let bytes = try InputFile.read(signature, atMost: 1024)
      let algorithm = KeyAlgorithm.ecdsa(.digest, .sha256, raw ? .rfc4754 : .x962)
      isValid = try key.isValid(
        bytes, of: try InputDigest.sha256(of: input ?? "-", isDigest: digest), by: algorithm)
      try output.emit([isValid ? "good signature" : "BAD signature"], "verified", [("isValid", .boolean(isValid))])
    }
    if !isValid { throw ExitCode(ExitStatus.notVerified.rawValue) }
  }

  private func key() throws -> PublicKey {
    if let label {
      let keychain = try OpenKeychain(
        path: file.keychain, keyFile: file.keyFile, passcode: unlock.passcode, access: .findingItems)
      return try EnclaveKeyItem.named(label, in: keychain, group: accessGroup).publicKey()
    }
    let path = publicKey ?? ""
    do {
      return try PublicKey(fileContents: try InputFile.read(path, atMost: 64 * 1024))
    } catch let error as KeyError {
      throw CommandFailure(.badData, "\(path) holds no public key: \(error)")
    }
  }
}

/// A file that a command reads whole.
enum InputFile {
  static func read(_ path: String, atMost limit: Int) throws(CommandFailure) -> [UInt8] {
    do {
      let bytes = try FileHandle(forReadingFrom: URL(fileURLWithPath: path)).read(upToCount: limit + 1) ?? Data()
      guard bytes.count <= limit else { throw CommandFailure(.badData, "\(path) has more than \(limit) bytes") }
      return Array(bytes)
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw CommandFailure(.inputOutput, "\(path) cannot be read")
    }
  }
}
