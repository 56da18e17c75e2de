import ExampleTerminal
import Foundation
import MeterReadings

let port = CommandLine.arguments.count < 2 ? 8443 : UInt16(CommandLine.arguments[1]).map { Int($0) }
expectArguments(
  CommandLine.arguments.count <= 2 && port != nil, usage: "meter-server [PORT]   (8443 if left out, 0 for a free one)")

do {
  let trial = try await TrialServer(port: port ?? 0)
  let root = trial.folder.appending(path: "ca.pem")
  let text = Data(trial.root).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
  try Data("-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n".utf8).write(to: root)
  let secret = try trial.writePassword()
  async let end: Void = trial.server.run()
  let url = "https://localhost:\(try await trial.server.port)"
  say(
    """
    Listening on \(url). Try next, in another terminal:

      latchkey enroll \(url) --user demo --password @\(secret.path) --ca \(root.path)
      latchkey request POST \(url)/v1/readings -d '{"liters":48213}' \\
          -H 'Content-Type: application/json' --idempotency-key reading-of-june-2026
    """)
  try await end
} catch {
  fail("\(error)", 69)
}
