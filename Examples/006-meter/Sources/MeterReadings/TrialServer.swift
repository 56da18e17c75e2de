import Foundation
import LatchkeyCertificateAuthority
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore
import Logging

/// A server for trials: authority and keys are made anew for each, so its database is, too, in a folder of its own.
public struct TrialServer: Sendable {
  /// The server; it does not listen yet.
  public let server: EnrollmentServer
  /// Who vouches for the server: DER.
  public let root: [UInt8]
  /// The password of the user `demo`. A secret.
  public let password: String
  /// Where the database is.
  public let folder: URL

  /// Makes a server on loopback with the user `demo`.
  ///
  /// - Parameter port: 0 for one that is free.
  public init(port: Int) async throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "meter-server-\(UUID().uuidString)")
    let now = Date()
    let authority = try CertificateAuthority(
      name: "Meters", key: FileAuthorityKey(), now: now, serial: Self.serial())
    let key = FileAuthorityKey()
    let certificate = try authority.issueServer(
      names: ["localhost"], publicKey: key.publicKey, serial: Self.serial(), notBefore: now.addingTimeInterval(-3600),
      notAfter: now.addingTimeInterval(24 * 3600))
    let store = try SQLiteStore(path: folder.appending(path: "server.db").path, node: "meters")
    var configuration = ServerConfiguration(
      certificateChain: [certificate], privateKey: key.pkcs8, authority: authority, answerKey: FileAuthorityKey(),
      store: store, node: "meters", logger: Logger(label: "meter-server"))
    configuration.port = port
    configuration.services = [try MeterReadings()]
    server = try EnrollmentServer(configuration)
    root = authority.chain[0]
    password = String((0..<20).map { _ in "abcdefghijkmnpqrstuvwxyz23456789".randomElement() ?? "x" })
    try await Operator(store).addUser("demo", password: password)
  }

  /// Writes the password to a new file of the folder, which nobody but its owner can read from the moment that it is there.
  ///
  /// - Throws: `CocoaError` if there is something of that name, a link, too, or if it cannot be written.
  public func writePassword() throws -> URL {
    let file = folder.appending(path: "password")
    let descriptor = open(file.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw CocoaError(
        errno == EEXIST ? .fileWriteFileExists : .fileWriteUnknown, userInfo: [NSFilePathErrorKey: file.path])
    }
    try FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).write(contentsOf: Data(password.utf8))
    return file
  }

  private static func serial() -> [UInt8] { [0x40] + (0..<15).map { _ in UInt8.random(in: .min ... .max) } }
}
