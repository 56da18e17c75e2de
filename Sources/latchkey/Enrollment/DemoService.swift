import Crypto
import Foundation
import LatchkeyCommandLine
import LatchkeyEnrollment
import LatchkeyKeychainModel
import LatchkeyKeychainStore
import LatchkeyProvisioning
import LatchkeyProvisioningProtocol
import Security

/// The demonstration's server, a process of its own, and the device's keychain: both are gone at its end.
struct DemoService: Sendable {
  /// Where the server is, who vouches for it, and the user to try things with.
  typealias Place = (url: String, ca: String, user: String, passwordFile: String)

  let place: Place
  /// The device's identity in memory, beside the keychain.
  let credentials = CredentialStorage()
  private let session: KeychainSession
  private let chapters: DemoChapters
  private let output: EventOptions

  /// The enrollment's name in the keychain.
  static let label = "demo"

  /// Runs `body` with a server and a keychain; with nil if latchkey-server is nowhere.
  static func with(
    _ chapters: DemoChapters, _ output: EventOptions, _ body: @escaping @Sendable (DemoService?) async throws -> Void
  ) async throws {
    guard let program = ServerProcess.program else {
      try await body(nil)
      chapters.begin("The server's part needs latchkey-server: swift build --product latchkey-server", "noServer")
      return
    }
    let folder = try TemporaryFolder()
    folder.removeAtExit()
    defer { folder.remove() }
    let server = try ServerProcess(program, folder: folder.path + "/server")
    let result: Result<Void, any Error>
    do {
      try await EnrollmentOptions.failing {
        let keychain = try keychain(in: folder.path, chapters)
        defer { keychain.close() }
        let session = KeychainSession(store: keychain, entitlements: .none)
        let place = try await server.listening()
        chapters.begin("A server starts, a process of its own: \(place.url)", "serving", ["url": .text(place.url)])
        chapters.protection("its certificate; the authority was made just now, and the device knows nothing of it yet")
        try await body(DemoService(place: place, session: session, chapters: chapters, output: output))
      }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    await server.stop()
    // The keychain's folder is removed with its files alone.
    try? FileManager.default.removeItem(atPath: folder.path + "/server")
    try result.get()
    chapters.begin("The server has ended; the keychain and all that was in it are gone.", "ended")
  }

  private init(place: Place, session: KeychainSession, chapters: DemoChapters, output: EventOptions) {
    self.place = place
    self.session = session
    self.chapters = chapters
    self.output = output
  }

  /// A keychain with a passcode, which the demonstration types in its user's place, and says so.
  private static func keychain(in folder: String, _ chapters: DemoChapters) throws -> KeychainDatabase {
    let passcode = (0..<10).map { _ in String(Int.random(in: 0...9)) }.joined()
    var configuration = KeychainDatabase.Configuration(path: folder + "/keychain.db")
    configuration.engines = .software
    configuration.presence = PresenceConfiguration(
      prompter: ClosurePrompter { question, _ in
        chapters.add("asked: \(question.reason); the demo types the passcode")
        return Array(passcode.utf8)
      })
    let keychain = try KeychainDatabase(configuration)
    try keychain.setPasscode(Array(passcode.utf8), current: nil)
    return keychain
  }

  /// Runs `body` with the device's keychain in the place of the process's own.
  func inKeychain<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
    try await KeychainSession.$replacement.withValue(session, operation: body)
  }

  // MARK: The app's part

  /// Gets a token for the user, and gives the device its enrollment.
  func enroll(over session: ProvisioningSession) async throws {
    chapters.begin("The app logs \(place.user) in by password, and gets a token for one device.")
    let password = try SecretArgument.read("@\(place.passwordFile)", option: "--password", prompt: "")
    let roots = try CertificateFile.read(place.ca)
    let server = try ServerAddress(place.url)
    // The app stores nothing: the keychain is the device's.
    let client = EnrollmentClient(EnrollmentConfiguration(server: server, trustRoots: roots))
    let token = try await client.deviceToken(user: place.user, password: password).value
    await client.close()
    if output.json {
      output.emit(
        nil, "token", ["user": .text(token.user), "expires": .text(EnrollmentReport.time(token.expires))])
    }
    chapters.protection(
      "the password by TLS, on the server by scrypt; the device never learns it; the token is good once")
    guard let root = roots.first else { return }
    chapters.begin(
      "In the same session the app gives the device the server's address, the token, and the SHA-256 of the server's root.",
      "enrolling", ["server": .text(place.url)])
    chapters.protection("the session that the code opened: what comes through it comes from the device's owner")
    let given = try ProvisioningEnrollment(
      url: place.url, token: Array(token.text.utf8),
      anchor: Data(SHA256.hash(data: SecCertificateCopyData(root) as Data)))
    _ = try await session.enroll(given)
  }

  // MARK: The device's part

  /// Enrolls the device with what the app gave it, and returns its identifier.
  func enroll(_ given: ProvisioningEnrollment, name: String) async throws -> String {
    do {
      return try await inKeychain {
        var configuration = try await given.configuration(label: Self.label)
        configuration.credentials = credentials
        let client = EnrollmentClient(configuration)
        let identity = try await client.enroll(token: given.tokenText, deviceName: name).value.identity
        await client.close()
        chapters.begin("The device enrolls with it.")
        if output.json { EnrollmentReport(output).enrolled(identity, configuration, isNew: true) }
        chapters.add("device \(identity.device), certificate until \(EnrollmentReport.time(identity.notAfter))")
        chapters.protection(
          "the root that the app vouched for, and no other; the private key never left the enclave: a signing request did"
        )
        return identity.device
      }
    } catch {
      // The app is told a reason alone.
      StandardStreams.reportError("the device cannot enroll: \(DeviceEnrollment.words(error))")
      throw EnrollmentFailure(error)
    }
  }
}
