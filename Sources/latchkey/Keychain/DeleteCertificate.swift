import ArgumentParser
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyKeychainModel

/// `latchkey keychain delete-certificate`: by name or hash.
struct DeleteCertificate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete-certificate",
    abstract: "Delete the certificate with this name or hash.",
    discussion: """
      Ends with 44 if there is none, and with 65 if several have the name; one whose whole name it is comes before those of \
      which it is a part.

      With --json: deleted (\(ItemFields.help)), done or error.
      """,
    examples: ["latchkey keychain delete-certificate -c bank.example"],
    statuses: .keychainItem)

  @Option(
    name: [.customShort("c", allowingJoined: true), .long], parsing: .unconditional,
    help: "A part of the common name, in either case.")
  var name: String?
  @Option(name: [.customShort("Z", allowingJoined: true), .long], help: "Its SHA-256 or SHA-1, in digits.") var hash:
    String?
  @Flag(name: .customShort("t"), help: "Delete its trust settings too; there are none here.") var deletesTrust = false
  @OptionGroup var group: ItemGroupOptions
  @OptionGroup var place: KeychainOptions
  @OptionGroup var output: KeychainOutput

  func validate() throws {
    guard (name == nil) != (hash == nil) else { throw ValidationError("give -c or -Z") }
    guard hash == nil || digest != nil else {
      throw ValidationError("-Z needs the 64 digits of a SHA-256, or 40 of a SHA-1")
    }
  }

  private var digest: [UInt8]? {
    hash.flatMap { try? Hexadecimal.decode($0) }.flatMap { [20, 32].contains($0.count) ? $0 : nil }
  }

  func run() throws {
    try output.run {
      let keychain = try place.open(.findingItems)
      let all = try CertificateItem.all(group.query(.certificate, limit: nil, wantsData: true), in: keychain)
      let item = try chosen(from: all).item
      let reference = ItemQuery(.certificate, synchronizable: .any, persistentReference: item.reference)
      try keychain.store.delete(reference, as: keychain.entitlements)
      try output.emit([], "deleted", ItemFields.fields(of: item))
    }
  }

  private func chosen(from all: [CertificateItem]) throws -> CertificateItem {
    if let digest {
      guard let found = all.first(where: { $0.sha256 == digest || $0.sha1 == digest }) else {
        throw StoreError.itemNotFound
      }
      return found
    }
    let name = name ?? ""
    let named = all.filter { $0.isNamed(name) }
    let exact = named.filter { $0.commonName?.lowercased() == name.lowercased() }
    let candidates = exact.isEmpty ? named : exact
    guard let first = candidates.first else { throw StoreError.itemNotFound }
    guard candidates.allSatisfy({ $0.certificate == first.certificate }) else {
      throw CommandFailure(.badData, code: "ambiguous", "\(candidates.count) certificates have this name: give -Z")
    }
    return first
  }
}
