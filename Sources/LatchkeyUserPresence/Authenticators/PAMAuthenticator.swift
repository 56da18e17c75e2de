import Crypto
import Foundation
import Glibc
public import LatchkeyKeychainModel
import LatchkeySystem
import Synchronization

/// A PAM service that authenticates the user: `pam:SERVICE` in `LATCHKEY_PRESENCE`.
///
/// The service is a file of that name in `/etc/pam.d`, or the path of such a file if it contains a slash. The user is the one
/// who runs the process. Both `pam_authenticate` and `pam_acct_mgmt` are called. The modules' prompts go to the terminal, to
/// `LATCHKEY_ASKPASS` or to the application's closure.
///
/// The result is a verdict, not a key: any process that can change the service, or this process, can forge it. PAM does not
/// report enrollments either, so ``enrollment()`` stays the same when a finger is added or a password changed: for
/// `biometryCurrentSet`, use fprintd directly.
public struct PAMAuthenticator: Authenticator {
  /// The service's name or path, as configured.
  public let service: String

  /// Creates an authenticator for the service of this name or path. The service is looked up at each use.
  public init(service: String) { self.service = service }

  /// "pam:" and the service.
  public var name: String { "pam:\(service)" }
  /// `asserted`: the result is a verdict.
  public var strength: PresenceStrength { .asserted }

  /// Verifies that PAM and the service exist.
  public func checkAvailability() throws(PresenceError) {
    _ = try PAMLibrary()
    _ = try place()
    _ = try Self.userName()
  }

  /// A digest of the service's name and the user's. It does not change with enrollments, which PAM does not report.
  public func enrollment() throws(PresenceError) -> [UInt8] {
    try checkAvailability()
    return Array(SHA256.hash(data: Array("latchkey pam enrolment\0\(service)\0\(try Self.userName())".utf8)))
  }

  /// Authenticates by PAM on a separate thread, because a module may wait for a finger and cannot be canceled. When the
  /// attempt is canceled, this returns at once, and the thread ends when its module returns.
  public func authenticate(_ attempt: PresenceAttempt) throws(PresenceError) -> PresenceProof {
    if attempt.cancellation.isCancelled { throw .appCancel }
    let (library, place, user) = (try PAMLibrary(), try place(), try Self.userName())
    guard Self.running.wrappingAdd(1, ordering: .relaxed).newValue <= Self.maximumRunning else {
      Self.running.wrappingSubtract(1, ordering: .relaxed)
      throw .biometryNotAvailable("modules of \(name) still wait from earlier tries: end what they wait for")
    }
    let verdict = Verdict()
    let thread = Thread {
      let result = Result { () throws(PresenceError) in
        try Self.run(library, place: place, user: user, name: name, attempt: attempt)
      }
      Self.running.wrappingSubtract(1, ordering: .relaxed)
      verdict.set(result)
    }
    // Third-party modules run on this thread; Foundation's 512 KiB are too small for some.
    thread.stackSize = 4 << 20
    thread.start()
    let result = attempt.cancellation.withHandler(onCancel: { verdict.set(.failure(.appCancel)) }) { verdict.wait() }
    try result.get()
    if attempt.cancellation.isCancelled { throw .appCancel }
    return .asserted
  }

  private static func run(
    _ library: PAMLibrary, place: Place, user: String, name: String, attempt: PresenceAttempt
  ) throws(PresenceError) {
    let conversation = PAMConversation(attempt)
    defer { withExtendedLifetime(conversation) {} }
    // libpam copies the structure, but keeps the pointer in it.
    var structure = PAMLibrary.Conversation(
      function: PAMConversation.function, application: Unmanaged.passUnretained(conversation).toOpaque())
    var handle: PAMLibrary.Handle?
    let started =
      place.folder.map { library.startIn(place.name, user, &structure, $0, &handle) }
      ?? library.start(place.name, user, &structure, &handle)
    guard PAMLibrary.Code(rawValue: started) == .success, let handle else {
      throw .biometryNotAvailable(
        "\(name) cannot be started: \(library.description(PAMLibrary.Code(rawValue: started), nil))")
    }
    var code = PAMLibrary.Code(rawValue: library.authenticate(handle, 0))
    if code == .success { code = PAMLibrary.Code(rawValue: library.manageAccount(handle, 0)) }
    let text = library.description(code, handle)
    _ = library.end(handle, code.rawValue)
    switch conversation.failure {
    // A user who canceled has not consented, whatever the other modules return.
    case let failure? where failure == .userCancel || failure == .appCancel || failure == .userFallback: throw failure
    case let failure? where code != .success: throw failure
    default: break
    }
    if let error = Self.error(code, "\(name): \(text)") { throw error }
  }

  /// Maps a PAM result to an error; nil for success.
  static func error(_ code: PAMLibrary.Code, _ text: String) -> PresenceError? {
    switch code {
    case .success: nil
    case .userUnknown: .biometryNotEnrolled("\(text): enroll this user with the service")
    case .newTokenRequired, .tokenExpired, .credentialExpired, .accountExpired:
      .authenticationFailed("\(text): renew the account or its password first (passwd)")
    case .maximumTries: .authenticationFailed("\(text): too many wrong answers, start again")
    case .conversationError, .conversationAgain, .incomplete: .userCancel
    case .abort: .systemCancel
    case .openError, .symbolError, .serviceError, .bufferError, .informationUnavailable, .credentialUnavailable,
      .moduleUnknown, .badItem:
      .biometryNotAvailable("\(text): look at the service's modules and at the system's log")
    // pam_exec returns PAM_SYSTEM_ERR when its program refuses; any unknown code is a refusal too.
    default: .authenticationFailed("\(text): try again")
    }
  }

  /// The location of the service: its name, and the folder if it is not the system's.
  private struct Place: Sendable {
    var name: String
    var folder: String?
  }

  private func place() throws(PresenceError) -> Place {
    let name: String
    if let slash = service.lastIndex(of: "/") {
      name = String(service[service.index(after: slash)...])
    } else {
      name = service
    }
    guard !name.isEmpty, name != ".", name != "..", name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      // libpam looks up the name in lower case.
      name == name.lowercased()
    else {
      throw .biometryNotAvailable(
        "\"\(PrintableText.oneLine(service.utf8))\" names no PAM service: write pam:NAME, in small letters, or pam:/FOLDER/NAME"
      )
    }
    if name != service {
      let path = try TrustedFile(path: service, what: "PAM service").checked()
      // A link to another name would start a service of the link's name in the target's folder.
      guard path.hasSuffix("/\(name)") else {
        throw .biometryNotAvailable("the PAM service \(service) is a link to another name: write pam:\(path)")
      }
      return Place(name: name, folder: FilePaths.folder(of: path))
    }
    guard Self.systemFolders.contains(where: { access("\($0)/\(name)", F_OK) == 0 }) else {
      // Without this check libpam would use the service "other" instead.
      throw .biometryNotAvailable("there is no PAM service \(name): make /etc/pam.d/\(name)")
    }
    return Place(name: name, folder: nil)
  }

  private static func userName() throws(PresenceError) -> String {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 16_384)
    let name = buffer.withUnsafeMutableBufferPointer { buffer -> String? in
      guard let start = buffer.baseAddress, getpwuid_r(getuid(), &entry, start, buffer.count, &found) == 0, let found
      else { return nil }
      return found.pointee.pw_name.map { String(cString: $0) }
    }
    guard let name, !name.isEmpty else {
      throw .biometryNotAvailable("the user \(getuid()) has no name in the system's list of users: add it there")
    }
    return name
  }

  private static let systemFolders = ["/etc/pam.d", "/usr/lib/pam.d", "/usr/etc/pam.d"]
  /// The limit of PAM threads, including those whose callers have returned.
  private static let maximumRunning = 16
  private static let running = Atomic<Int>(0)
}

/// The result of a PAM thread; the first one counts.
private final class Verdict: Sendable {
  private let result = Mutex<Result<Void, PresenceError>?>(nil)
  private let isThere = DispatchSemaphore(value: 0)

  func set(_ verdict: Result<Void, PresenceError>) {
    let isFirst = result.withLock { result in
      defer { result = result ?? verdict }
      return result == nil
    }
    if isFirst { isThere.signal() }
  }

  /// Waits for the result; only one thread may wait.
  func wait() -> Result<Void, PresenceError> {
    isThere.wait()
    return result.withLock { $0 } ?? .failure(.systemCancel)
  }
}
