// The strap's screen in a terminal: a line for each change. `energy` resets the energy, `retry` tries again, `end` and the end of the
// input end the workout with its summary.

import ExampleTerminal
import Foundation
import StrapApp

expectArguments(CommandLine.arguments.count == 1, usage: "strap")
expectRadio()

let app = StrapApp(onChange: { say($0) })
app.start()
reading: while true {
  switch inputLine() {
  case .end: break reading
  case .notUTF8: say("the line is not UTF-8, and was not done")
  case .text(let line):
    switch line.trimmingCharacters(in: .whitespaces) {
    case "": break
    case "energy": app.resetEnergy()
    case "retry": app.retry()
    case "end": break reading
    default: say("energy, retry or end")
    }
  }
}
app.stop()
