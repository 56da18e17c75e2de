import ArgumentParser
import LatchkeyCommandLine
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore

/// `latchkey-server profile`: the rules for kinds of devices.
struct ProfileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profile", abstract: "Define the rules by which kinds of devices enroll.",
    discussion: """
      A device has the profile of its enrollment token. One that a user's password enrolls has the profile default, or by EST the \
      one that the label of the path names, if it permits passwords. Until you \
      define a profile of that name, it is built in and equals the server's own policy.
      """,
    examples: [
      "latchkey-server profile list", "latchkey-server profile add sensor --way token --certificate-lifetime 30d",
    ],
    statuses: .storeRecord,
    subcommands: [Add.self, List.self, Show.self, Remove.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Define a profile, default too.",
      discussion: """
        Devices that have the profile get new rules with their next certificate. An alternative name is dns: or uri: and a text; \
        {device}, {name} and {user} stand for the device's identifier, its name and its user. Where {name} is used, \
        each token must name its device, or the operator approves or renames it: nobody else vouches for a name. \
        With --json: defined (profile), done or error.
        """,
      examples: [
        "latchkey-server profile add sensor --way token --alternative-name uri:urn:example:sensor:{device}",
        "latchkey-server profile add default --approval device --replace",
      ],
      statuses: .store)

    @Argument(help: "The profile's name: lower-case letters, digits and dashes.") var name: String
    @Option(
      parsing: .unconditional,
      help: ArgumentHelp(
        "How long a device's certificate lasts: 90m, 24h, 7d; else as the server says.", valueName: "time"),
      transform: Span.init(typed:))
    var certificateLifetime: Span?
    @Option(
      help: ArgumentHelp("A further name in the certificate, dns:… or uri:…; up to 8 times.", valueName: "name"))
    var alternativeName: [String] = []
    @Option(
      help: ArgumentHelp(
        "What must vouch for the device's key: none, software, tpm, apple; at least what the server demands.",
        valueName: "evidence"),
      transform: Choice.read)
    var attestation: DeviceProfile.Attestation?
    @Option(
      help: ArgumentHelp(
        "A way to enroll: password, token; may be repeated. If left out: token; both for the profile default.",
        valueName: "way"),
      transform: Choice.read)
    var way: [DeviceProfile.Way] = []
    @Option(
      help: ArgumentHelp(
        "Who approves a new device: none; device, another device of the user or the operator; operator. (default: none)",
        valueName: "approver"),
      transform: Choice.read)
    var approval = DeviceProfile.Approval.none
    @Option(
      help: ArgumentHelp(
        "The authority that issues the certificates, one of serve's --named-ca; else the one of --ca.",
        valueName: "name"))
    var issuer: String?
    @Option(
      parsing: .unconditional,
      help: ArgumentHelp(
        "How long after its certificate's end a device still gets another, 0 for never; else as the server says.",
        valueName: "time"),
      transform: Span.init(typed:))
    var renewAfterExpiry: Span?
    @Option(
      help: ArgumentHelp(
        "Names that a device may ask for in its signing request: dns:NAME, dns:*.NAME, ip:ADDRESS, ip:ADDRESS/LENGTH, uri:URI, or a URI with * as its last segment; {user} is replaced. Repeatable.",
        valueName: "pattern"))
    var allowName: [String] = []
    @Flag(help: "Replace the profile if there is one of that name.") var replace = false
    @OptionGroup var options: OperatorOptions

    func run() async throws {
      var profile = DeviceProfile(name: name)
      profile.certificateLifetime = certificateLifetime?.seconds
      profile.alternativeNames = alternativeName
      profile.attestation = attestation
      // A user's password reaches other profiles by their EST labels, so that is said and not assumed.
      let usual = name == DeviceProfile.defaultName ? DeviceProfile.Way.allCases : [.token]
      profile.ways = Set(way.isEmpty ? usual : way)
      profile.approval = approval
      profile.issuer = issuer
      profile.renewalAfterExpiry = renewAfterExpiry?.seconds
      profile.requestedNames = allowName.isEmpty ? nil : allowName
      let defined = profile
      try await options.operating { operating in
        try await operating.addProfile(defined, replaces: replace)
        options.output.emit("Defined the profile \(name)", "defined", ["profile": .text(name)])
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the profiles.",
      discussion:
        "With --json: profile (profile, certificateLifetime, alternativeNames, attestation, ways, approval, issuer, renewAfterExpiry, requestedNames), done or error.",
      examples: ["latchkey-server profile list --json"],
      statuses: .storeRecord)

    @OptionGroup var options: OperatorOptions

    func run() async throws {
      try await options.operating { for profile in try await $0.profiles() { options.output.emit(profile) } }
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show a profile.",
      discussion:
        "With --json: profile (profile, certificateLifetime, alternativeNames, attestation, ways, approval, issuer, renewAfterExpiry, requestedNames), done or error.",
      examples: ["latchkey-server profile show default"],
      statuses: .storeRecord)

    @Argument(help: "The profile's name.") var name: String
    @OptionGroup var options: OperatorOptions

    func run() async throws {
      try await options.operating { options.output.emit(try await $0.profile(name)) }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Remove a profile that nothing has.",
      discussion: """
        It is refused while valid devices, unused tokens or waiting devices have the profile. The profile default becomes the \
        built-in one again. With --json: removed (profile), done or error.
        """,
      examples: ["latchkey-server profile remove sensor"],
      statuses: .storeRecord)

    @Argument(help: "The profile's name.") var name: String
    @OptionGroup var options: OperatorOptions

    func run() async throws {
      try await options.doing("Removed the profile \(name)", "removed", [("profile", .text(name))]) {
        try await $0.removeProfile(name)
      }
    }
  }
}

/// A word of a list.
private enum Choice {
  static func read<Value: RawRepresentable & CaseIterable>(_ text: String) throws -> Value
  where Value.RawValue == String {
    guard let value = Value(rawValue: text) else {
      throw ValidationError("it is one of \(Value.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return value
  }
}

extension EventOptions {
  fileprivate func emit(_ profile: DeviceProfile) {
    let lifetime = profile.certificateLifetime.map { "\(Span(seconds: $0))" }
    let ways = profile.ways.map(\.rawValue).sorted()
    let renewal = profile.renewalAfterExpiry.map { "\(Span(seconds: $0))" }
    let late = renewal.map { "  renewal after the end \($0)" } ?? ""
    let issuer = profile.issuer.map { "  issuer \($0)" } ?? ""
    let allowed = profile.requestedNames ?? []
    let requested = allowed.isEmpty ? "" : "  requested \(allowed.joined(separator: " "))"
    let names = profile.alternativeNames.isEmpty ? "" : "  names \(profile.alternativeNames.joined(separator: " "))"
    emit(
      """
      \(profile.name)  certificates \(lifetime ?? "as the server says")  by \(ways.joined(separator: ", "))  \
      attestation \(profile.attestation?.rawValue ?? "as the server says")  approval \(profile.approval.rawValue)\(issuer)\(late)\(names)\(requested)
      """, "profile",
      [
        "profile": .text(profile.name), "certificateLifetime": lifetime.map { .text($0) } ?? .null,
        "alternativeNames": .text(profile.alternativeNames.joined(separator: " ")),
        "attestation": profile.attestation.map { .text($0.rawValue) } ?? .null,
        "ways": .text(ways.joined(separator: " ")), "approval": .text(profile.approval.rawValue),
        "issuer": profile.issuer.map { .text($0) } ?? .null,
        "renewAfterExpiry": renewal.map { .text($0) } ?? .null,
        "requestedNames": .text(allowed.joined(separator: " ")),
      ])
  }
}
