import Foundation
import LatchkeyCertificateAuthority
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore
import Logging
import MeterReadings

// A server for trials: authority and keys are made anew at each start, so its database is, too.
let folder = FileManager.default.temporaryDirectory.appending(path: "meter-server-\(UUID().uuidString)")
func serial() -> [UInt8] { [0x40] + (0..<15).map { _ in UInt8.random(in: .min ... .max) } }

do {
  let now = Date()
  let authority = try CertificateAuthority(name: "Meters", key: FileAuthorityKey(), now: now, serial: serial())
  let key = FileAuthorityKey()
  let certificate = try authority.issueServer(
    names: ["localhost"], publicKey: key.publicKey, serial: serial(), notBefore: now.addingTimeInterval(-3600),
    notAfter: now.addingTimeInterval(24 * 3600))
  let store = try SQLiteStore(path: folder.appending(path: "server.db").path, node: "meters")
  var configuration = ServerConfiguration(
    certificateChain: [certificate], privateKey: key.pkcs8, authority: authority, answerKey: FileAuthorityKey(),
    store: store, node: "meters", logger: Logger(label: "meter-server"))
  configuration.port = 8443
  configuration.services = [try MeterReadings()]
  let server = try EnrollmentServer(configuration)
  let password = String((0..<20).map { _ in "abcdefghijkmnpqrstuvwxyz23456789".randomElement() ?? "x" })
  try await Operator(store).addUser("demo", password: password)
  let root = folder.appending(path: "ca.pem")
  let text = Data(authority.chain[0]).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
  try Data("-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n".utf8).write(to: root)
  let secret = folder.appending(path: "password")
  try Data(password.utf8).write(to: secret)
  try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secret.path)
  let advice = """
    Listening on https://localhost:8443. Try next, in another terminal:

      latchkey enroll https://localhost:8443 --user demo --password @\(secret.path) --ca \(root.path)
      latchkey request POST https://localhost:8443/v1/readings -d '{"liters":48213}' \\
          -H 'Content-Type: application/json' --idempotency-key reading-of-june --cacert \(root.path)
    """
  // At once, also where a program reads it.
  FileHandle.standardOutput.write(Data("\(advice)\n".utf8))
  try await server.run()
} catch {
  FileHandle.standardError.write(Data("meter-server: \(error)\n".utf8))
  exit(69)
}
