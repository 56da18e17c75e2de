import CoreBluetooth
import LatchkeyCommandLine

/// What went wrong with a request, for people, for JSON and as an exit status.
enum AttributeFailure {
  /// The device's error code, if it gave one, and the words.
  static func words(_ error: any Error) -> (code: Int?, message: String) {
    switch error {
    case let failure as CentralSession.Failure: (nil, failure.message)
    case let failure as CommandFailure: (nil, failure.message)
    case let failure as CBATTError: (failure.code.rawValue, words(failure))
    default: (nil, error.localizedDescription)
    }
  }

  private static func words(_ failure: CBATTError) -> String {
    // From 0x80 on the meaning is the application's own, and the system has no text for it.
    let words = failure.code.rawValue < 0x80 ? ": \(failure.localizedDescription)" : ", the application's own"
    return "error 0x\(String(failure.code.rawValue, radix: 16))" + words
  }

  /// The failure that ends a command.
  static func ending(_ error: any Error) -> any Error {
    switch error {
    case is CommandFailure, is CancellationError: error
    case let failure as CentralSession.Failure:
      CommandFailure(.unavailable, code: failure.code, failure.message)
    case let failure as CBATTError:
      CommandFailure(
        isRefusal(failure.code) ? .notPermitted : .unavailable,
        code: "att0x\(String(failure.code.rawValue, radix: 16))", "the device answered with \(words(failure))")
    case let failure as CBError where failure.code == .peerRemovedPairingInformation:
      CommandFailure(
        .unavailable, code: "keyMissing",
        failure.localizedDescription + " Remove the pairing by `latchkey ble bonds --remove`, and pair anew.")
    default: CommandFailure(.unavailable, error.localizedDescription)
    }
  }

  /// Whether a request may never be made, or needs more security than there is (Core 6.0 Vol 3 Part F 3.4.1.1).
  private static func isRefusal(_ code: CBATTError.Code) -> Bool {
    switch code {
    case .readNotPermitted, .writeNotPermitted, .insufficientAuthentication, .insufficientAuthorization,
      .insufficientEncryption, .insufficientEncryptionKeySize:
      true
    default: false
    }
  }
}
