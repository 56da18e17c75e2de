// The document's app in a terminal: asks for a network's name and password, and brings them to the device.
//
//   provisioning-app NAME     NAME is the device's, as it advertises itself

import CoreBluetooth
import EncryptedProvisioning
import ExampleTerminal
import Foundation
import LatchkeyKeychainModel
import LatchkeyKeychainStore
import LatchkeyProvisioning

/// Waits for the radio, before anything is asked.
final class RadioWatch: NSObject, CBCentralManagerDelegate {
  private let isOn = DispatchSemaphore(value: 0)

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    guard central.state == .poweredOn else { failWithoutRadio() }
    central.delegate = nil
    isOn.signal()
  }

  func wait() { isOn.wait() }
}

/// A line of standard input, which has to have one.
func ask(_ what: String) -> String {
  say("\(what):")
  switch inputLine() {
  case .text(let line): return line
  case .notUTF8: fail("the \(what) is not UTF-8: nothing was sent", 65)
  case .end: fail("the input has ended before the \(what): nothing was sent", 65)
  }
}

/// The same, not shown while it is typed, where standard input is a terminal; ^C ends the program.
func askInSecret(_ what: String) -> String {
  guard isatty(STDIN_FILENO) == 1 else { return ask(what) }
  let question = PresenceQuestion(.service("\(what):", isSecret: true), reason: "")
  do {
    guard
      let text = String(
        validating: try TerminalPrompter().answer(question, cancellation: Cancellation()), as: UTF8.self)
    else { fail("the \(what) is not UTF-8: nothing was sent", 65) }
    return text
  } catch .userCancel {
    fail("canceled: nothing was sent", 130)
  } catch {
    fail("\(error)", 65)
  }
}

/// What is to be sent; ends the program where it does not fit.
func credentials(ssid: String, password: String) -> LegacyWiFiCredentials {
  do {
    return try LegacyWiFiCredentials(ssid: ssid, password: password)
  } catch {
    switch error {
    case .ssidLength(let count): fail("the network's name has 1 to 32 bytes, not \(count)", 65)
    case .passwordLength(let count): fail("the password has 128 bytes at most, not \(count)", 65)
    case .embeddedNUL: fail("neither the network's name nor the password may hold a zero character", 65)
    case .notCredentials: fail("these are no credentials", 65)
    }
  }
}

expectArguments(
  CommandLine.arguments.count == 2 && CommandLine.arguments[1] != "", usage: "provisioning-app NAME-OF-THE-DEVICE")
let name = deviceName(argument: 1)
expectRadio()
let watch = RadioWatch()
let watched = CBCentralManager(delegate: watch, queue: DispatchQueue(label: "radio"))
watch.wait()
let ssid = ask("network")
// A name that does not fit is refused before the password is typed.
_ = credentials(ssid: ssid, password: "")
let message = credentials(ssid: ssid, password: askInSecret("password")).json
let app = ProvisioningApp(
  name: name, message: message, log: { say($0) },
  end: { result in
    switch result {
    case .answered(let text):
      say("the device answers \(String(reflecting: text))")
      exit(0)
    case .noRadio: failWithoutRadio()
    case .failed(let reason): fail(reason, 1)
    }
  })
withExtendedLifetime((app, watched)) { dispatchMain() }
