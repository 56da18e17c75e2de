internal import Foundation
internal import Synchronization

/// Retains the objects behind returned pointers.
///
/// On Linux, Foundation's collections return strings, data, numbers and collections as Swift values. An object bridged from
/// one has no other owner, so a pointer to it would dangle: it is retained here until its collection is deallocated.
///
/// Unchecked: `loans` and `untilSweep` are used under `lock` alone. The objects were made from Swift values, and do not change.
final class LentObjects: @unchecked Sendable {
  private struct Loans {
    weak var collection: AnyObject?
    var objects: [AnyHashable: AnyObject] = [:]
  }

  private static let shared = LentObjects()
  private let lock = Mutex<Void>(())
  private var loans: [ObjectIdentifier: Loans] = [:]
  /// The number of pointers to return before the next sweep for loans of deallocated collections.
  private var untilSweep = 0

  /// A pointer to `value`, the element at `place` in `collection`.
  static func pointer(to value: Any, at place: AnyHashable, of collection: AnyObject) -> UnsafeRawPointer {
    let object = type(of: value) is AnyClass ? value as AnyObject : shared.lend(value, at: place, of: collection)
    return UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
  }

  /// The number of collections with retained objects.
  static var count: Int { shared.lock.withLock { _ in shared.loans.count } }

  private func lend(_ value: Any, at place: AnyHashable, of collection: AnyObject) -> AnyObject {
    nonisolated(unsafe) var object = value as AnyObject
    // These are released outside of the lock, because a deinitializer may run any code.
    var ended: [Loans] = []
    var replaced: AnyObject?
    lock.withLock { _ in
      if untilSweep == 0 {
        ended = loans.values.filter { $0.collection == nil }
        loans = loans.filter { $0.value.collection != nil }
        untilSweep = loans.count
      } else {
        untilSweep -= 1
      }
      let name = ObjectIdentifier(collection)
      var own = loans[name] ?? Loans(collection: collection)
      if own.collection !== collection {
        // A deallocated collection had the same address.
        ended.append(own)
        own = Loans(collection: collection)
      }
      // A mutable collection may have another value at this place now.
      if let old = own.objects[place], (old as? NSObject)?.isEqual(object) == true {
        object = old
      } else {
        replaced = own.objects.updateValue(object, forKey: place)
        loans[name] = own
      }
    }
    return withExtendedLifetime((ended, replaced)) { object }
  }
}
