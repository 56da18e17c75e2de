import LatchkeyByteCoding
import LatchkeyKeychainModel
import LatchkeyUserPresence

extension PresenceAuthority {
  /// Whether the secret that `control` guards is lost for good, because the enrollment has changed since and no other factor
  /// opens it. Never prompts.
  ///
  /// - Throws: `.unavailable` if biometry is unavailable now, so that the answer is unknown.
  func isLost(_ control: StoredControl) throws(StoreError) -> Bool {
    guard let enrolled = control.enrollment else { return false }
    // The passcode still opens it.
    if control.flags.isSuperset(of: [.or, .devicePasscode]) { return false }
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
