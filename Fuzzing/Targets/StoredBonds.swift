// modules: LatchkeyByteCoding LatchkeyBluetoothHost
import LatchkeyBluetoothHost
import LatchkeyByteCoding

/// Reads the input as a file of bonds and as one of resolving keys, and once more with the digest that it should have.
///
/// Whatever is accepted is what would be written for what is in it, and no key of it is out of range.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStoredBonds(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  check(bytes)
  check(bytes + StoredFrame.digest(of: bytes))
  return 0
}

private func check(_ bytes: [UInt8]) {
  checkBonds(bytes)
  guard let keys = try? StoredResolvingKeys.decode(bytes) else { return }
  guard keys.count <= StoredResolvingKeys.capacity, StoredResolvingKeys.encode(keys) == bytes,
    !keys.contains(where: \.resolvingKey.isZero)
  else { fatalError("not what is written") }
}

private func checkBonds(_ bytes: [UInt8]) {
  guard let entries = try? StoredBonds.decode(bytes) else { return }
  guard entries.count <= StoredBonds.capacity, StoredBonds.encode(entries) == bytes else {
    fatalError("not what is written")
  }
  for key in entries.flatMap({ [$0.bond.keyAsCentral, $0.bond.keyAsPeripheral] }) {
    guard let key else { continue }
    guard 7...16 ~= key.size, !key.key.isZero else { fatalError("a key of \(key.size) bytes") }
  }
}
