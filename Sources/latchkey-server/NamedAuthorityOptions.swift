import ArgumentParser
import LatchkeyCertificateAuthority
import LatchkeyCommandLine
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore

/// Further authorities, by the names that profiles give (`latchkey-server profile add --issuer`).
struct NamedAuthorityOptions: ParsableArguments {
  @Option(
    name: .customLong("named-ca"),
    help: ArgumentHelp(
      """
      A further authority: its name and its certificate with those above it, PEM. It issues the certificates of the profiles that name \
      it; may be repeated.
      """, valueName: "name=file"))
  var certificates: [String] = []
  @Option(
    name: .customLong("named-ca-key"),
    help: ArgumentHelp("Its name and its key, as --ca-key; one for each --named-ca.", valueName: "name=key"))
  var keys: [String] = []

  func validate() throws {
    let (certificates, keys) = (try Self.named(certificates, "--named-ca"), try Self.named(keys, "--named-ca-key"))
    guard Set(certificates.keys) == Set(keys.keys) else {
      throw ValidationError("--named-ca and --named-ca-key belong together: give both for each name")
    }
  }

  /// The authorities by name.
  ///
  /// - Parameter others: the server's other authorities, of which each of these must be another.
  func authorities(besides others: [CertificateAuthority]) throws -> [String: CertificateAuthority] {
    let keys = try Self.named(keys, "--named-ca-key")
    var known = Set(others.map(\.identifier))
    var all: [String: CertificateAuthority] = [:]
    for (name, file) in try Self.named(certificates, "--named-ca").sorted(by: { $0.key < $1.key }) {
      let authority = try AuthorityOptions.authority(file, key: keys[name] ?? "", option: "--named-ca-key \(name)")
      guard known.insert(authority.identifier).inserted else {
        throw CommandFailure(
          .badData, "--named-ca \(name) has the key of another authority of this server: give each its own")
      }
      all[name] = authority
    }
    return all
  }

  private static func named(_ values: [String], _ option: String) throws -> [String: String] {
    var all: [String: String] = [:]
    for value in values {
      let parts = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, DeviceProfile.isName(parts[0]), !parts[1].isEmpty else {
        throw ValidationError(
          "\(option) is NAME=\(option.hasSuffix("key") ? "KEY" : "FILE"); a name has lower-case letters, digits and dashes"
        )
      }
      guard all.updateValue(parts[1], forKey: parts[0]) == nil else {
        throw ValidationError("\(option) names \(parts[0]) twice")
      }
    }
    return all
  }
}
