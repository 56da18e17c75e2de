import LatchkeyProvisioningProtocol
import Synchronization

/// A device's end of the protocol for `RawPeripheral`, which a test can have misbehave.
final class LegacyDeviceScript: Sendable {
  private struct State: ~Copyable {
    var session: LegacySession
    var length: Int
    var answers: [String]
  }

  private let state: Mutex<State>

  /// A device whose frames are cut at `length`, and that answers each message with `answers`.
  init(length: Int = 20, answers: [String] = ["{\"code\":0}", "{\"status\":\"connected\"}"]) throws {
    var random = SystemRandomNumberGenerator()
    let session = LegacySession(role: .device, privateKey: try Secp192k1.PrivateKey(using: &random))
    state = Mutex(State(session: session, length: length, answers: answers))
  }

  /// The device's key, for one that speaks first.
  func offer() -> [UInt8] { state.withLock { $0.session.offerKey().encoded } }

  /// The values to notify after a written one.
  func values(after value: [UInt8]) -> [[UInt8]] {
    frames(after: value).flatMap { frame in
      LegacyFrame.values(of: frame, maximumLength: state.withLock { $0.length })
    }
  }

  /// The frames to send after a written value.
  func frames(after value: [UInt8]) -> [[UInt8]] {
    state.withLock { state in
      var frames: [[UInt8]] = []
      for output in state.session.receive(value, now: .zero) {
        switch output {
        case .send(let frame): frames.append(frame.encoded)
        case .received:
          for answer in state.answers {
            if let frame = try? state.session.frame(answer) { frames.append(frame.encoded) }
          }
        case .receivedFrame, .unauthenticatedKeyAgreed, .failed: break
        }
      }
      return frames
    }
  }
}
