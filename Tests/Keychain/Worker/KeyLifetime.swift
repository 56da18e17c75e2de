import Glibc
import LatchkeyKeychainModel
import LatchkeyKeychainStore

/// Runs the commands on its standard input, a line each, and reports the end of each; it lives on until its input ends.
///
/// `set V`, `change V W`, `remove V`, `rotate V`, `die V` (is killed while it rotates) with versions of the passcode (0: none), `add N V`, `update N V`,
/// `root V` (a new root key), `end N` (is killed at the step of this number, of the next change of keys), `reopen`,
/// `fork` (done with 0 if a child that uses the keychain is refused), `delete N`, `bind N V` (adds an item that goes
/// with the passcode), `strike` (waits for what is done later, done with its delay in milliseconds), `unlock V`, `find N` (done with the version found), `count`: done with how many items it reads.
struct KeyLifetime {
  private var database: KeychainDatabase
  private let caller: Entitlements
  private let open: () throws -> KeychainDatabase

  init(caller: Entitlements, open: @escaping () throws -> KeychainDatabase) throws {
    self.caller = caller
    self.open = open
    database = try open()
  }

  mutating func run() throws {
    WorkerLine.ready.write()
    while let line = readLine() {
      let words = line.split(separator: " ")
      let numbers = words.dropFirst().compactMap { Int($0) }
      WorkerLine.done(try perform(String(words.first ?? ""), numbers)).write()
    }
    database.close()
  }

  /// Ends with 0 in a child whose every call is refused for what it is, and that neither waits nor ends the parent's keychain.
  private func answerOfChild() throws -> Int {
    guard let symbol = dlsym(nil, "fork") else { return 90 }
    let fork = unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
    let child = fork()
    if child == 0 {
      func isRefused(_ body: () throws -> some Any) -> Bool {
        do { _ = try body() } catch StoreError.configuration(let text) { return text.contains("fork") } catch {}
        return false
      }
      guard isRefused({ try database.status() }), isRefused({ try TortureItem.all(in: database, as: caller) }),
        isRefused({ try database.add(TortureItem.new(9, version: 1), as: caller) }),
        isRefused({ try database.rotateKeys(passcode: nil) }), isRefused({ try database.verify() })
      else { _exit(1) }
      database.close()
      _exit(0)
    }
    var status: CInt = 0
    waitpid(child, &status, 0)
    return Int(status)
  }

  private func passcode(_ version: Int) -> [UInt8]? {
    version == 0 ? nil : EndlessPasscodes.passcode(version)
  }

  private mutating func perform(_ verb: String, _ numbers: [Int]) throws -> Int {
    func number(_ index: Int) -> Int { index < numbers.count ? numbers[index] : 0 }
    switch verb {
    case "set": try database.setPasscode(EndlessPasscodes.passcode(number(0)), current: nil)
    case "change": try database.setPasscode(EndlessPasscodes.passcode(number(1)), current: passcode(number(0)))
    case "remove": try database.removePasscode(current: EndlessPasscodes.passcode(number(0)))
    case "rotate": try database.rotateKeys(passcode: passcode(number(0)))
    case "root": try database.rotateRootKey(passcode: passcode(number(0)))
    case "end": LastStep.set(RotationStep.allCases[number(0)])
    case "reopen":
      database.close()
      database = try open()
    case "die":
      // In the midst of the transaction, with half of the rows written.
      try database.rotateKeys(passcode: passcode(number(0))) { _ in kill(getpid(), SIGKILL) }
    case "unlock": try database.unlock(passcode: EndlessPasscodes.passcode(number(0)))
    case "add": try database.add(TortureItem.new(number(0), version: number(1)), as: caller)
    case "bind":
      try database.add(
        TortureItem.new(number(0), version: number(1), accessibility: .whenPasscodeSetThisDeviceOnly), as: caller)
    case "strike": return Strikes.next() ?? -1
    case "update":
      try database.update(
        TortureItem.query(number(0)), with: TortureItem.changes(number(0), version: number(1)), as: caller)
    case "delete": try database.delete(TortureItem.query(number(0)), as: caller)
    case "find":
      let found = try database.find(TortureItem.query(number(0), wantsData: true), as: caller)
      return try found.first.map { try TortureItem.read($0).version } ?? 0
    case "count": return try TortureItem.all(in: database, as: caller).count
    case "fork": return try answerOfChild()
    default: throw WorkerArguments.Usage(description: "no such verb: \(verb)")
    }
    return 0
  }
}
