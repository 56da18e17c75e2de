import LatchkeyByteCoding
import LatchkeyKeychainModel
import LatchkeyUserPresence

extension PresenceAuthority {
  /// Whether what `control` guards is lost for good, because what was enrolled when it was made has changed and nothing
  /// else opens it. Nobody is asked.
  ///
  /// - Throws: `.unavailable` where there is no biometry now, so that nobody can tell.
  func isLost(_ control: StoredControl) throws(StoreError) -> Bool {
    guard let enrolled = control.enrollment else { return false }
    // The passcode opens it still.
    if control.control.flags.isSuperset(of: [.or, .devicePasscode]) { return false }
    do throws(PresenceError) {
      return !constantTimeEquals(try enrollment(), enrolled)
    } catch {
      switch error {
      case .biometryNotEnrolled: return true
      case .biometryNotAvailable(let text): throw .unavailable(text)
      default: throw .presence(error)
      }
    }
  }
}
