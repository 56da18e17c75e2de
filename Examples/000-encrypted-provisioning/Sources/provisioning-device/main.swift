// A device for the document's app, in a terminal: both services, and an answer to each network that it is given.
//
//   provisioning-device [NAME]     NAME is what it advertises, MyDevice if left out

import ExampleTerminal
import Foundation
import LatchkeyProvisioning

expectArguments(
  CommandLine.arguments.count <= 2 && CommandLine.arguments.last != "", usage: "provisioning-device [NAME]")
let name = CommandLine.arguments.count == 2 ? deviceName(argument: 1) : "MyDevice"
expectRadio()
var options = LegacyDeviceOptions()
// The document's device has both services. One that is meant to be used leaves F100 out.
options.allowsPlainService = true
let device = LegacyUnauthenticatedDevice(name: name, options: options) { request in
  guard let credentials = try? request.credentials() else { return [.code(.refused)] }
  say("asked by \(request.service.rawValue) to join \(String(reflecting: credentials.ssid))")
  return [.code(.accepted)]
}
let events = Task {
  for await event in device.events where event == .advertising { say("advertising \(name)") }
}
do {
  try await device.run()
} catch {
  switch error {
  case .radioUnavailable: failWithoutRadio()
  case .serviceRefused(let service, let reason): fail("the service \(service.rawValue) is refused: \(reason)", 1)
  case .advertisingFailed(let reason): fail("\(name) cannot be advertised: \(reason)", 1)
  }
}
