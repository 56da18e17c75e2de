import LatchkeyTestSupport
import Foundation
import Glibc
import LatchkeyKeychainModel
import Testing
@testable import LatchkeyUserPresence

@testable import LatchkeyKeychainStore

/// The real libpam with services of its own folder: pam_start_confdir(3), pam_exec(8), pam_permit(8), pam_deny(8).
@Suite(
  "Presence through the real libpam",
  .enabled(if: RealPAM.isHere, "libpam with pam_exec is not installed (Debian: libpam-modules)"))
struct AuthenticatorPAMTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func service(_ lines: String, name: String = "latchkey") throws -> PAMAuthenticator {
    PAMAuthenticator(service: try folder.write(name, Array(lines.utf8 + [10]), mode: 0o644))
  }

  private func refusal(_ lines: String, _ prompter: (any PresencePrompter)? = nil) throws -> PresenceError? {
    let service = try service(lines)
    return authenticatorError { () throws(PresenceError) in
      try service.authenticate(PresenceAttempt(reason: "to test", prompter: prompter))
    }
  }

  private func passwordService() throws -> String {
    let check = try folder.script("check", #"[ "$(cat | tr -d '\000')" = "open sesame" ]"#)
    return "auth required pam_exec.so quiet expose_authtok \(check)\naccount required pam_permit.so"
  }

  @Test("the right password is a yes, asked for without an echo and with the reason") func right() throws {
    let prompter = ListPrompter(.success("open sesame"))
    #expect(try refusal(try passwordService(), prompter) == nil)
    let question = try #require(prompter.questions.first)
    #expect(prompter.questions.count == 1 && question.reason == "to test")
    guard case .service(let text, let isSecret) = question.subject else {
      Issue.record("\(question.subject)")
      return
    }
    #expect(isSecret && text.contains("assword"))
  }

  @Test(
    "wrong passwords are a no",
    arguments: ["", "open", "open sesame ", "OPEN SESAME", String(repeating: "x", count: 511)])
  func wrong(_ password: String) throws {
    #expect(try refusal(try passwordService(), ListPrompter(.success(password))).isAuthenticationFailed)
  }

  @Test("Answers that PAM does not accept are refused before PAM receives them") func answers() throws {
    for password in ["open sesame\0", String(repeating: "x", count: 512), String(repeating: "x", count: 1 << 16)] {
      let error = try refusal(try passwordService(), ListPrompter(.success(password)))
      #expect(error.isAuthenticationFailed && error.text.contains("511"))
    }
  }

  @Test("a user who cancels, chooses the passcode, or cannot be asked ends it so") func conversationErrors() throws {
    let service = try passwordService()
    #expect(try refusal(service, ListPrompter(.failure(.userCancel))) == .userCancel)
    #expect(try refusal(service, ListPrompter(.failure(.userFallback))) == .userFallback)
    #expect(try refusal(service, ListPrompter()).isNotInteractive)
    let error = try refusal(service)
    #expect(error.isNotInteractive && error.text.contains("LATCHKEY_ASKPASS"))
  }

  @Test("A module that permits is a yes without a prompt, and one that denies is a no") func permit() throws {
    #expect(try refusal("auth required pam_permit.so\naccount required pam_permit.so") == nil)
    #expect(try refusal("auth required pam_deny.so\naccount required pam_permit.so").isAuthenticationFailed)
    // The account counts, too.
    #expect(try refusal("auth required pam_permit.so\naccount required pam_deny.so").isAuthenticationFailed)
    #expect(try refusal("auth required pam_permit.so\naccount required pam_debug.so acct=new_authtok_reqd") != nil)
    // A user who cancels has not consented, though the module was optional.
    let optional = try passwordService().replacingOccurrences(of: "auth required", with: "auth optional")
    #expect(
      try refusal("\(optional)\nauth required pam_permit.so", ListPrompter(.failure(.userCancel))) == .userCancel)
  }

  @Test("A module's messages are shown") func shown() throws {
    let prompter = ListPrompter()
    let message = try folder.write("message", Array("put your finger\u{1B}[2J there\n".utf8), mode: 0o644)
    #expect(
      try refusal(
        "auth optional pam_echo.so file=\(message)\nauth required pam_permit.so\naccount required pam_permit.so",
        prompter) == nil)
    #expect(prompter.shown.joined().contains("put your finger [2J there"))
    #expect(!prompter.shown.joined().contains("\u{1B}"))
  }

  @Test("a canceled question ends it") func cancelledQuestion() throws {
    let prompter = SilentPrompter()
    let attempt = PresenceAttempt(reason: "to test", prompter: prompter)
    let service = try service(try passwordService())
    let call = Elsewhere { () throws(PresenceError) in try service.authenticate(attempt) }
    prompter.isAsked.wait()
    attempt.cancellation.cancel()
    #expect(try call.error() == .appCancel)
    #expect(authenticatorError { () throws(PresenceError) in try service.authenticate(attempt) } == .appCancel)
  }

  @Test("a module that waits and asks nothing does not hold up who cancels") func cancelledModule() throws {
    let fifo = try folder.fifo("fifo")
    let wait = try folder.script("wait", "cat \(fifo) > /dev/null")
    let service = try service("auth required pam_exec.so quiet \(wait)\naccount required pam_permit.so")
    let attempt = PresenceAttempt(reason: "to test")
    let call = Elsewhere { () throws(PresenceError) in try service.authenticate(attempt) }
    let writer = try FIFOWriter(fifo)
    attempt.cancellation.cancel()
    #expect(try call.error() == .appCancel)
    withExtendedLifetime(writer) {}
  }

  @Test("services that are not there or that others can change are not asked") func places() throws {
    func refusal(_ service: String) -> PresenceError? {
      authenticatorError { () throws(PresenceError) in
        try PAMAuthenticator(service: service).authenticate(PresenceAttempt(reason: "to test"))
      }
    }
    #expect(refusal("no-such-service-of-latchkey").text.contains("/etc/pam.d/no-such-service-of-latchkey"))
    for name in ["", ".", "..", "Login", "a b", "a\0b", "../login", "relative/login", folder.path + "/none"] {
      #expect(refusal(name).isNotAvailable, "\(name)")
    }
    let permit = Array("auth required pam_permit.so\naccount required pam_permit.so\n".utf8)
    #expect(refusal(try folder.write("open", permit, mode: 0o666)).text.contains("chmod go-w"))
    #expect(refusal(folder.path).isNotAvailable)
    let good = try folder.write("good", permit, mode: 0o644)
    #expect(refusal(good) == nil)
    try #require(symlink(good, folder.path + "/link") == 0)
    #expect(refusal(folder.path + "/link").text.contains(good))
    // Without a line for authentication libpam denies.
    #expect(refusal(try folder.write("empty", [10], mode: 0o644)) != nil)
    #expect(refusal(try folder.write("broken", Array("auth required no_such_module.so\n".utf8), mode: 0o644)) != nil)
  }

  @Test("the enrollment is the service and the user, the same each time") func enrollment() throws {
    let one = try service("auth required pam_permit.so", name: "one")
    let two = try service("auth required pam_permit.so", name: "two")
    #expect(try one.enrollment() == one.enrollment() && one.enrollment().count == 32)
    #expect(try one.enrollment() != two.enrollment())
    #expect(one.name == "pam:\(folder.path)/one" && one.strength == .asserted)
    try one.checkAvailability()
    let none = PAMAuthenticator(service: folder.path + "/none")
    #expect(authenticatorError { () throws(PresenceError) in try none.enrollment() }.isNotAvailable)
    #expect(authenticatorError { () throws(PresenceError) in try none.checkAvailability() }.isNotAvailable)
  }

  @Test("each answer of PAM's has its meaning, and an unknown one is a no", arguments: 0..<64) func codes(_ code: CInt)
  {
    let error = PAMAuthenticator.error(PAMLibrary.Code(rawValue: code), "text")
    #expect((error == nil) == (code == 0))
    switch code {
    case 0: break
    case 1, 2, 3, 5, 9, 15, 28, 29: #expect(error.isNotAvailable)
    case 10: #expect(error.isNotEnrolled)
    case 19, 30, 31: #expect(error == .userCancel)
    case 26: #expect(error == .systemCancel)
    default: #expect(error.isAuthenticationFailed)
    }
  }

  @Test("a library that is not there is named with its package") func absent() {
    let error = authenticatorError { () throws(PresenceError) in
      try DynamicLibrary("libno-such-thing.so.0", package: "nothing (Debian: none)")
    }
    #expect(error.isNotAvailable && error.text.contains("install nothing"))
    let symbol = authenticatorError { () throws(PresenceError) in
      try DynamicLibrary("libpam.so.0", package: "PAM").function("pam_no_such_call", PAMLibrary.Step.self)
    }
    #expect(symbol.isNotAvailable && symbol.text.contains("pam_no_such_call"))
  }
}

/// What PAM's tests need.
enum RealPAM {
  static let isHere =
    authenticatorError { () throws(PresenceError) in try PAMLibrary() } == nil
    && ["/lib", "/usr/lib", "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/lib64"]
      .contains { access("\($0)/security/pam_exec.so", F_OK) == 0 }
}
