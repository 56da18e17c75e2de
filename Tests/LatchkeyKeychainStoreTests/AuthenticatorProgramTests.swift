import LatchkeyTestSupport
import Foundation
import Glibc
import LatchkeyKeychainModel
import Testing
@testable import LatchkeyUserPresence

@testable import LatchkeyKeychainStore

/// Programs of the user's, real ones.
@Suite("Presence through a program") struct AuthenticatorProgramTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func refusal(_ lines: String, reason: String = "test") throws -> PresenceError? {
    let program = ProgramAuthenticator(path: try folder.script("program", lines))
    return authenticatorError { () throws(PresenceError) in try program.authenticate(PresenceAttempt(reason: reason)) }
  }

  @Test("its exit status is the answer") func statuses() throws {
    #expect(try refusal("exit 0") == nil)
    #expect(try refusal("exit 1").isAuthenticationFailed)
    #expect(try refusal("exit 2") == .userCancel)
    #expect(try refusal("exit 3").isNotEnrolled)
    #expect(try refusal("exit 4").isLockout)
    for status in [5, 64, 126, 127, 255] {
      let error = try refusal("exit \(status)")
      #expect(error.isNotAvailable && error.text.contains("\(status)"))
    }
    #expect(try refusal("kill -9 $$").text.contains("signal 9"))
  }

  @Test("It receives the unchanged reason and the verb verify, and has no input and no terminal") func surroundings()
    throws
  {
    #expect(try refusal(#"[ "$1" = verify ] && [ $# = 1 ]"#) == nil)
    #expect(try refusal(#"[ "$LATCHKEY_REASON" = 'a $(touch x) "b" ü' ]"#, reason: #"a $(touch x) "b" ü"#) == nil)
    #expect(try refusal("if read line; then exit 9; fi; exit 0") == nil)
    #expect(try refusal("if (: < /dev/tty) 2> /dev/null; then exit 9; fi; exit 0") == nil)
    // A very long reason is cut, not refused by the system.
    #expect(try refusal("exit 0", reason: String(repeating: "x", count: 1 << 20)) == nil)
    #expect(try refusal("exit 0", reason: "a\0b") == nil)
  }

  @Test("it inherits no file of this process") func files() throws {
    let secret = open(try folder.write("secret", [1, 2, 3]), O_RDONLY)
    defer { close(secret) }
    #expect(try refusal(#"for f in /proc/$$/fd/*; do case $(readlink $f) in */secret) exit 9;; esac; done"#) == nil)
  }

  @Test("a canceled one is killed, with what it has started") func cancelled() throws {
    let fifo = try folder.fifo("fifo")
    let path = try folder.script("program", "cat \(fifo) > \(folder.path)/out")
    let attempt = PresenceAttempt(reason: "test")
    let call = Elsewhere { () throws(PresenceError) in try ProgramAuthenticator(path: path).authenticate(attempt) }
    let writer = try FIFOWriter(fifo)
    attempt.cancellation.cancel()
    #expect(try call.error() == .appCancel)
    writer.waitForReadersEnd()
    // Before it began.
    let early = authenticatorError { () throws(PresenceError) in
      try ProgramAuthenticator(path: path).authenticate(attempt)
    }
    #expect(early == .appCancel)
  }

  @Test("The program's report of the enrollment is hashed, and the hash changes with it") func enrollment() throws {
    let program = ProgramAuthenticator(path: try folder.script("p", #"[ "$1" = enrolment ] && cat "$0.state""#))
    try folder.write("p.state", Array("one".utf8))
    let one = try program.enrollment()
    #expect(one.count == 32)
    #expect(try program.enrollment() == one)
    try program.checkAvailability()
    try folder.write("p.state", Array("two".utf8))
    #expect(try program.enrollment() != one)
    try folder.write("p.state", Array(repeating: 7, count: 4096))
    #expect(try program.enrollment().count == 32)
    try folder.write("p.state", Array(repeating: 7, count: 4097))
    #expect(authenticatorError { () throws(PresenceError) in try program.enrollment() }.text.contains("4096"))
  }

  @Test("one that enrolled nothing, is locked out, fails, or never stops writing says so") func enrollmentRefusals()
    throws
  {
    func refusal(_ lines: String) throws -> PresenceError? {
      let program = ProgramAuthenticator(path: try folder.script("program", lines))
      return authenticatorError { () throws(PresenceError) in try program.checkAvailability() }
    }
    #expect(try refusal("exit 3").isNotEnrolled)
    #expect(try refusal("exit 4").isLockout)
    #expect(try refusal("exit 1").isNotAvailable)
    #expect(try refusal("yes").isNotAvailable)
    #expect(try refusal("echo out; kill -15 $$").isNotAvailable)
  }

  @Test("one that others could write or exchange is not asked") func trust() throws {
    func refusal(_ path: String) -> PresenceError? {
      authenticatorError { () throws(PresenceError) in
        try ProgramAuthenticator(path: path).authenticate(PresenceAttempt(reason: "test"))
      }
    }
    let good = try folder.script("good", "exit 0", mode: 0o755)
    #expect(refusal(good) == nil)
    for mode: mode_t in [0o720, 0o702, 0o777] {
      let error = refusal(try folder.script("open", "exit 0", mode: mode))
      #expect(error.isNotAvailable && error.text.contains("chmod go-w"))
    }
    #expect(refusal(try folder.script("plain", "exit 0", mode: 0o600)).text.contains("chmod u+x"))
    #expect(refusal("good").isNotAvailable)
    #expect(refusal("").isNotAvailable)
    #expect(refusal(folder.path).text.contains("plain file"))
    #expect(refusal(folder.path + "/none").text.contains("cannot be found"))
    #expect(refusal(good + "\0x").isNotAvailable)

    // A folder in which others may rename files, far above the program.
    let outer = folder.path + "/outer"
    try FileManager.default.createDirectory(atPath: outer + "/inner", withIntermediateDirectories: true)
    let inner = try folder.script("outer/inner/program", "exit 0")
    #expect(refusal(inner) == nil)
    try #require(chmod(outer, 0o777) == 0)
    #expect(refusal(inner).text.contains("\(outer)"))
    // By a link, too.
    try #require(symlink(inner, folder.path + "/link") == 0)
    #expect(refusal(folder.path + "/link").isNotAvailable)
    try #require(chmod(outer, 0o1777) == 0)
    #expect(refusal(inner) == nil)
  }

  @Test("It has its name and its strength") func name() {
    let program = ProgramAuthenticator(path: "/opt/x")
    #expect(program.name == "program:/opt/x" && program.strength == .asserted)
  }
}
