import LatchkeyTestSupport
import Foundation
import Glibc
import LatchkeyKeychainModel
import Testing
@testable import LatchkeyUserPresence

@testable import LatchkeyKeychainStore

/// fprintd's client over a real D-Bus; behind it is a double, no reader and no finger.
@Suite(
  "Presence through the real fprintd client with a double behind it",
  .enabled(
    if: FprintdDouble.isHere, "no dbus-daemon or python3 with D-Bus (Debian: dbus, python3-dbus, python3-gi)"))
struct AuthenticatorFprintdTests {
  private let finger = #""fingers": ["right-index-finger"]"#

  private func refusal(_ double: FprintdDouble, _ prompter: (any PresencePrompter)? = nil) -> PresenceError? {
    authenticatorError { () throws(PresenceError) in
      try FprintdAuthenticator(on: FprintdBus(address: double.address, owner: getuid())).authenticate(
        PresenceAttempt(reason: "to test", prompter: prompter))
    }
  }

  private func double(_ steps: String) throws -> FprintdDouble {
    try FprintdDouble(#"{\#(finger), "starts": [\#(steps)]}"#)
  }

  /// What every way out leaves behind: the reader stopped and given back.
  private let course: [String?] = ["Claim", "VerifyStart any", "played", "VerifyStop", "Release"]

  @Test("A matching finger is a yes; the user sees the reason") func match() throws {
    let prompter = ListPrompter()
    let double = try double(#"[["verify-match", true]]"#)
    #expect(refusal(double, prompter) == nil)
    #expect(double.lines(5) == course)
    #expect(prompter.shown.count == 1 && prompter.shown.joined().contains("to test"))
    #expect(prompter.questions.isEmpty)
  }

  @Test("a finger that does not match is a no") func noMatch() throws {
    let double = try double(#"[["verify-no-match", true]]"#)
    #expect(refusal(double).isAuthenticationFailed)
    #expect(double.lines(5) == course)
  }

  @Test("Bad scans are reported and retried, in the same attempt and in a new one") func retry() throws {
    let prompter = ListPrompter()
    let double = try double(
      #"""
      [["verify-retry-scan", false], ["verify-swipe-too-short", false], ["verify-remove-and-retry", true]],
      [["verify-finger-not-centered", false], ["verify-match", true]]
      """#)
    #expect(refusal(double, prompter) == nil)
    #expect(prompter.shown.count == 5)
    #expect(double.lines(8) == Array(course.prefix(4)) + Array(course.suffix(4)))
  }

  @Test("a bad scan and then another's finger is a no") func retryNoMatch() throws {
    let double = try double(#"[["verify-retry-scan", false], ["verify-no-match", true]]"#)
    #expect(refusal(double).isAuthenticationFailed)
  }

  @Test("a reader that never can read ends as a no") func endlessRetries() throws {
    let starts = Array(repeating: #"[["verify-retry-scan", true]]"#, count: 12).joined(separator: ", ")
    let double = try double(starts)
    #expect(refusal(double).isAuthenticationFailed)
  }

  @Test(
    "trouble of the reader is no yes and no wrong finger",
    arguments: ["verify-disconnected", "verify-unknown-error", "verify-of-the-future", ""])
  func trouble(_ status: String) throws {
    let double = try double(#"[["\#(status)", true]]"#)
    #expect(refusal(double).isNotAvailable)
    #expect(double.lines(5) == course)
  }

  @Test("a status that is not known and not the last is passed over") func unknown() throws {
    let double = try double(#"[["verify-of-the-future", false], {"flood": 50}, ["verify-match", true]]"#)
    #expect(refusal(double) == nil)
  }

  @Test("a status of other types is no yes") func garbage() throws {
    let double = try double(#"[{"garbage": 7}, ["verify-match", true]]"#)
    #expect(refusal(double).isNotAvailable)
    #expect(double.lines(5) == course)
  }

  @Test("a flood of signals ends, without a yes") func flood() throws {
    let double = try double(#"[{"flood": 12000}, ["verify-match", true]]"#)
    #expect(refusal(double) != nil)
  }

  @Test("a verify-match that another program on the bus sends is not heard") func forged() throws {
    let double = try double(#"[{"forge": "verify-match"}, ["verify-no-match", true]]"#)
    #expect(refusal(double).isAuthenticationFailed)
  }

  @Test("a service that vanishes while it verifies is no yes") func vanished() throws {
    let double = try double(#"[{"exit": true}]"#)
    #expect(refusal(double).isNotAvailable)
  }

  @Test("a canceled call ends at once, and gives the reader back") func cancelled() throws {
    let double = try double("[]")
    let attempt = PresenceAttempt(reason: "to test")
    let fprintd = FprintdAuthenticator(on: FprintdBus(address: double.address, owner: getuid()))
    let call = Elsewhere { () throws(PresenceError) in try fprintd.authenticate(attempt) }
    #expect(double.lines(3) == Array(course.prefix(3)))
    attempt.cancellation.cancel()
    #expect(try call.error() == .appCancel)
    #expect(double.lines(2) == Array(course.suffix(2)))
    #expect(authenticatorError { () throws(PresenceError) in try fprintd.authenticate(attempt) } == .appCancel)
  }

  @Test(
    "A reader that cannot be claimed is reported with the next step",
    arguments: [("AlreadyInUse", "another program"), ("PermissionDenied", "polkit"), ("Internal", "Internal")])
  func claim(_ name: String, _ text: String) throws {
    let double = try FprintdDouble(#"{\#(finger), "claimError": "\#(name)"}"#)
    let error = refusal(double)
    #expect(error.isNotAvailable && error.text.contains(text))
    #expect(double.line() == "Claim")
  }

  @Test("A missing finger, reader, service or bus is reported with the next step") func nothing() throws {
    func refusals(_ address: String) -> [PresenceError?] {
      let fprintd = FprintdAuthenticator(on: FprintdBus(address: address, owner: getuid()))
      return [
        authenticatorError { () throws(PresenceError) in try fprintd.checkAvailability() },
        authenticatorError { () throws(PresenceError) in try fprintd.enrollment() },
        authenticatorError { () throws(PresenceError) in try fprintd.authenticate(PresenceAttempt(reason: "to test")) },
      ]
    }
    let none = try FprintdDouble(#"{"fingers": []}"#)
    for error in refusals(none.address) { #expect(error.isNotEnrolled && error.text.contains("fprintd-enroll")) }
    let noReader = try FprintdDouble(#"{"fingers": [], "device": false}"#)
    for error in refusals(noReader.address) { #expect(error.isNotAvailable && error.text.contains("reader")) }
    let noService = try FprintdDouble(nil)
    for error in refusals(noService.address) { #expect(error.isNotAvailable && error.text.contains("install fprintd")) }
    for address in ["unix:path=/nonexistent/bus", "", "nonsense", "unix:path=", "tcp:host=a\0b"] {
      for error in refusals(address) { #expect(error.isNotAvailable, "\(address)") }
    }
  }

  @Test("the enrollment changes with the fingers' names, not with their order, and differs between readers")
  func enrollment() throws {
    let double = try FprintdDouble(#"{"fingers": ["left-thumb", "right-index-finger"], "name": "A"}"#)
    let fprintd = FprintdAuthenticator(on: FprintdBus(address: double.address, owner: getuid()))
    try fprintd.checkAvailability()
    let first = try fprintd.enrollment()
    #expect(first.count == 32)
    #expect(try fprintd.enrollment() == first)
    try double.enrol(#"["right-index-finger", "left-thumb"]"#)
    #expect(try fprintd.enrollment() == first)
    try double.enrol(#"["right-index-finger", "left-thumb", "right-thumb"]"#)
    #expect(try fprintd.enrollment() != first)
    try double.enrol(#"["right-index-finger"]"#)
    #expect(try fprintd.enrollment() != first)
    try double.enrol("[]")
    #expect(authenticatorError { () throws(PresenceError) in try fprintd.enrollment() }.isNotEnrolled)
    let other = try FprintdDouble(#"{"fingers": ["left-thumb", "right-index-finger"], "name": "B"}"#)
    #expect(try FprintdAuthenticator(on: FprintdBus(address: other.address, owner: getuid())).enrollment() != first)
  }

  @Test("more fingers than there are, or names without end, are refused") func malicious() throws {
    func refusal(_ scenario: String) throws -> PresenceError? {
      let double = try FprintdDouble(scenario)
      return authenticatorError { () throws(PresenceError) in
        try FprintdAuthenticator(on: FprintdBus(address: double.address, owner: getuid())).enrollment()
      }
    }
    let many = Array(repeating: #""finger""#, count: 65).joined(separator: ",")
    #expect(try refusal(#"{"fingers": [\#(many)]}"#).isNotAvailable)
    let long = String(repeating: "x", count: 1025)
    #expect(try refusal(#"{\#(finger), "name": "\#(long)"}"#).isNotAvailable)
    #expect(try refusal(#"{"fingers": ["\#(long)"]}"#) != nil)
    #expect(try refusal(#"{\#(finger), "name": 7}"#).isNotAvailable)
  }

  @Test("While one client waits for a finger, another gets the error that the reader is in use") func two() throws {
    let double = try double("[]")
    let attempt = PresenceAttempt(reason: "to test")
    let fprintd = FprintdAuthenticator(on: FprintdBus(address: double.address, owner: getuid()))
    let call = Elsewhere { () throws(PresenceError) in try fprintd.authenticate(attempt) }
    #expect(double.lines(3) == Array(course.prefix(3)))
    #expect(refusal(double).text.contains("another program"))
    attempt.cancellation.cancel()
    #expect(try call.error() == .appCancel)
  }
}

/// That the double behaves as fprintd does is said by fprintd's own program.
@Suite(
  "fprintd's own fprintd-verify with the same double behind it",
  .enabled(
    if: FprintdDouble.isHere && access("/usr/bin/fprintd-verify", X_OK) == 0,
    "no fprintd-verify, dbus-daemon or python3 with D-Bus (Debian: fprintd, dbus, python3-dbus, python3-gi)"))
struct FprintdDoubleTests {
  @Test("fprintd-verify works with the double") func faithful() throws {
    let double = try FprintdDouble(
      #"""
      {"fingers": ["right-index-finger"],
       "starts": [[["verify-retry-scan", false], ["verify-match", true]], [["verify-no-match", true]]]}
      """#)
    let (yes, told) = try double.fprintdVerify()
    #expect(yes == 0 && told.contains("verify-retry-scan (not done)") && told.contains("verify-match (done)"))
    #expect(try double.fprintdVerify().0 == 1)
    let none = try FprintdDouble(#"{"fingers": []}"#)
    #expect(try none.fprintdVerify().1.contains("NoEnrolledPrints") || none.fprintdVerify().0 != 0)
  }
}
