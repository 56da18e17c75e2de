internal import Foundation
internal import Synchronization

/// Objects that pointers were given out to.
///
/// On Linux Foundation's collections give their strings, data, numbers and collections out as Swift's values. The object made of one
/// belongs to nobody, so that a pointer to it would point nowhere: it is kept here until its collection is gone.
final class LentObjects: @unchecked Sendable {
  private struct Loans {
    weak var collection: AnyObject?
    var objects: [AnyHashable: AnyObject] = [:]
  }

  private static let shared = LentObjects()
  private let lock = Mutex<Void>(())
  private var loans: [ObjectIdentifier: Loans] = [:]
  /// How many pointers may be given out before loans are looked through for those whose collection is gone.
  private var untilSweep = 0

  /// A pointer to `value`, which stands at `place` in `collection`.
  static func pointer(to value: Any, at place: AnyHashable, of collection: AnyObject) -> UnsafeRawPointer {
    let object = type(of: value) is AnyClass ? value as AnyObject : shared.lend(value, at: place, of: collection)
    return UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
  }

  /// How many collections have objects here that are not given up yet.
  static var count: Int { shared.lock.withLock { _ in shared.loans.count } }

  private func lend(_ value: Any, at place: AnyHashable, of collection: AnyObject) -> AnyObject {
    nonisolated(unsafe) var object = value as AnyObject
    // Let go of outside of the lock: the end of an object may run anything.
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
        // One that is gone had the same address.
        ended.append(own)
        own = Loans(collection: collection)
      }
      // A collection that can be changed may have another value there now.
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
