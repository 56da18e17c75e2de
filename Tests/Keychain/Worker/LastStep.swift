import Glibc
import LatchkeyKeychainStore
import Synchronization

/// The step of a change of keys at which this process is killed.
enum LastStep {
  private static let step = Mutex<RotationStep?>(nil)

  static func set(_ last: RotationStep) { step.withLock { $0 = last } }

  static func reach(_ reached: RotationStep) {
    if step.withLock({ $0 == reached }) { kill(getpid(), SIGKILL) }
  }
}
