import ArgumentParser
import Foundation
import LatchkeyCommandLine
import LatchkeyKeychainArchive
import LatchkeyKeychainModel
import Security

/// `latchkey keychain import`: identities and certificates from a file.
struct ImportItems: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Add the identities, the certificates, or the exported items in a file.",
    discussion: """
      A PKCS#12 file (.p12, .pfx) has private keys with their certificates and what leads from these to a root: all of it \
      is added. One that has certificates alone brings those. A certificate in DER, or some in PEM, are added as by \
      add-certificates. The file's bytes decide which it is, unless -f does.

      An age file that export wrote is opened by --identity or its passphrase, and its items are added; what is there already stays, or \
      gives way with --existing replace. Items that this keychain refuses are printed one by one, and the command ends with 65.

      Without -P the file is tried without a password, and if it has one, it is asked for. Ends with 51 if it is wrong, 45 \
      if everything is there already, 65 if the file is none of these.

      With --json: added (path, class, label), done or error; of an export refused (index, class, message), imported (path, added, \
      replaced, kept, refused).
      """,
    examples: [
      "latchkey keychain import identity.p12 -P @password.txt",
      "latchkey keychain import items.age --identity key.txt --existing replace",
    ],
    statuses: .newKeychainItem)

  @Argument(help: "The file.") var path: String
  @Option(
    name: [.customShort("f"), .long],
    help: ArgumentHelp("What the file is.", valueName: "format"))
  var format: Format?
  @Option(
    name: [.customShort("P", allowingJoined: true), .long], parsing: .unconditional,
    help: "The file's password: @FILE, - or, with a warning, the password itself. Asked for if left out.")
  var passphrase: String?
  @Flag(
    name: [.customShort("A"), .customLong("allow-any")],
    help: "Let any application use the keys: so it is anyway, within their access group.")
  var allowsAny = false
  @Option(
    name: .customShort("T", allowingJoined: true), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Refused: which programs use a key is decided by access groups.", valueName: "program"))
  var program: [String] = []
  @Option(
    name: [.customShort("i"), .long],
    help: ArgumentHelp("The file of the age identity that an export is encrypted for.", valueName: "file"))
  var identity: String?
  @Option(
    help: ArgumentHelp("Whether items of an export replace those that are there: keep or replace.", valueName: "what"))
  var existing: Existing = .keep
  @OptionGroup var group: ItemGroupOptions
  @OptionGroup var file: KeychainFile
  @OptionGroup var unlock: KeychainUnlock
  @OptionGroup var output: KeychainOutput

  /// The format of a file, by macOS's names.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case pkcs12, x509, pemseq
  }

  /// The treatment of items that are there already.
  enum Existing: String, ExpressibleByArgument, CaseIterable {
    case keep, replace

    var choice: ExistingItems { self == .keep ? .keep : .replace }
  }

  func validate() throws {
    guard program.isEmpty else {
      throw ValidationError("-T: which programs use a key is decided by access groups: give --access-group instead")
    }
  }

  func run() throws {
    try output.run {
      if format == nil, let archive = try ArchiveFile.read(path) { return try importArchive(archive) }
      let bytes = try CertificateFile.bytes(of: path)
      let objects: [ImportedObject]
      if isPKCS12(bytes) {
        objects = try ImportedObject.read(bytes, of: path, passphrase: passphrase)
      } else {
        objects = try CertificateFile.certificates(in: bytes, path).map { .certificate($0) }
      }
      let keychain = try OpenKeychain(
        path: file.keychain, keyFile: file.keyFile, passcode: unlock.passcode, access: .changing)
      var added: [ImportedObject] = []
      for object in objects where try add(object, to: keychain) { added.append(object) }
      guard !added.isEmpty else {
        throw CommandFailure(.duplicateItem, "\(path): everything in it is already in \(keychain.path)")
      }
      if !output.json { try emit(added) }
    }
  }

  private func isPKCS12(_ bytes: Data) -> Bool {
    if let format { return format == .pkcs12 }
    return !bytes.contains("-----BEGIN ") && SecCertificateCreateWithData(nil, bytes as CFData) == nil
  }

  /// Adds an object; false if it is there already.
  private func add(_ object: ImportedObject, to keychain: OpenKeychain) throws -> Bool {
    var attributes: [CFString: Any] = [kSecValueRef: object.reference]
    attributes[kSecAttrAccessGroup] = group.accessGroup
    attributes[kSecAttrAccessible] = group.accessible?.accessibility.rawValue
    let status = keychain.use { SecItemAdd(attributes as CFDictionary, nil) }
    if status == errSecDuplicateItem { return false }
    guard status == errSecSuccess else { throw CommandFailure(adding: status, of: path, in: keychain) }
    if output.json {
      try output.emit(
        [], "added",
        [
          ("path", .text(path)), ("class", .text(object.itemClass.rawValue)),
          ("label", object.label.map { .text($0) } ?? .null),
        ])
    }
    return true
  }

  private func emit(_ added: [ImportedObject]) throws {
    for (itemClass, one, many) in [
      (ItemClass.identity, "identity", "identities"), (.certificate, "certificate", "certificates"),
    ] {
      let count = added.count { $0.itemClass == itemClass }
      if count > 0 { try StandardStreams.writeLine("\(count) \(count == 1 ? one : many) imported.") }
    }
  }
}

extension Data {
  fileprivate func contains(_ text: String) -> Bool { range(of: Data(text.utf8)) != nil }
}
