import LatchkeyTestSupport
import Foundation
import Glibc
import LatchkeyKeychainModel
import Synchronization
import Testing

@testable import LatchkeyKeychainStore

/// The error that an authenticator throws; nil: none.
func authenticatorError<Value>(_ body: () throws(PresenceError) -> Value) -> PresenceError? {
  do {
    _ = try body()
    return nil
  } catch {
    return error
  }
}

extension PresenceError? {
  var isAuthenticationFailed: Bool { if case .authenticationFailed = self { true } else { false } }
  var text: String { self?.description ?? "" }
}

/// Answers questions from a list, and keeps what was asked and shown.
final class ListPrompter: PresencePrompter {
  private struct State {
    var answers: [Result<String, PresenceError>]
    var questions: [PresenceQuestion] = []
    var shown: [String] = []
  }
  private let state: Mutex<State>

  init(_ answers: Result<String, PresenceError>...) { state = Mutex(State(answers: answers)) }

  var questions: [PresenceQuestion] { state.withLock { $0.questions } }
  var shown: [String] { state.withLock { $0.shown } }

  func answer(_ question: PresenceQuestion, cancellation: Cancellation) throws(PresenceError) -> [UInt8] {
    let answer = state.withLock { state in
      state.questions.append(question)
      return state.answers.isEmpty ? .failure(.notInteractive("no answer is left")) : state.answers.removeFirst()
    }
    return Array(try answer.get().utf8)
  }

  func show(_ message: String) { state.withLock { $0.shown.append(message) } }
}

/// A prompter that nobody answers: it waits until it is canceled.
final class SilentPrompter: PresencePrompter {
  let isAsked = DispatchSemaphore(value: 0)

  func answer(_ question: PresenceQuestion, cancellation: Cancellation) throws(PresenceError) -> [UInt8] {
    let isCancelled = DispatchSemaphore(value: 0)
    return try cancellation.withHandler(onCancel: { isCancelled.signal() }) { () throws(PresenceError) in
      isAsked.signal()
      isCancelled.wait()
      throw .appCancel
    }
  }

  func show(_ message: String) {}
}

/// `body` in a thread of its own, so that a test can cancel it.
final class Elsewhere: Sendable {
  private let result = Mutex<PresenceError??>(nil)
  private let isDone = DispatchSemaphore(value: 0)

  init(_ body: @escaping @Sendable () throws(PresenceError) -> PresenceProof) {
    Thread.detachNewThread { [self] in
      let error = authenticatorError(body)
      result.withLock { $0 = .some(error) }
      isDone.signal()
    }
  }

  /// What it threw; nil: nothing.
  func error() throws -> PresenceError? {
    isDone.wait()
    return try #require(result.withLock { $0 })
  }
}

extension Folder {
  /// A shell script that may be run.
  func script(_ name: String, _ lines: String, mode: mode_t = 0o700) throws -> String {
    try write(name, Array("#!/bin/sh\n\(lines)\n".utf8), mode: mode)
  }

  /// A pipe with a name.
  func fifo(_ name: String) throws -> String {
    try #require(mkfifo("\(path)/\(name)", 0o600) == 0)
    return "\(path)/\(name)"
  }
}

/// The writing end of a pipe with a name: made when a reader is there.
final class FIFOWriter: Sendable {
  private let file: CInt

  init(_ path: String) throws {
    file = open(path, O_WRONLY | O_CLOEXEC)
    try #require(file >= 0)
  }

  deinit { close(file) }

  /// Waits until the last reader has gone.
  func waitForReadersEnd() {
    var waited = pollfd(fd: file, events: 0, revents: 0)
    while poll(&waited, 1, -1) < 0 {}
  }
}
