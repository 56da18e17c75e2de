import Glibc
import LatchkeyKeychainModel

/// The required part of libpam (Linux-PAM 1.4 or newer; security/pam_appl.h).
struct PAMLibrary: Sendable {
  /// A transaction: `pam_handle_t *`.
  typealias Handle = OpaquePointer
  /// A conversation function: count, messages, destination of the responses, the application's pointer.
  typealias Converse =
    @convention(c) (CInt, UnsafeRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> CInt
  typealias Start =
    @convention(c) (
      UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer, UnsafeMutablePointer<Handle?>
    ) -> CInt
  typealias StartIn =
    @convention(c) (
      UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer, UnsafePointer<CChar>,
      UnsafeMutablePointer<Handle?>
    ) -> CInt
  typealias Step = @convention(c) (Handle, CInt) -> CInt
  typealias Text = @convention(c) (Handle?, CInt) -> UnsafePointer<CChar>?

  /// `struct pam_conv`.
  struct Conversation {
    var function: Converse
    var application: UnsafeMutableRawPointer?
  }

  let start: Start
  let startIn: StartIn
  let authenticate: Step
  let manageAccount: Step
  let end: Step
  private let text: Text

  /// Loads the library.
  ///
  /// - Throws: `.biometryNotAvailable` with the package's name.
  init() throws(PresenceError) {
    let library = try DynamicLibrary("libpam.so.0", package: "PAM (Debian: libpam0g)")
    start = try library.function("pam_start", Start.self)
    startIn = try library.function("pam_start_confdir", StartIn.self)
    authenticate = try library.function("pam_authenticate", Step.self)
    manageAccount = try library.function("pam_acct_mgmt", Step.self)
    end = try library.function("pam_end", Step.self)
    text = try library.function("pam_strerror", Text.self)
  }

  /// PAM's description of a result code.
  func description(_ code: Code, _ handle: Handle?) -> String {
    text(handle, code.rawValue).map { String(cString: $0) } ?? "error \(code.rawValue)"
  }

  /// The result codes of PAM's functions (security/_pam_types.h).
  struct Code: RawRepresentable, Hashable, Sendable {
    let rawValue: CInt
    init(rawValue: CInt) { self.rawValue = rawValue }

    static let success = Code(rawValue: 0)
    static let openError = Code(rawValue: 1)
    static let symbolError = Code(rawValue: 2)
    static let serviceError = Code(rawValue: 3)
    static let systemError = Code(rawValue: 4)
    static let bufferError = Code(rawValue: 5)
    static let permissionDenied = Code(rawValue: 6)
    static let authenticationError = Code(rawValue: 7)
    static let credentialInsufficient = Code(rawValue: 8)
    static let informationUnavailable = Code(rawValue: 9)
    static let userUnknown = Code(rawValue: 10)
    static let maximumTries = Code(rawValue: 11)
    static let newTokenRequired = Code(rawValue: 12)
    static let accountExpired = Code(rawValue: 13)
    static let credentialUnavailable = Code(rawValue: 15)
    static let credentialExpired = Code(rawValue: 16)
    static let credentialError = Code(rawValue: 17)
    static let conversationError = Code(rawValue: 19)
    static let abort = Code(rawValue: 26)
    static let tokenExpired = Code(rawValue: 27)
    static let moduleUnknown = Code(rawValue: 28)
    static let badItem = Code(rawValue: 29)
    static let conversationAgain = Code(rawValue: 30)
    static let incomplete = Code(rawValue: 31)
  }
}
