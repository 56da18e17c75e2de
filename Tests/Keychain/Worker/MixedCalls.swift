import Glibc
import LatchkeyKeychainModel

/// Calls at random over few keys, each with the times between which it happened.
struct MixedCalls<Store: ItemStore> {
  let lane: Int
  let keys: Int
  let caller: Entitlements
  let database: Store
  var chance: Chance

  /// Makes so many calls; what came of them.
  func make(_ count: Int) throws -> [WorkerLine] {
    var chance = chance
    var lines: [WorkerLine] = []
    for number in 0..<count {
      let key = Int.random(in: 0..<keys, using: &chance)
      // No two calls of any process write the same version.
      let version = lane * 1_000_000 + number
      switch Int.random(in: 0..<20, using: &chance) {
      case 0..<5:
        lines.append(
          try call(key, .add, version) { try database.add(TortureItem.new(key, version: version), as: caller) })
      case 5..<10:
        lines.append(
          try call(key, .update, version) {
            let count = try database.update(
              TortureItem.query(key), with: TortureItem.changes(key, version: version), as: caller)
            guard count == 1 else { throw TortureItem.Torn(description: "an update of \(count) items") }
          })
      case 10..<13:
        lines.append(
          try call(key, .delete, 0) {
            let count = try database.delete(TortureItem.query(key), as: caller)
            guard count == 1 else { throw TortureItem.Torn(description: "a deletion of \(count) items") }
          })
      case 13..<19: lines.append(try find(key))
      default: lines += try list()
      }
    }
    return lines
  }

  private func call(_ key: Int, _ kind: WorkerLine.Kind, _ version: Int, _ body: () throws -> Void) throws -> WorkerLine
  {
    let begin = Self.now()
    var answer = WorkerLine.Answer.done
    do { try body() } catch StoreError.duplicateItem {
      answer = WorkerLine.Answer.duplicate
    } catch StoreError.itemNotFound {
      answer = WorkerLine.Answer.notFound
    }
    return .call(key: key, kind: kind, version: version, begin: begin, end: Self.now(), answer: answer)
  }

  private func find(_ key: Int) throws -> WorkerLine {
    let begin = Self.now()
    var answer = WorkerLine.Answer.notFound
    do {
      for item in try database.find(TortureItem.query(key, wantsData: true), as: caller) {
        let found = try TortureItem.read(item)
        guard found.key == key else { throw TortureItem.Torn(description: "key \(found.key) instead of \(key)") }
        answer = String(found.version)
      }
    } catch StoreError.itemNotFound {}
    return .call(key: key, kind: .find, version: 0, begin: begin, end: Self.now(), answer: answer)
  }

  private func list() throws -> [WorkerLine] {
    let begin = Self.now()
    let found = try TortureItem.all(in: database, as: caller)
    let end = Self.now()
    return (0..<keys).map { key in
      .call(
        key: key, kind: .find, version: 0, begin: begin, end: end,
        answer: found[key].map(String.init) ?? WorkerLine.Answer.notFound)
    }
  }

  /// CLOCK_MONOTONIC is one clock for all processes of a machine.
  private static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
