import LatchkeyCommandLine
import LatchkeyProvisioning
import LatchkeyProvisioningProtocol
import LatchkeySystem

extension LegacyProvisioningError {
  /// How the command ends.
  var status: ExitStatus {
    switch self {
    case .radioUnavailable, .notFound, .serviceMissing, .characteristicMissing, .propertyMissing: .unavailable
    case .connectionFailed, .disconnected, .timedOut, .cancelled, .refused(.busy), .noRandomness: .tryLater
    case .refused, .attributeError, .accessFailed, .deviceMisbehaved, .tooManyAnswers, .payloadTooLong: .badData
    }
  }

  /// Its name in JSON.
  var code: String {
    switch self {
    case .radioUnavailable: "radioUnavailable"
    case .notFound: "notFound"
    case .connectionFailed: "connectionFailed"
    case .disconnected: "disconnected"
    case .timedOut: "timedOut"
    case .cancelled: "cancelled"
    case .serviceMissing: "serviceMissing"
    case .characteristicMissing: "characteristicMissing"
    case .propertyMissing: "propertyMissing"
    case .refused(let refusal): refusal.code
    case .attributeError: "attributeError"
    case .accessFailed: "accessFailed"
    case .deviceMisbehaved: "deviceMisbehaved"
    case .tooManyAnswers: "tooManyAnswers"
    case .noRandomness: "noRandomness"
    case .payloadTooLong: "payloadTooLong"
    }
  }

  /// What led to the error, where a command prints it as a member of its own in JSON.
  var cause: String? {
    if case .radioUnavailable(_, let cause) = self { return cause }
    return nil
  }

  /// What went wrong with `target`, in a line.
  func explanation(of target: String) -> String {
    switch self {
    case .radioUnavailable(let state, let cause): ControllerOptions.absence(state, cause: cause)
    case .notFound: "\(target) was not found"
    case .connectionFailed(let reason): "\(target) cannot be connected to: \(PrintableText.escaped(reason))"
    case .disconnected(let step): "the link to \(target) was lost while \(step.words)"
    case .timedOut(let step): "\(target) took too long while \(step.words)"
    case .cancelled: "canceled"
    case .serviceMissing(let service):
      "\(target) does not offer service \(service.rawValue); --plain allows F100, in the clear"
    case .characteristicMissing(let characteristic): "\(target) lacks characteristic \(characteristic.rawValue)"
    case .propertyMissing(let characteristic, let names):
      "\(target)'s characteristic \(characteristic.rawValue) has none of the properties \(names.joined(separator: ", "))"
    case .refused(.busy): "\(target) refused: \(LegacyRefusal.busy.words); try again in a while"
    case .refused(let refusal): "\(target) refused: \(refusal.words); it has forgotten the session: try again"
    case .attributeError(let code, let characteristic):
      "\(target) answered an access to \(characteristic.rawValue) with error 0x\(String(code, radix: 16))"
    case .accessFailed(let characteristic, let reason):
      "an access to \(target)'s \(characteristic.rawValue) failed: \(PrintableText.escaped(reason))"
    case .deviceMisbehaved(let error): "\(target) sent what the protocol does not allow: \(error.words)"
    case .tooManyAnswers: "\(target) sends answers without end"
    case .noRandomness: "the system yields no random numbers fit for a key"
    case .payloadTooLong(let length, let maximum): "the payload has \(length) bytes; \(maximum) can be sent"
    }
  }
}

extension LegacyProvisioningError.Step {
  fileprivate var words: String {
    switch self {
    case .startingRadio: "the radio was being switched on"
    case .searching: "it was being looked for"
    case .connecting: "connecting"
    case .discovering: "its services were being discovered"
    case .subscribing: "subscribing to its answers"
    case .agreeingOnKey: "agreeing on a key"
    case .sendingPayload: "the payload was being sent"
    case .awaitingAnswer: "its answer was awaited"
    }
  }
}

extension LegacyRefusal {
  /// Its name in JSON.
  var code: String {
    switch self {
    case .malformedFrame: "malformedFrame"
    case .frameOutOfPlace: "frameOutOfPlace"
    case .invalidKey: "invalidKey"
    case .undecryptable: "undecryptable"
    case .busy: "busy"
    }
  }

  fileprivate var words: String {
    switch self {
    case .malformedFrame: "malformed frame (0x80)"
    case .frameOutOfPlace: "frame out of place (0x81)"
    case .invalidKey: "invalid key (0x82)"
    case .undecryptable: "undecryptable (0x83)"
    case .busy: "busy (0x84)"
    }
  }
}

extension LegacySessionError {
  /// The error, in a few words.
  var words: String {
    switch self {
    case .malformedFrame(let error):
      switch error {
      case .unknownType(let type): "a frame of unknown type 0x\(String(type, radix: 16))"
      case .keyLength(let length): "a key of \(length) bytes"
      case .ciphertextLength(let length): "a ciphertext of \(length) bytes"
      case .tooLong(let length, let maximum): "a frame of \(length) bytes, more than \(maximum)"
      }
    case .frameOutOfPlace(let type): "a frame of type 0x\(String(type.rawValue, radix: 16)) out of place"
    case .invalidKey: "a key that is no point of the curve"
    case .undecryptable: "a ciphertext that does not decrypt to text"
    case .busy: "more sessions than it accepts"
    case .timedOut: "half a frame, then nothing"
    case .refused(let refusal): refusal.words
    case .notEstablished, .ended: "something before or after the session"
    case .messageTooLong(let length): "a message of \(length) bytes"
    }
  }
}
