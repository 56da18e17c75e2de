// The document's device in a terminal: writes what the document logs, until it is ended.

import ExampleTerminal
import Foundation
import MyBlueDevice

expectArguments(CommandLine.arguments.count == 1, usage: "my-blue-device")
expectRadio()

// The document's code logs the state and waits. A radio that is lost is sought again; one that never was is an error.
var wasOn = false
let program = PeripheralProgram { line in
  say(line)
  if line.hasPrefix("设备已打开") { wasOn = true }
  if line.hasPrefix("异常状态"), !wasOn { failWithoutRadio() }
}
withExtendedLifetime(program) { dispatchMain() }
