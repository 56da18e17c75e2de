// The document's device in a terminal: writes what the document logs, until it is ended.

import Foundation
import MyBlueDevice

/// Writes a line at once, to a pipe, too.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

func fail(_ text: String, _ status: Int32) -> Never {
  FileHandle.standardError.write(Data("my-blue-device: \(text)\n".utf8))
  exit(status)
}

let noRadio = """
  there is no Bluetooth radio to use: start one by `latchkey radio --listen unix-server:/tmp/radio`, and set \
  LATCHKEY_HCI=unix-client:/tmp/radio for this program and the app's
  """

guard CommandLine.arguments.count == 1 else {
  FileHandle.standardError.write(Data("usage: my-blue-device\n".utf8))
  exit(64)
}
// Without a name the radio would be this process's own, and nobody else there.
guard ProcessInfo.processInfo.environment["LATCHKEY_HCI"] ?? "" != "" else { fail(noRadio, 69) }

// The document's code logs the state and waits. A radio that is lost is sought again; one that never was is an error.
var wasOn = false
let program = PeripheralProgram { line in
  say(line)
  if line.hasPrefix("设备已打开") { wasOn = true }
  if line.hasPrefix("异常状态"), !wasOn { fail(noRadio, 69) }
}
withExtendedLifetime(program) { dispatchMain() }
