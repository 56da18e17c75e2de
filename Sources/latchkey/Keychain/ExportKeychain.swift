import ArgumentParser
import Foundation
import LatchkeyCommandLine
import LatchkeyKeychainArchive
import LatchkeyKeychainModel
import LatchkeySystem

/// `latchkey keychain export`: the items, in an age file.
struct ExportKeychain: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write the items that may leave into an age file.",
    discussion: """
      The file is of age v1 (age-encryption.org): `age -d` opens it, and `latchkey keychain import` adds its items to another \
      keychain. Inside is one JSON document with everything in the clear. It is encrypted for the recipients that are given, or \
      for a passphrase, which is asked for twice if it is not given.

      What stays is printed, a line each: keys of the enclave never leave; items that are accessible …-this-device-only do \
      with --this-device-only; items that a user guards do with --guarded, which asks that user, item by item. Ends with 36 if an item \
      is locked.

          latchkey keychain export secrets.age --recipient age1…
          latchkey keychain export secrets.age
          age -d -i key.txt secrets.age | jq .items

      With --json: excluded (class, accessGroup, name, reason), exported (path, items, excluded), done or error.
      """,
    examples: ["latchkey keychain export items.age", "latchkey keychain export items.age --recipient age1…"],
    statuses: .keychain)

  @Argument(help: "The file to write, or - for standard output.") var archive: String
  @OptionGroup var lock: ArchiveEncryption
  @Flag(help: "Let items that are accessible on this device only leave, too.") var thisDeviceOnly = false
  @Flag(help: "Ask for the items that a user guards.") var guarded = false
  @OptionGroup var file: KeychainFile
  @OptionGroup var unlock: KeychainUnlock
  @OptionGroup var output: KeychainOutput

  func validate() throws {
    guard archive != "-" || !output.json else {
      throw ValidationError("--json writes to standard output, and so does -: give a file")
    }
  }

  func run() throws {
    try output.run {
      do {
        try export()
      } catch let error as ArchiveError {
        throw error.failure
      }
    }
  }

  private func export() throws {
    let recipients = try lock.recipients()
    let keychain = try OpenKeychain(
      path: file.keychain, keyFile: file.keyFile, passcode: unlock.passcode, access: .inspecting)
    var options = ExportOptions()
    options.includesThisDeviceOnly = thisDeviceOnly
    if guarded { options.consent = Consent(reason: "export the keychain's items") }
    let document = try keychain.store.export(options, as: keychain.entitlements, created: Date())
    try lock.write(
      try document.sealed(for: try lock.lock(recipients, for: archive), random: SystemRandom.bytes), to: archive)
    try emit(document)
  }

  private func emit(_ document: KeychainDocument) throws {
    for item in document.excluded {
      if output.json {
        try output.emit(
          [], "excluded",
          [
            ("class", .text(item.itemClass)), ("accessGroup", .text(item.accessGroup)), ("name", .text(item.name)),
            ("reason", .text(item.reason.rawValue)),
          ])
      } else {
        StandardStreams.writeErrorLine(
          "stays: \(item.itemClass) \(PrintableText.escaped(item.name)) (\(item.reason.words))")
      }
    }
    if output.json {
      try output.emit(
        [], "exported",
        [
          ("path", .text(archive)), ("items", .integer(document.items.count)),
          ("excluded", .integer(document.excluded.count)),
        ])
    } else {
      let count = document.items.count
      StandardStreams.writeErrorLine(
        "\(count) \(count == 1 ? "item" : "items") exported, \(document.excluded.count) stay")
    }
  }
}

extension KeychainDocument.Reason {
  /// For people.
  fileprivate var words: String {
    switch self {
    case .thisDeviceOnly: "on this device only: --this-device-only exports it"
    case .enclaveKey: "a key of the enclave never leaves"
    case .guarded: "guarded by a user: --guarded asks"
    }
  }
}

/// The system's generator of random bytes.
enum SystemRandom {
  static func bytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }
}
