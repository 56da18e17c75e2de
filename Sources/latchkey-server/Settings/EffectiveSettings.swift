import Configuration
import LatchkeyCommandLine

/// The settings of a command from the command line, the environment and the configuration file, in this order; what none of them sets
/// has its default.
struct EffectiveSettings {
  enum Origin: Hashable, CustomStringConvertible {
    case commandLine
    case variable(String)
    case file(String)
    case standard

    var description: String {
      switch self {
      case .commandLine: "command line"
      case .variable(let name): name
      case .file(let path): path
      case .standard: "default"
      }
    }
  }

  struct Entry {
    let setting: ServerSetting
    /// As a user types them; of a flag `true` or `false`; none without a default.
    let values: [String]
    let origin: Origin

    /// The words of a command line that say so.
    var words: [String] {
      guard !setting.takesValue else { return values.map { "\(setting.option)=\($0)" } }
      if values == ["true"] { return [setting.option] }
      return setting.negation.map { [$0] } ?? []
    }

    /// What a message says of it.
    var place: String {
      switch origin {
      case .variable(let name): name
      case .file(let path): "\(setting.key) in \(path)"
      case .commandLine, .standard: setting.option
      }
    }
  }

  let entries: [Entry]
  /// The command line with all that the environment and the file add.
  let words: [String]
  /// The environment's variables with the program's prefix that no option has.
  let unknownVariables: [String]

  /// Those that the environment and the file add.
  var added: [Entry] { Self.added(entries) }

  private static func added(_ entries: [Entry]) -> [Entry] {
    entries.filter {
      switch $0.origin {
      case .variable, .file: true
      case .commandLine, .standard: false
      }
    }
  }

  /// Reads the file, and finds the origin of each setting.
  ///
  /// - Parameters:
  ///   - words: the command line without the program.
  ///   - environment: the variables.
  /// - Throws: what is wrong with the file or a variable, which the message names.
  init(_ words: [String], environment: [String: String]) throws(CommandFailure) {
    let variables = environment.filter { $0.key.hasPrefix(ServerSetting.variablePrefix) && !$0.value.isEmpty }
    guard let call = CommandCall(words, isConfigured: !variables.isEmpty || Self.config(in: words) != nil) else {
      (entries, unknownVariables, self.words) = ([], [], words)
      return
    }
    let serving = ServerSetting.all(of: .of(ServeCommand.self))
    let given = CommandLineValues(call.words, call.settings)
    var sources: [(provider: any ConfigProvider, origin: (ServerSetting) -> Origin)] = [
      (EnvironmentVariablesProvider(environmentVariables: variables), { .variable($0.variable) })
    ]
    if let path = Self.config(in: call.words) ?? variables[ServerSetting.variablePrefix + "CONFIG"] {
      let file = try SettingsFile(path, settings: serving)
      sources.append((InMemoryProvider(name: path, values: file.values), { _ in .file(path) }))
    }
    var entries: [Entry] = []
    for setting in call.settings {
      entries.append(try Self.entry(setting, given: given.values[setting.key], sources))
    }
    self.entries = entries
    let known = Set(serving.map(\.variable) + ["CONFIG"].map { ServerSetting.variablePrefix + $0 })
    unknownVariables = variables.keys.filter { !known.contains($0) }.sorted()
    self.words = call.path + Self.added(entries).flatMap(\.words) + call.words
  }

  private static func entry(
    _ setting: ServerSetting, given: [String]?,
    _ sources: [(provider: any ConfigProvider, origin: (ServerSetting) -> Origin)]
  ) throws(CommandFailure) -> Entry {
    if let given { return Entry(setting: setting, values: given, origin: .commandLine) }
    let type: ConfigType = !setting.takesValue ? .bool : setting.isRepeating ? .stringArray : .string
    for source in sources {
      let found: ConfigValue?
      do {
        found = try source.provider.value(forKey: setting.configurationKey, type: type).value
      } catch {
        // The file's types were checked before; of a variable only a truth value can be wrong.
        throw CommandFailure(.usage, code: "badVariable", "\(setting.variable) must be true or false")
      }
      guard let found else { continue }
      let values: [String] =
        switch found.content {
        case .bool(let isOn): ["\(isOn)"]
        case .stringArray(let texts): texts
        case .string(let text): [text]
        default: []
        }
      return Entry(setting: setting, values: values, origin: source.origin(setting))
    }
    return Entry(setting: setting, values: setting.standard.map { [$0] } ?? [], origin: .standard)
  }

  /// The configuration file that a command line names.
  private static func config(in words: [String]) -> String? {
    var last: String?
    var words = words.prefix { $0 != "--" }[...]
    while let word = words.popFirst() {
      if word == "--config" { last = words.popFirst() ?? last }
      if word.hasPrefix("--config=") { last = String(word.dropFirst("--config=".count)) }
    }
    return last
  }
}

/// Which command a command line calls, and which settings count for it.
private struct CommandCall {
  /// The words that name the command.
  let path: [String]
  /// The words behind.
  let words: [String]
  /// All of `serve`; of other commands those that say which store they work on.
  let settings: [ServerSetting]

  /// - Parameter isConfigured: whether there is anything beside the command line.
  init?(_ words: [String], isConfigured: Bool) {
    // Without a command it is `serve`.
    if words.first == "serve" || words.first?.hasPrefix("-") ?? true {
      path = ["serve"]
      self.words = words.first == "serve" ? Array(words.dropFirst()) : words
      settings = ServerSetting.all(of: .of(ServeCommand.self))
      return
    }
    guard isConfigured else { return nil }
    var command = DumpedCommand.of(LatchkeyServer.self)
    var path: [String] = []
    for word in words {
      guard let next = command.subcommands?.first(where: { $0.commandName == word }) else { break }
      command = next
      path.append(word)
    }
    let shared = Set(ServerSetting.all(of: .of(StoreOptions.self)).map(\.key))
    let settings = ServerSetting.all(of: command).filter { shared.contains($0.key) }
    guard !settings.isEmpty else { return nil }
    self.path = path
    self.words = Array(words.dropFirst(path.count))
    self.settings = settings
  }
}

/// What a command line says itself.
private struct CommandLineValues {
  private(set) var values: [String: [String]] = [:]

  init(_ words: [String], _ settings: [ServerSetting]) {
    let named = Dictionary(settings.flatMap { setting in setting.names.map { ($0, setting) } }) { first, _ in first }
    var words = words.prefix { $0 != "--" }[...]
    while let word = words.popFirst() {
      guard word.hasPrefix("-") else { continue }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard let setting = named[parts[0]] else { continue }
      var value = setting.takesValue ? "" : "\(parts[0] != setting.negation)"
      if parts.count == 2 {
        value = parts[1]
      } else if setting.takesValue, let next = words.first, setting.takesAnyWord || !next.hasPrefix("-") || next == "-"
      {
        value = next
        words.removeFirst()
      }
      values[setting.key] = setting.isRepeating ? values[setting.key, default: []] + [value] : [value]
    }
  }
}
