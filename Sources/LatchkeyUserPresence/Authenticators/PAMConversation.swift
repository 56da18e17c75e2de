import Glibc
import LatchkeyByteCoding
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel
import LatchkeySystem
import Synchronization

/// Handles the prompts and messages of PAM's modules with the prompter of the attempt (pam_conv(3)).
final class PAMConversation: Sendable {
  private let attempt: PresenceAttempt
  private struct State {
    var failure: PresenceError?
    var messages = 0
  }
  private let state = Mutex(State())

  init(_ attempt: PresenceAttempt) { self.attempt = attempt }

  /// The reason of failure; nil if there was none.
  var failure: PresenceError? { state.withLock { $0.failure } }

  /// The callback for libpam. Its last argument is a ``PAMConversation``, unretained.
  static let function: PAMLibrary.Converse = { count, messages, responses, application in
    guard let application, let messages, let responses else { return PAMLibrary.Code.conversationError.rawValue }
    let conversation = Unmanaged<PAMConversation>.fromOpaque(application).takeUnretainedValue()
    return conversation.converse(Int(count), messages, responses).rawValue
  }

  /// - Parameters:
  ///   - messages: `const struct pam_message **`, in Linux-PAM's form: an array of pointers.
  ///   - responses: `struct pam_response **`: an array that libpam frees, including its texts.
  private func converse(
    _ count: Int, _ messages: UnsafeRawPointer, _ responses: UnsafeMutableRawPointer
  ) -> PAMLibrary.Code {
    guard (1...Self.maximumCount).contains(count), let answers = calloc(count, Self.responseSize) else {
      return .conversationError
    }
    do throws(PresenceError) {
      for index in 0..<count {
        let pointers = messages.assumingMemoryBound(to: UnsafeRawPointer?.self)
        guard let message = pointers[index] else { throw Self.malformed }
        guard let text = try answer(message) else { continue }
        answers.storeBytes(of: text, toByteOffset: index * Self.responseSize, as: UnsafeMutablePointer<CChar>?.self)
      }
    } catch {
      state.withLock { $0.failure = $0.failure ?? error }
      for index in 0..<count {
        let text = answers.load(
          fromByteOffset: index * Self.responseSize, as: UnsafeMutablePointer<CChar>?.self)
        if let text {
          UnsafeMutableRawBufferPointer(start: text, count: strlen(text)).wipe()
          free(text)
        }
      }
      free(answers)
      return .conversationError
    }
    responses.storeBytes(of: answers, as: UnsafeMutableRawPointer?.self)
    return .success
  }

  /// Returns the response to `struct pam_message { int msg_style; const char *msg; }`, allocated with malloc; nil if none is
  /// due.
  private func answer(_ message: UnsafeRawPointer) throws(PresenceError) -> UnsafeMutablePointer<CChar>? {
    if attempt.cancellation.isCancelled { throw .appCancel }
    let text = Self.text(message.load(fromByteOffset: 8, as: UnsafePointer<CChar>?.self))
    let asked = state.withLock { state in
      state.messages += 1
      return state.messages
    }
    guard asked <= Self.maximumMessages else { throw Self.malformed }
    switch message.load(as: CInt.self) {
    case Self.errorMessage, Self.information:
      attempt.prompter?.show(text)
      return nil
    case Self.promptEchoOff: return try ask(text, isSecret: true)
    case Self.promptEchoOn: return try ask(text, isSecret: false)
    default: throw Self.malformed
    }
  }

  private func ask(_ text: String, isSecret: Bool) throws(PresenceError) -> UnsafeMutablePointer<CChar> {
    guard let prompter = attempt.prompter else {
      throw .notInteractive(
        "the PAM service asks \"\(text)\" and there is no way to ask the user: set LATCHKEY_ASKPASS, or run in a terminal"
      )
    }
    let question = PresenceQuestion(.service(text, isSecret: isSecret), reason: attempt.reason)
    var bytes = try prompter.answer(question, cancellation: attempt.cancellation)
    defer { bytes.wipe() }
    if attempt.cancellation.isCancelled { throw .appCancel }
    guard bytes.count < Self.maximumResponse, !bytes.contains(0) else {
      throw .authenticationFailed(
        "an answer to a PAM service has at most \(Self.maximumResponse - 1) bytes, none of them zero: type it again")
    }
    guard let copy = malloc(bytes.count + 1) else { throw Self.malformed }
    bytes.withUnsafeBytes { bytes in
      if let start = bytes.baseAddress { memcpy(copy, start, bytes.count) }
    }
    copy.storeBytes(of: 0, toByteOffset: bytes.count, as: UInt8.self)
    return copy.assumingMemoryBound(to: CChar.self)
  }

  /// A module's text, truncated for a terminal and without control characters.
  private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
    guard let pointer else { return "" }
    let bytes = UnsafeRawBufferPointer(start: pointer, count: strnlen(pointer, maximumResponse))
    return PrintableText.oneLine(bytes)
  }

  private static let malformed = PresenceError.biometryNotAvailable(
    "a module of the PAM service asks in a way that is not known: name another service in LATCHKEY_PRESENCE")

  // security/_pam_types.h: PAM_MAX_NUM_MSG, PAM_MAX_RESP_SIZE; the styles; the size of struct pam_response.
  private static let maximumCount = 32
  private static let maximumResponse = 512
  private static let promptEchoOff: CInt = 1
  private static let promptEchoOn: CInt = 2
  private static let errorMessage: CInt = 3
  private static let information: CInt = 4
  private static let responseSize = 16
  /// The limit of messages in one conversation; a module that sends more is in an endless loop.
  private static let maximumMessages = 1_000
}
