// The document's device in a terminal: writes what the document logs, until it is ended.

import Foundation
import MyBlueDevice

/// Writes a line at once, to a pipe, too.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

let program = PeripheralProgram { say($0) }
withExtendedLifetime(program) { dispatchMain() }
