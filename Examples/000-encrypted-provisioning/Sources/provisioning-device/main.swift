// A device for the document's app, in a terminal: both services, and an answer to each network that it is given.
//
//   provisioning-device [NAME]     NAME is what it advertises, MyDevice if left out

import Foundation
import Provisioning

/// Writes a line at once, to a pipe, too.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

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
  say("failed: \(error)")
  exit(1)
}
