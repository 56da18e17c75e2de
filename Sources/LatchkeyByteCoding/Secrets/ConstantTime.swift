/// Whether `a` and `b` are the same bytes, in a time that depends on their lengths alone.
///
/// Lengths are public: different lengths answer at once.
@inline(never)
public func constantTimeEquals(_ a: [UInt8], _ b: [UInt8]) -> Bool {
  guard a.count == b.count else { return false }
  var difference: UInt8 = 0
  for index in a.indices { difference |= a[index] ^ b[index] }
  return difference == 0
}

/// Whether every byte of `bytes` is zero, in a time that depends on the length alone.
@inline(never)
public func constantTimeIsZero(_ bytes: [UInt8]) -> Bool {
  var all: UInt8 = 0
  for byte in bytes { all |= byte }
  return all == 0
}
