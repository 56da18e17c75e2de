import Dispatch
import Foundation
import LatchkeyKeychainModel
import Testing

/// The error of a call that must fail; nil if it does not.
func failure<Value, Failure: Error>(_ body: () throws(Failure) -> Value) -> Failure? {
  do throws(Failure) { _ = try body() } catch { return error }
  return nil
}

/// Every text that Swift makes of a value without being asked for more.
func texts(of value: Any) -> [String] {
  var dumped = ""
  dump(value, to: &dumped)
  return [String(describing: value), String(reflecting: value), "\(value)", dumped]
}

/// Whether a value has bytes anywhere inside: the only type in which this module holds secrets.
func holdsBytes(_ value: Any) -> Bool {
  if value is UInt8 || value is [UInt8] { return true }
  return Mirror(reflecting: value).children.contains { holdsBytes($0.value) }
}

/// Runs two closures at the same time, one of them in a thread of its own, and returns when both have ended.
func onTwoThreads(_ first: @escaping @Sendable () -> Void, _ second: () -> Void) {
  let started = DispatchSemaphore(value: 0)
  let ended = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    started.signal()
    first()
    ended.signal()
  }
  started.wait()
  second()
  #expect(ended.waitLong() == .success, "the other thread hangs")
}

extension DispatchSemaphore {
  /// Waits for as long as only a hang lasts.
  func waitLong() -> DispatchTimeoutResult { wait(timeout: .now() + 60) }
}

/// A keychain in which nothing is.
final class EmptyStore: ItemStore {
  func add(_ item: NewItem, as caller: Entitlements) throws(StoreError) -> StoredItem { throw .unimplemented("add") }
  func find(_ query: ItemQuery, as caller: Entitlements) throws(StoreError) -> [StoredItem] { throw .itemNotFound }
  func update(_ query: ItemQuery, with changes: ItemChanges, as caller: Entitlements) throws(StoreError) -> Int {
    throw .itemNotFound
  }
  func delete(_ query: ItemQuery, as caller: Entitlements) throws(StoreError) -> Int { throw .itemNotFound }
  var lockState: LockState { .unlocked }
  var sharedPath: String? { nil }
}

/// Every attribute that Apple's item schema or this module names, by its four characters.
let attributeNames = [
  "acct", "svce", "gena", "sdmn", "srvr", "ptcl", "atyp", "port", "path", "cdat", "mdat", "desc", "icmt", "crtr",
  "type", "scrp", "labl", "alis", "invi", "nega", "cusi", "prot", "ctyp", "cenc", "issr", "slnr", "subj", "skid",
  "pkhh", "kcls", "klbl", "atag", "bsiz", "esiz", "sdat", "edat", "perm", "priv", "modi", "sens", "asen", "extr",
  "next", "encr", "decr", "drve", "sign", "vrfy", "snrc", "vyrc", "wrap", "unwp", "tkid",
]
