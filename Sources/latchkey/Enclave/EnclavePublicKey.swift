import ArgumentParser
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel

/// `latchkey enclave public-key`: the half that others may have.
struct EnclavePublicKey: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "public-key",
    abstract: "Print a key's public half.",
    discussion: """
      PEM and DER are SubjectPublicKeyInfo (RFC 5480), x963 is the point (04, X, Y), openssh a line for authorized_keys. DER and \
      x963 are bytes: with -o as they are, on standard output in hexadecimal. No user is asked.

      With --json: publicKey (\(EnclaveKeyItem.help), publicKey: in the chosen form), done or error.
      """,
    examples: [
      "latchkey enclave public-key --label build",
      "latchkey enclave public-key --label build --form openssh >> authorized_keys",
    ],
    statuses: .keychainItem)

  enum Form: String, ExpressibleByArgument, CaseIterable { case pem, der, x963, openssh }

  @OptionGroup var which: EnclaveKeyOptions
  @Option(help: "In this form: pem, der, x963 or openssh.") var form = Form.pem
  @Option(name: [.customShort("o"), .customLong("output")], help: ArgumentHelp("Write it here.", valueName: "file"))
  var path: String?
  @OptionGroup var output: KeychainOutput

  func validate() throws { try which.label.validateAlone() }

  func run() throws {
    try output.run {
      let (_, item) = try which.find()
      let key = try item.publicKey()
      let (bytes, text) =
        switch form {
        case .pem: (Array((key.pemLines + "\n").utf8), key.pemLines)
        case .openssh: openSSH(key, comment: item.label)
        case .der: (key.derRepresentation, Hexadecimal.encode(key.derRepresentation))
        case .x963: (key.externalRepresentation, key.hexadecimal)
        }
      if let path { try OutputFile.write(bytes, to: path) }
      try output.emit(path == nil ? [text] : [], "publicKey", item.fields + [("publicKey", .text(text))])
    }
  }

  private func openSSH(_ key: PublicKey, comment: String) -> ([UInt8], String) {
    let line = key.openSSHRepresentation(comment: comment)
    return (Array((line + "\n").utf8), line)
  }
}

extension EnclaveKeyItem {
  /// The public half.
  func publicKey() throws(StoreError) -> PublicKey {
    do {
      return try PublicKey(externalRepresentation: key.publicKey, family: .ellipticCurve)
    } catch {
      throw .damaged("a key of the enclave has no public half: \(error)")
    }
  }
}

extension PublicKey {
  /// PEM without the last line's end.
  var pemLines: String {
    var text = pemRepresentation
    if text.hasSuffix("\n") { text.removeLast() }
    return text
  }

  /// The external representation in digits.
  var hexadecimal: String { Hexadecimal.encode(externalRepresentation) }
}
