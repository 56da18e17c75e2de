import ArgumentParser
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel
import LatchkeyKeychainStore

/// `latchkey enclave attestation-key`: the key that a server pins.
struct EnclaveAttestationKey: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attestation-key",
    abstract: "Print the public half of the TPM's key that signs attestations.",
    discussion: """
      In PEM, as latchkey-server serve --attestation-pin accepts it. It is the same each time, until the TPM is cleared. \
      Ends with 69 where keys live in software: no manufacturer vouches for those.

      With --json: attestationKey (publicKey: PEM, name and publicArea in hexadecimal), done or error.
      """,
    examples: ["latchkey enclave attestation-key > pin.pem"],
    statuses: [.badData, .unavailable])

  @Option(name: [.customShort("o"), .customLong("output")], help: ArgumentHelp("Write it here.", valueName: "file"))
  var path: String?
  @OptionGroup var output: KeychainOutput

  func run() throws {
    try output.run {
      let key = try EnclaveHardware.current().attestationKey()
      let text = try key.pem()
      if let path { try OutputFile.write(Array((text + "\n").utf8), to: path) }
      try output.emit(path == nil ? [text] : [], "attestationKey", key.fields(text))
    }
  }
}

/// `latchkey enclave endorsement`: what the TPM's maker vouches for.
struct EnclaveEndorsement: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "endorsement",
    abstract: "Print the TPM's endorsement key and its maker's certificates.",
    discussion: """
      In PEM: the key, then the certificates that there are, that of the key on P-256 first. An authority that certifies \
      attestation keys checks them and encrypts a secret to this key, which `activate` opens. With -o only TPM2B_PUBLIC of \
      the key is written, as tpm2_makecredential --public reads it.

      With --json: endorsement (publicKey: PEM, name and publicArea in hexadecimal, certificates: PEM), done or error.
      """,
    examples: ["latchkey enclave endorsement -o endorsement.pub"],
    statuses: [.badData, .unavailable])

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("Write the key's TPM2B_PUBLIC here.", valueName: "file"))
  var path: String?
  @OptionGroup var output: KeychainOutput

  func run() throws {
    try output.run {
      let endorsement = try EnclaveHardware.current().endorsement()
      let text = try endorsement.key.pem()
      let certificates = [endorsement.certificate, endorsement.certificateRSA].compactMap(\.self).map {
        let text = PEMDocument(label: "CERTIFICATE", bytes: $0).text
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
      }
      if let path { try OutputFile.write(endorsement.key.publicArea, to: path) }
      try output.emit(
        path == nil ? [text] + certificates : [], "endorsement",
        endorsement.key.fields(text) + [("certificates", .list(certificates.map { .text($0) }))])
    }
  }
}

/// `latchkey enclave activate`: proves that attestation key and endorsement key are in one TPM.
struct EnclaveActivate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "activate",
    abstract: "Open a credential that was made for this TPM's attestation key.",
    discussion: """
      FILE is what tpm2_makecredential writes. The secret in it is printed in hexadecimal, or written with -o as it is: \
      its maker knows then that the attestation key is in the TPM of the endorsement key. Ends with 65 for a \
      credential of another TPM.

      With --json: activated (secret), done or error.
      """,
    examples: ["latchkey enclave activate credential.bin -o secret.bin"],
    statuses: [.badData, .unavailable])

  @Argument(help: ArgumentHelp("The credential.", valueName: "file")) var credential: String
  @Option(name: [.customShort("o"), .customLong("output")], help: ArgumentHelp("Write it here.", valueName: "file"))
  var path: String?
  @OptionGroup var output: KeychainOutput

  func run() throws {
    try output.run {
      let file = try SecretArgument.readBytes("@" + credential, option: "FILE", prompt: "")
      var secret = try EnclaveHardware.current().activate(EnclaveCredential(file: file))
      defer { secret.wipe() }
      let digits = Hexadecimal.encode(secret)
      if let path { try OutputFile.writeSecret(secret, to: path) }
      try output.emit(path == nil ? [digits] : [], "activated", [("secret", .text(digits))])
    }
  }
}

extension EnclaveHardware.Key {
  /// SubjectPublicKeyInfo in PEM, without the last line's end.
  fileprivate func pem() throws(StoreError) -> String {
    do {
      return try PublicKey(externalRepresentation: publicKey, family: .ellipticCurve).pemLines
    } catch {
      throw .hardware("the TPM's key is no point of P-256: \(error)")
    }
  }

  fileprivate func fields(_ pem: String) -> [(key: String, value: JSONLine.Value)] {
    [
      ("publicKey", .text(pem)), ("name", .text(Hexadecimal.encode(name))),
      ("publicArea", .text(Hexadecimal.encode(publicArea))),
    ]
  }
}
