// How the examples' programs write lines, and end: by the statuses of sysexits(3).

import Foundation

/// Writes a line at once, to a pipe, too. Where standard output cannot be written, the program ends with 74.
public func say(_ line: String) {
  do {
    try FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
  } catch {
    fail("standard output cannot be written", 74)
  }
}

/// Says on standard error, under the program's name, what is wrong and what helps, and ends the program.
public func fail(_ text: String, _ status: Int32) -> Never {
  complain("\(ProcessInfo.processInfo.processName): \(text)")
  exit(status)
}

/// Unless the arguments are as they should, tells how the program is called, and ends it with 64.
public func expectArguments(_ areRight: Bool, usage: String) {
  guard !areRight else { return }
  complain("usage: \(usage)")
  exit(64)
}

/// If standard error cannot be written, the status alone tells.
private func complain(_ line: String) {
  try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
}
