import Dispatch
import Glibc
import LatchkeyKeychainModel
import LatchkeyKeychainStore
import LatchkeyProcessEnvironment

/// A user's program: it names no file and no access group, and gets the keychain and the groups that its environment says.
///
/// - `program add ACCOUNT [GROUP]`: adds a password whose secret is the account.
/// - `program guard ACCOUNT FLAG`: adds the same, guarded by biometryAny, biometryCurrentSet or userPresence.
/// - `program list [GROUP]`: writes the secrets of all that it finds, a line each, in order.
/// - `program passcode TEXT`: sets the first passcode.
/// - `program ask`: asks at the terminal; a handler of its own ends it with 143 at SIGTERM.
/// - `program path`: writes where its keychain is, and waits for a line.
/// - `program variables`: writes the names of the environment's variables that count for it, and how many programs get that
///   it starts.
struct Program {
  let words: [String]

  /// The command in `arguments` if it is one of these.
  init?(_ arguments: some Sequence<String>) {
    let words = Array(arguments)
    guard words.first == "program" else { return nil }
    self.words = Array(words.dropFirst())
  }

  /// Runs it, and ends the process: with 1 and the error's text if it fails.
  func run() -> Never {
    if words == ["variables"] {
      for name in Environment.variables.keys.sorted() { print(name) }
      print(Environment.forPrograms.count)
      exit(0)
    }
    do {
      if words == ["ask"] {
        try ask()
        exit(0)
      }
      try perform(KeychainSession.current())
    } catch {
      print("error: \(error)")
      exit(1)
    }
    exit(0)
  }

  private func ask() throws {
    let source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
    source.setEventHandler { exit(143) }
    source.activate()
    let question = PresenceQuestion(.service("Secret: ", isSecret: true), reason: "")
    let answer = try TerminalPrompter().answer(question, cancellation: Cancellation())
    source.cancel()
    print(answer.count)
  }

  private func perform(_ session: KeychainSession) throws {
    switch (words.first, words.count) {
    case ("add", 2...3):
      let item = NewItem(
        .genericPassword, attributes: [.account: .text(words[1])], accessGroup: words.count == 3 ? words[2] : nil,
        data: Array(words[1].utf8))
      try session.store.add(item, as: session.entitlements)
    case ("guard", 3):
      let flags: [String: AccessControl.Flags] = [
        "biometryAny": .biometryAny, "biometryCurrentSet": .biometryCurrentSet, "userPresence": .userPresence,
      ]
      guard let flag = flags[words[2]] else { throw StoreError.configuration("no such flag") }
      var item = NewItem(
        .genericPassword, attributes: [.account: .text(words[1])], data: Array(words[1].utf8))
      item.accessControl = AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: flag)
      try session.store.add(item, as: session.entitlements)
    case ("passcode", 2):
      try (session.store as? KeychainDatabase)?.setPasscode(Array(words[1].utf8), current: nil)
    case ("list", 1...2):
      let query = ItemQuery(
        .genericPassword, accessGroup: words.count == 2 ? words[1] : nil, limit: nil, wantsData: true)
      for item in try session.store.find(query, as: session.entitlements) {
        print(String(decoding: item.data ?? [], as: UTF8.self))
      }
    case ("path", 1):
      print((session.store as? KeychainDatabase)?.path ?? "")
      fflush(nil)
      _ = readLine()
    default: throw StoreError.configuration("no such command")
    }
  }
}
