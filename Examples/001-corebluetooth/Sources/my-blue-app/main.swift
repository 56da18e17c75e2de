// The document's app in a terminal: shows its screens as lines, and takes taps as lines.

import CoreBluetooth
import ExampleTerminal
import Foundation
import MyBlueApp

expectArguments(CommandLine.arguments.count == 1, usage: "my-blue-app")
expectRadio()

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

@MainActor enum Keyboard {
  /// Does what a line asks for; says what can be asked where it is nothing of that.
  static func perform(_ input: InputLine) {
    guard case .text(let line) = input else { return say("the line is not UTF-8, and was not done") }
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
}

/// Waits for the radio. The document's code logs the state and waits; a radio that is lost is sought again, one that never was is
/// an error.
@MainActor final class RadioWatch: NSObject, @preconcurrency CBCentralManagerDelegate {
  private var ready: (() -> Void)?

  init(ready: @escaping () -> Void) { self.ready = ready }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    guard let ready else { return }
    guard central.state == .poweredOn else { failWithoutRadio() }
    self.ready = nil
    ready()
  }
}

let watch = RadioWatch {
  Thread.detachNewThread {
    while true {
      let input = inputLine()
      if case .end = input { break }
      DispatchQueue.main.async { Keyboard.perform(input) }
    }
    DispatchQueue.main.async { exit(0) }
  }
}
let watched = CBCentralManager(delegate: watch, queue: nil)
withExtendedLifetime((watch, watched)) { dispatchMain() }
