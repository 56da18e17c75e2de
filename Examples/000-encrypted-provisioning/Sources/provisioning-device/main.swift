// A device for the document's app, in a terminal: both services, and an answer to each network that it is given.
//
//   provisioning-device [NAME]     NAME is what it advertises, MyDevice if left out

import Foundation
import Provisioning

/// Writes a line at once, to a pipe, too.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

func fail(_ text: String, _ status: Int32) -> Never {
  FileHandle.standardError.write(Data("provisioning-device: \(text)\n".utf8))
  exit(status)
}

let noRadio = """
  there is no Bluetooth radio to use: start one by `latchkey radio --listen unix-server:/tmp/radio`, and set \
  LATCHKEY_HCI=unix-client:/tmp/radio for this program and the app's
  """

guard CommandLine.arguments.count <= 2, CommandLine.arguments.last != "" else {
  FileHandle.standardError.write(Data("usage: provisioning-device [NAME]\n".utf8))
  exit(64)
}
// Without a name the radio would be this process's own, and nobody else there.
guard ProcessInfo.processInfo.environment["LATCHKEY_HCI"] ?? "" != "" else { fail(noRadio, 69) }
var options = LegacyDeviceOptions()
// The document's device has both services. One that is meant to be used leaves F100 out.
options.allowsPlainService = true
let name = CommandLine.arguments.dropFirst().first ?? "MyDevice"
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
  case .radioUnavailable: fail(noRadio, 69)
  case .serviceRefused(let service, let reason): fail("the service \(service.rawValue) is refused: \(reason)", 1)
  case .advertisingFailed(let reason): fail("\(name) cannot be advertised: \(reason)", 1)
  }
}
