import LatchkeyByteCoding
import Synchronization

/// Overwrites the stack below the caller, where the functions that it has called kept what their registers could not hold.
@inline(never)
func eraseStack() {
  var filler = InlineArray<512, UInt64>(repeating: 0)
  wipeBits(of: &filler)
}

/// 192 secret bits in memory: erased with the value.
///
/// A move copies the bits and leaves the old place as it was; secrets are therefore moved into place once, and stay.
package struct SecretScalar: ~Copyable, Sendable {
  private let limb0: Atomic<UInt64>
  private let limb1: Atomic<UInt64>
  private let limb2: Atomic<UInt64>

  package init(_ value: UInt192) {
    limb0 = Atomic(value.limb0)
    limb1 = Atomic(value.limb1)
    limb2 = Atomic(value.limb2)
  }

  deinit {
    limb0.store(0, ordering: .relaxed)
    limb1.store(0, ordering: .relaxed)
    limb2.store(0, ordering: .relaxed)
  }

  /// The bits themselves, to compute with.
  package var value: UInt192 {
    UInt192(limb0.load(ordering: .relaxed), limb1.load(ordering: .relaxed), limb2.load(ordering: .relaxed))
  }
}
