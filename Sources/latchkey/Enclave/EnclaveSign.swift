import ArgumentParser
import Crypto
import Foundation
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel

/// `latchkey enclave sign`: ECDSA with SHA-256.
struct EnclaveSign: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign",
    abstract: "Sign a file, or standard input, with ECDSA and SHA-256.",
    discussion: """
      The signature is DER, as `openssl dgst -sha256 -verify PUBLIC.pem -signature SIGNATURE FILE` wants it. It goes to -o, or \
      to standard output, which must not be a terminal then; --hex prints digits.

      With --json: signed (\(EnclaveKeyItem.help), signature), done or error.
      """,
    examples: [
      "latchkey enclave sign --label build -o release.sig release.tar",
      "latchkey enclave sign --label build --hex < release.tar",
    ],
    statuses: .keychainItem)

  @OptionGroup var which: EnclaveKeyOptions
  @Argument(help: "What to sign; - or nothing is standard input.", completion: .file()) var input: String?
  @Flag(help: "The input is the SHA-256 digest itself: 32 bytes.") var digest = false
  @Flag(help: "r and s, 32 bytes each (RFC 4754), not DER.") var raw = false
  @Flag(name: [.customShort("x"), .long], help: "Print hexadecimal digits.") var hex = false
  @Flag(help: .hidden) var hexadecimal = false
  @Option(name: [.customShort("o"), .customLong("output")], help: ArgumentHelp("Write it here.", valueName: "file"))
  var path: String?
  @Option(help: "The reason that the user is shown.") var reason: String?
  @OptionGroup var output: KeychainOutput

  private var printsDigits: Bool { hex || hexadecimal }

  func validate() throws {
    guard path == nil || !printsDigits else { throw ValidationError("--hex goes without -o") }
    if input != nil { try which.label.validateAlone() }
  }

  func run() throws {
    try output.run {
      guard output.json || path != nil || printsDigits || !StandardStreams.isOutputTerminal else {
        throw CommandFailure(.usage, "a signature is no text: give -o FILE or --hex")
      }
      let (keychain, key) = try which.find()
      let signed = try InputDigest.sha256(of: input ?? which.label.rest ?? "-", isDigest: digest)
      let raw = try keychain.enclave.sign(
        digest: signed, with: key.key, consent: Consent(reason: reason ?? "sign with the key \(key.label)"))
      let signature = ECDSASignatureCoding.encode(raw, as: self.raw ? .rfc4754 : .x962)
      if let path {
        try OutputFile.write(signature, to: path)
      } else if !output.json, !printsDigits {
        try StandardStreams.write(signature)
      }
      let digits = Hexadecimal.encode(signature)
      try output.emit(printsDigits ? [digits] : [], "signed", key.fields + [("signature", .text(digits))])
    }
  }
}

/// What is signed or verified: read piece by piece, so that a file may be large.
enum InputDigest {
  /// The SHA-256 of a file or of standard input (`-`); with `isDigest` its 32 bytes themselves.
  static func sha256(of path: String, isDigest: Bool) throws(CommandFailure) -> [UInt8] {
    var hash = SHA256()
    var head: [UInt8] = []
    do {
      let file = path == "-" ? FileHandle.standardInput : try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      while let chunk = try file.read(upToCount: 1 << 16), !chunk.isEmpty {
        hash.update(data: chunk)
        if isDigest { head += chunk.prefix(33 - min(head.count, 33)) }
      }
    } catch {
      throw CommandFailure(.inputOutput, "\(path == "-" ? "standard input" : path) cannot be read")
    }
    guard isDigest else { return Array(hash.finalize()) }
    guard head.count == 32 else { throw CommandFailure(.badData, "--digest needs the 32 bytes of a SHA-256") }
    return head
  }
}
