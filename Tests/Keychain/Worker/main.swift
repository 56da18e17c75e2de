// A process beside the tests, at work on a keychain of theirs: its arguments name its work, and it reports the results
// on its standard output, a line each (WorkerLine). Without work it reports that and ends with 64.

import Glibc
import LatchkeyKeychainModel

if let program = Program(CommandLine.arguments.dropFirst()) { program.run() }

do {
  try Worker(WorkerArguments(CommandLine.arguments.dropFirst())).run()
} catch let error as WorkerArguments.Usage {
  WorkerLine.error(error.description).write()
  exit(64)
} catch {
  WorkerLine.error("\(error)").write()
  exit(1)
}
