import Glibc
import LatchkeyKeychainModel
import LatchkeyKeychainStore

/// The commands.
///
/// - `mixed LANE SEED COUNT KEYS`: waits for a line, opens, then adds, updates, deletes and finds at random over few keys.
/// - `write-forever SEED KEYS`: adds, updates and deletes until it is killed.
/// - `passcode-forever VERSION`: sets, changes and removes the passcode until it is killed; VERSION is that of the passcode
///   in force, 0 for none.
/// - `create KEY`: opens, and adds one item.
/// - `lifetime`: runs commands, a line each (``KeyLifetime``).
/// - `salvage STEP`: salvages, and kills itself after the step of this number.
/// - `hold`: opens, waits for a line, ends: a process that has the file open.
struct Worker {
  let arguments: WorkerArguments

  init(_ arguments: WorkerArguments) { self.arguments = arguments }

  func run() throws {
    switch arguments.command {
    case "mixed":
      let numbers = try arguments.take(4)
      WorkerLine.ready.write()
      _ = readLine()
      let calls = MixedCalls(
        lane: numbers[0], keys: numbers[3], caller: arguments.entitlements, database: try open(),
        chance: Chance(seed: UInt64(numbers[1])))
      WorkerLine.write(try calls.make(numbers[2]))
    case "write-forever":
      let numbers = try arguments.take(2)
      var changes = try EndlessChanges(
        database: open(), caller: arguments.entitlements, keys: numbers[1], seed: UInt64(numbers[0]))
      while true { try changes.makeOne() }
    case "passcode-forever":
      let version = try arguments.take(1)[0]
      var passcodes = EndlessPasscodes(
        database: try open(), caller: arguments.entitlements, version: version)
      while true { try passcodes.makeOne() }
    case "create":
      let key = try arguments.take(1)[0]
      WorkerLine.begin(0, [:]).write()
      let database = try open()
      WorkerLine.done(0).write()
      WorkerLine.begin(1, [key: 1]).write()
      try database.add(TortureItem.new(key, version: 1), as: arguments.entitlements)
      WorkerLine.done(1).write()
    case "salvage":
      let step = SalvageStep.allCases[try arguments.take(1)[0]]
      var configuration = configuration()
      configuration.salvageStep = { if $0 == step { kill(getpid(), SIGKILL) } }
      _ = try KeychainDatabase.salvage(configuration)
    case "hold":
      let database = try open()
      WorkerLine.ready.write()
      _ = readLine()
      database.close()
    case "lifetime":
      var lifetime = try KeyLifetime(caller: arguments.entitlements, open: open)
      try lifetime.run()
    default: throw WorkerArguments.Usage(description: "no command \(arguments.command)")
    }
    WorkerLine.finished.write()
  }

  private func configuration() -> KeychainDatabase.Configuration {
    var configuration = KeychainDatabase.Configuration(path: arguments.path)
    configuration.scryptRounds = arguments.rounds
    configuration.presence.biometry = [SomebodyThere()]
    configuration.counter = arguments.counter.map { FileCounter($0) }
    configuration.rotationStep = { step in LastStep.reach(step) }
    configuration.later = { [later = configuration.later] seconds, body in
      later(seconds) {
        body()
        Strikes.note(seconds)
      }
    }
    return configuration
  }

  private func open() throws -> KeychainDatabase {
    let database = try KeychainDatabase(configuration())
    if let file = arguments.passcodeFile {
      guard let text = readText(file) else { throw WorkerArguments.Usage(description: "\(file) cannot be read") }
      try database.unlock(passcode: Array(text.utf8))
    }
    return database
  }

  private func readText(_ path: String) -> String? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = fread(&buffer, 1, buffer.count, file)
    return String(decoding: buffer.prefix(count), as: UTF8.self)
  }
}
