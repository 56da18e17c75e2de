import ArgumentParser
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyKeychainModel
import LatchkeySystem

/// `latchkey keychain find-certificate`: the first that matches, or all.
struct FindCertificate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "find-certificate",
    abstract: "Find certificates by name or e-mail address and print their attributes.",
    discussion: """
      Ends with 44 if there is none; with -a that is no failure, as for macOS's `security`.

      With --json: item (\(ItemFields.help); with -m emailAddresses, with -p data, in digits, with -Z sha256 and sha1), done \
      or error.
      """,
    examples: ["latchkey keychain find-certificate -c bank.example -p", "latchkey keychain find-certificate -a -Z"],
    statuses: .keychainItem)

  @Flag(name: [.customShort("a"), .long], help: "Find all that match, not the first alone.") var all = false
  @Option(
    name: [.customShort("c", allowingJoined: true), .long], parsing: .unconditional,
    help: "A part of the common name, in either case.")
  var name: String?
  @Option(name: [.customShort("e", allowingJoined: true), .long], parsing: .unconditional, help: "An e-mail address.")
  var email: String?
  @Flag(name: [.customShort("m"), .customLong("show-email")], help: "Print the e-mail addresses.")
  var showsAddresses = false
  @Flag(name: [.customShort("p"), .customLong("pem")], help: "Print the certificate in PEM, not its attributes.")
  var printsPEM = false
  @Flag(name: [.customShort("Z"), .customLong("hash")], help: "Print its SHA-256 and SHA-1.") var printsHashes = false
  @OptionGroup var group: ItemGroupOptions
  @OptionGroup var place: KeychainOptions
  @OptionGroup var output: KeychainOutput

  func run() throws {
    try output.run {
      let keychain = try place.open(.findingItems)
      let found = try CertificateItem.all(
        group.query(.certificate, limit: nil, wantsData: true), in: keychain
      ).filter(matches)
      guard all || !found.isEmpty else { throw StoreError.itemNotFound }
      let listing = try keychain.listing()
      for certificate in all ? found[...] : found.prefix(1) { try emit(certificate, listing) }
    }
  }

  private func matches(_ certificate: CertificateItem) -> Bool {
    if let name, !certificate.isNamed(name) { return false }
    if let email, !certificate.hasAddress(email) { return false }
    return true
  }

  private func emit(_ certificate: CertificateItem, _ listing: ItemListing) throws(CommandFailure) {
    var lines: [String] = []
    var fields = ItemFields.fields(of: certificate.item)
    if printsHashes {
      let hashes = [certificate.sha256, certificate.sha1].map { Hexadecimal.encode($0) }
      lines += ["SHA-256 hash: \(hashes[0].uppercased())", "SHA-1 hash: \(hashes[1].uppercased())"]
      fields += [("sha256", .text(hashes[0])), ("sha1", .text(hashes[1]))]
    }
    if showsAddresses {
      // Anyone may have made the certificate: its text must not move the cursor.
      let addresses = certificate.emailAddresses.map { PrintableText.escaped($0) }
      lines.append("email addresses: \(addresses.joined(separator: ", "))")
      fields.append(("emailAddresses", .list(certificate.emailAddresses.map { .text($0) })))
    }
    if printsPEM {
      lines.append(SecurityToolText.pem(certificate: certificate.der))
      fields.append(("data", .text(Hexadecimal.encode(certificate.der))))
    } else {
      lines += listing.lines(of: certificate.item)
    }
    try output.emit(lines, "item", fields)
  }
}
