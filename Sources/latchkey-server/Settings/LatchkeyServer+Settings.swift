import ArgumentParser
import LatchkeyCommandLine

extension LatchkeyServer {
  /// The command of a command line, with what the environment and the configuration file add.
  ///
  /// - Throws: the parser's error; `CommandFailure` where the file or a variable is wrong.
  static func configured(_ words: [String], environment: [String: String]) throws -> any ParsableCommand {
    do {
      let command = try parseAsRoot(words)
      // The command `help`, which ends with its text when it runs: it must not need a file that can be read.
      guard !"\(type(of: command))".contains("HelpCommand") else { return command }
    } catch  where exitCode(for: error) == .success {
      throw error
    } catch {
      // What is missing may stand in the file.
    }
    let settings = try EffectiveSettings(words, environment: environment)
    do {
      return try parseAsRoot(settings.words)
    } catch  where exitCode(for: error) == .success || settings.added.isEmpty {
      throw error
    } catch {
      let places = Self.places(of: message(for: error), settings)
      guard !places.isEmpty else { throw error }
      throw CommandFailure(
        .usage, code: "badSetting", "\(message(for: error)) (set by \(places.joined(separator: ", ")))")
    }
  }

  /// Where the settings come from that an error is about.
  private static func places(of message: String, _ settings: EffectiveSettings) -> [String] {
    let named = settings.added.filter { message.contains($0.setting.option) && $0.isNamed(in: message) }
    guard named.isEmpty else { return named.map(\.place) }
    // The error names no option: it is about one without which there is none.
    return settings.added.filter { entry in
      let others = settings.words.filter { !entry.words.contains($0) }
      do { _ = try parseAsRoot(others) } catch { return exitCode(for: error) == .success }
      return true
    }.map(\.place)
  }
}

extension EffectiveSettings.Entry {
  /// Whether a message has the option's whole name: not that of `--ca-key` for `--ca`.
  fileprivate func isNamed(in message: String) -> Bool {
    message.split { !$0.isLetter && !$0.isNumber && $0 != "-" }.contains { $0 == setting.option }
  }
}
