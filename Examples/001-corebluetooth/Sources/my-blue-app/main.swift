// The document's app in a terminal: shows its screens as lines, and takes taps as lines.

import Foundation
import MyBlueApp

/// Writes a line at once, to a pipe, too.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

let usage = """
  NUMBER       tap the row of that number
  back         the screen before
  disconnect   end the connection
  end          end the app (as the end of input does)
  On the screen of a characteristic:
  send [TEXT]  write TEXT, then read the value back (without TEXT: 无)
  read, subscribe, unsubscribe, descriptors
  """

let navigation = NavigationController(log: { say($0) }, show: { say($0) })
let program = CentralProgram(navigationController: navigation)
navigation.push(program)

/// Does what a line asks for; says what can be asked where it is nothing of that.
@MainActor func perform(_ line: String) {
  let words = line.split(separator: " ", maxSplits: 1).map(String.init)
  let screen = navigation.viewControllers.last
  let characteristic = screen as? CharacteristicHandleVC
  switch (words.first, characteristic) {
  case (nil, _): break
  case ("end", _): exit(0)
  case ("back", _): navigation.pop()
  case ("disconnect", _):
    guard let peripheral = navigation.viewControllers.compactMap({ $0 as? PeripheralVC }).first?.peripheral else {
      return say("not connected")
    }
    program.disconnect(peripheral)
  case ("send", let characteristic?):
    characteristic.msgTextField = words.count > 1 ? words[1] : ""
    characteristic.sendMsgBtnClicked()
  case ("read", let characteristic?): characteristic.read()
  case ("subscribe", let characteristic?): characteristic.subscribe(true)
  case ("unsubscribe", let characteristic?): characteristic.subscribe(false)
  case ("descriptors", let characteristic?): characteristic.readDescriptors()
  case (let word?, _):
    guard let screen, let row = Int(word), screen.rows.indices.contains(row) else { return say(usage) }
    screen.didSelectRow(at: row)
  }
}

Thread.detachNewThread {
  while let line = readLine() { DispatchQueue.main.async { perform(line) } }
  DispatchQueue.main.async { exit(0) }
}
dispatchMain()
