import Configuration
import CoreFoundation
import Foundation
import LatchkeyByteCoding
import LatchkeyCommandLine

/// The configuration file (`--config`): a JSON object whose keys are the long options of `latchkey-server serve`.
///
///     {"listen": "0.0.0.0:8443", "tls-name": ["a.example.org", "b.example.org"], "require-attestation": true}
struct SettingsFile {
  /// The file's name as it was given.
  let path: String
  /// Its values, by key.
  let values: [AbsoluteConfigKey: ConfigValue]

  private static let limit = 64 * 1024

  /// Reads a file.
  ///
  /// - Parameter settings: the options that it may set.
  /// - Throws: `inputOutput` if it cannot be read, `notPermitted` if others could have written it or can read a secret in it, `badData`
  ///   for text that is not JSON, a key that is no option's, and a value of the wrong type.
  init(_ path: String, settings: [ServerSetting]) throws(CommandFailure) {
    self.path = path
    let (bytes, mode) = try Self.read(path)
    let json: JSONValue
    do throws(StrictJSONError) {
      json = try StrictJSON.read(bytes, within: .init(size: Self.limit, depth: 2, members: 256))
    } catch {
      throw CommandFailure(.badData, code: "badConfig", "\(path): \(error)")
    }
    guard case .object(let members) = json else {
      throw CommandFailure(
        .badData, code: "badConfig", "\(path) is not an object of JSON: {\"listen\": \"127.0.0.1:8443\"}")
    }
    let known = Dictionary(settings.flatMap { setting in setting.keys.map { ($0, setting) } }) { first, _ in first }
    var values: [AbsoluteConfigKey: ConfigValue] = [:]
    for (key, value) in members.sorted(by: { $0.key < $1.key }) {
      guard let setting = known[key] else { throw Self.unknown(key, path, known.keys) }
      guard values[setting.configurationKey] == nil else {
        throw CommandFailure(
          .badData, code: "badConfig", "\(path) has \(setting.keys.joined(separator: " and ")), which are one option")
      }
      let content = try Self.content(of: value, setting, path)
      let isSecret = Self.isSecret(content, setting)
      if isSecret, mode & 0o077 != 0 {
        throw CommandFailure(
          .notPermitted, code: "openFile",
          "\(path) is open to other users, and \(key) is a secret: chmod 600 \(path.shellQuoted), or name a file that contains it"
        )
      }
      values[setting.configurationKey] = ConfigValue(content, isSecret: isSecret)
    }
    self.values = values
  }

  /// The file, and its mode; of the one descriptor, whatever stands at the path by now.
  private static func read(_ path: String) throws(CommandFailure) -> ([UInt8], mode_t) {
    // Without waiting for the writer of a FIFO, which may never come.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw CommandFailure(.inputOutput, "--config \(path) cannot be read") }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var about = stat()
    guard fstat(file.fileDescriptor, &about) == 0, about.st_mode & S_IFMT == S_IFREG else {
      throw CommandFailure(.inputOutput, "--config \(path) is no file that can be read")
    }
    guard about.st_uid == geteuid() || about.st_uid == 0 else {
      throw CommandFailure(
        .notPermitted, code: "foreignFile",
        "\(path) belongs to another user, who may have put anything there: give one of your own, or of root's")
    }
    guard about.st_mode & 0o022 == 0 else {
      throw CommandFailure(
        .notPermitted, code: "openFile", "other users may write \(path): chmod go-w \(path.shellQuoted)")
    }
    do {
      // Nil for an empty file, which is no JSON.
      return (Array(try file.read(upToCount: limit + 1) ?? Data()), about.st_mode)
    } catch {
      throw CommandFailure(.inputOutput, "--config \(path) cannot be read")
    }
  }

  private static func content(
    of value: JSONValue, _ setting: ServerSetting, _ path: String
  ) throws(CommandFailure) -> ConfigContent {
    func wrong(_ wanted: String) -> CommandFailure {
      CommandFailure(.badData, code: "badConfig", "\(setting.key) in \(path) must be \(wanted)")
    }
    guard setting.takesValue else {
      guard case .boolean(let isOn) = value else { throw wrong("true or false") }
      return .bool(isOn)
    }
    func text(_ value: JSONValue) -> String? {
      switch value {
      case .string(let text): text
      // As it is written: 20000, and not a fraction in binary.
      case .number(let digits): digits
      default: nil
      }
    }
    guard setting.isRepeating else {
      guard let text = text(value) else { throw wrong("a string or a number") }
      return .string(text)
    }
    if let one = text(value) { return .stringArray([one]) }
    let all = value.array?.compactMap(text)
    guard let all, all.count == value.array?.count else { throw wrong("a string, or an array of strings") }
    return .stringArray(all)
  }

  private static func isSecret(_ content: ConfigContent, _ setting: ServerSetting) -> Bool {
    guard setting.maySecret else { return false }
    switch content {
    case .string(let text): return setting.shown(text) != text
    case .stringArray(let texts): return texts.contains { setting.shown($0) != $0 }
    default: return false
    }
  }

  private static func unknown(_ key: String, _ path: String, _ known: some Collection<String>) -> CommandFailure {
    let (dashed, key) = (key.replacingOccurrences(of: "_", with: "-").lowercased(), String(key.prefix(64)))
    let near = known.first { $0 == dashed || $0.replacingOccurrences(of: "-", with: "") == dashed }
    return CommandFailure(
      .badData, code: "unknownKey",
      "\(path) has the key \(JSONString.quote(key, escapes: .controls)), which is no option of latchkey-server serve: "
        + (near.map { "say \($0)" } ?? "latchkey-server serve --help lists them"))
  }
}

extension ServerSetting {
  /// The key by which swift-configuration knows it: its variable follows from this.
  var configurationKey: AbsoluteConfigKey { AbsoluteConfigKey(["latchkey", "server", key]) }

  /// A value as it may be shown: without a password or a secret.
  func shown(_ value: String) -> String {
    guard maySecret else { return value }
    guard key == "store" else { return value == "-" || value.hasPrefix("@") ? value : "***" }
    return StoreOptions.withoutPassword(value)
  }
}
