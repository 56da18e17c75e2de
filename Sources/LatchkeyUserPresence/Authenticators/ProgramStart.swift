import Glibc

/// Starts a program like `posix_spawn`, and retries for a tenth of a second while its file is open for writing (`ETXTBSY`): a
/// process that has just written it and forks passes its descriptor on for a moment.
enum ProgramStart {
  static func spawn(
    _ process: inout pid_t, _ path: String, _ actions: inout posix_spawn_file_actions_t,
    _ attributes: inout posix_spawnattr_t, _ words: [UnsafeMutablePointer<CChar>?],
    _ environment: [String: String]
  ) -> CInt {
    let variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for variable in variables { free(variable) } }
    var code: CInt = 0
    for _ in 0..<attempts {
      code = posix_spawn(&process, path, &actions, &attributes, words, variables)
      if code != ETXTBSY { return code }
      usleep(pause)
    }
    return code
  }

  private static let attempts = 50
  /// The pause between attempts, in microseconds.
  private static let pause: UInt32 = 2000
}
