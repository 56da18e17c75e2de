/// Arithmetic modulo the group's prime N, on numbers of 48 limbs in memory that the caller has, least significant limb first.
///
/// Nothing here branches on a limb, chooses a place by one, or allocates. Products are Montgomery's: of `a` and `b` there is
/// a · b / R modulo N, R = 2^3072. N begins and ends with 64 ones, so -1/N modulo 2^64 is 1, which spares a multiplication a row.
enum LimbArithmetic {
  typealias Limbs = UnsafeMutablePointer<UInt64>

  /// Limbs of a number.
  static let count = 48
  /// Limbs of scratch memory that products need.
  static let scratchCount = 2 * count

  /// `result` = `a` · `b` / R; `result` may be either.
  static func multiply(_ result: Limbs, _ a: Limbs, _ b: Limbs, modulus n: Limbs, scratch t: Limbs) {
    t.update(repeating: 0, count: scratchCount)
    var i = 0
    // Two rows at a time: a limb of the sum is read and written once for two products, and two chains of carries overlap.
    while i < count {
      let (x0, x1) = (b[i], b[i &+ 1])
      let row = t + i
      var (carry0, carry1) = (UInt64(0), UInt64(0))
      row[0] = product(x0, a[0], row[0], &carry0)
      addRows(row, a, 1, count, x0, x1, &carry0, &carry1)
      finishRows(row, x1, a, carry0, carry1)
      i &+= 2
    }
    reduce(result, t, modulus: n)
  }

  /// `result` = `a`² / R; `result` may be `a`.
  static func square(_ result: Limbs, _ a: Limbs, modulus n: Limbs, scratch t: Limbs) {
    t.update(repeating: 0, count: scratchCount)
    // The mixed products once.
    var i = 0
    while i < count {
      let (x0, x1) = (a[i], a[i &+ 1])
      let row = t + i
      var (carry0, carry1) = (UInt64(0), UInt64(0))
      row[i &+ 1] = product(x0, x1, row[i &+ 1], &carry0)
      if i &+ 2 < count {
        row[i &+ 2] = product(x0, a[i &+ 2], row[i &+ 2], &carry0)
        addRows(row, a, i &+ 3, count, x0, x1, &carry0, &carry1)
        finishRows(row, x1, a, carry0, carry1)
      } else {
        row[count] = carry0
      }
      i &+= 2
    }
    // Doubled, and the squares of the limbs.
    var shifted: UInt64 = 0
    var carry: UInt64 = 0
    i = 0
    while i < count {
      let (low, high) = (t[2 &* i], t[2 &* i &+ 1])
      let square = a[i].multipliedFullWidth(by: a[i])
      t[2 &* i] = sum(low &<< 1 | shifted, square.low, &carry)
      t[2 &* i &+ 1] = sum(high &<< 1 | low &>> 63, square.high, &carry)
      shifted = high &>> 63
      i &+= 1
    }
    reduce(result, t, modulus: n)
  }

  /// `result` = `a` + `b` modulo N; `result` may be either.
  static func sum(_ result: Limbs, _ a: Limbs, _ b: Limbs, modulus n: Limbs, scratch t: Limbs) {
    var carry: UInt64 = 0
    var i = 0
    while i < count {
      t[i] = sum(a[i], b[i], &carry)
      i &+= 1
    }
    subtractOnce(result, t, carry, modulus: n)
  }

  /// `result` = `a` - `b` modulo N; `result` may be either.
  static func difference(_ result: Limbs, _ a: Limbs, _ b: Limbs, modulus n: Limbs) {
    var borrow: UInt64 = 0
    var i = 0
    while i < count {
      result[i] = difference(a[i], b[i], &borrow)
      i &+= 1
    }
    let mask = 0 &- borrow
    var carry: UInt64 = 0
    i = 0
    while i < count {
      result[i] = sum(result[i], n[i] & mask, &carry)
      i &+= 1
    }
  }

  /// `result` = `a`, which has 48 limbs and the carry above them, minus N where that does not go below zero: the remainder of
  /// a number below 2N.
  static func subtractOnce(_ result: Limbs, _ a: Limbs, _ carry: UInt64, modulus n: Limbs) {
    var borrow: UInt64 = 0
    var i = 0
    while i < count {
      _ = difference(a[i], n[i], &borrow)
      i &+= 1
    }
    // Nothing is subtracted where N is greater: there is no carry, and the difference borrows.
    let mask = 0 &- (carry | (borrow ^ 1))
    borrow = 0
    i = 0
    while i < count {
      result[i] = difference(a[i], n[i] & mask, &borrow)
      i &+= 1
    }
  }

  /// `result` = entry `index` of `table`, of which every entry is read.
  static func select(_ result: Limbs, from table: Limbs, entries: Int, index: UInt64) {
    result.update(repeating: 0, count: count)
    var entry = 0
    while entry < entries {
      let differing = UInt64(entry) ^ index
      let mask = ((differing | (0 &- differing)) &>> 63) &- 1
      let limbs = table + entry &* count
      var i = 0
      while i < count {
        result[i] |= limbs[i] & mask
        i &+= 1
      }
      entry &+= 1
    }
  }

  /// All ones if the number is zero, else none.
  static func zeroMask(_ a: Limbs) -> UInt64 {
    var bits: UInt64 = 0
    for i in 0..<count { bits |= a[i] }
    return ((bits | (0 &- bits)) &>> 63) &- 1
  }

  // MARK: Limbs

  /// `a` · `b` + `c` + `carry`: the low half; the high half becomes the carry.
  //
  // Of operations that stand in the standard library as they are: a build without optimization, as tests are, would take ten
  // times as long for `UInt128`'s.
  @inline(__always)
  private static func product(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ carry: inout UInt64) -> UInt64 {
    let (high, low) = a.multipliedFullWidth(by: b)
    let (first, overflow) = low.addingReportingOverflow(c)
    let (second, again) = first.addingReportingOverflow(carry)
    carry = high &+ (overflow ? 1 : 0) &+ (again ? 1 : 0)
    return second
  }

  /// `a` + `b` + `carry`; the carry out is 0 or 1.
  @inline(__always)
  static func sum(_ a: UInt64, _ b: UInt64, _ carry: inout UInt64) -> UInt64 {
    let (first, overflow) = a.addingReportingOverflow(b)
    let (second, again) = first.addingReportingOverflow(carry)
    carry = (overflow ? 1 : 0) &+ (again ? 1 : 0)
    return second
  }

  /// `a` - `b` - `borrow`; the borrow out is 0 or 1.
  @inline(__always)
  static func difference(_ a: UInt64, _ b: UInt64, _ borrow: inout UInt64) -> UInt64 {
    let (first, overflow) = a.subtractingReportingOverflow(b)
    let (second, again) = first.subtractingReportingOverflow(borrow)
    borrow = (overflow ? 1 : 0) &+ (again ? 1 : 0)
    return second
  }

  // MARK: Rows

  /// The 96 limbs of `t` divided by R, modulo N.
  private static func reduce(_ result: Limbs, _ t: Limbs, modulus n: Limbs) {
    var top: UInt64 = 0
    var i = 0
    while i < count {
      let row = t + i
      // m · N has the lowest limb -m: added to the row it leaves nothing there, and m as the carry.
      let m0 = row[0]
      var carry0 = m0
      let m1 = product(m0, n[1], row[1], &carry0)
      var carry1 = m1
      addRows(row, n, 2, count, m0, m1, &carry0, &carry1)
      let low = product(m1, n[count &- 1], row[count], &carry1)
      var carry = top
      row[count] = sum(low, carry0, &carry)
      row[count &+ 1] = sum(row[count &+ 1], carry1, &carry)
      top = carry
      i &+= 2
    }
    subtractOnce(result, t + count, top, modulus: n)
  }

  /// row[j] += `x0` · y[j] + `x1` · y[j - 1] for j from `start` to before `end`.
  @inline(__always)
  private static func addRows(
    _ row: Limbs, _ y: Limbs, _ start: Int, _ end: Int, _ x0: UInt64, _ x1: UInt64, _ carry0: inout UInt64,
    _ carry1: inout UInt64
  ) {
    var j = start
    while j &+ 3 < end {
      row[j] = product(x1, y[j &- 1], product(x0, y[j], row[j], &carry0), &carry1)
      row[j &+ 1] = product(x1, y[j], product(x0, y[j &+ 1], row[j &+ 1], &carry0), &carry1)
      row[j &+ 2] = product(x1, y[j &+ 1], product(x0, y[j &+ 2], row[j &+ 2], &carry0), &carry1)
      row[j &+ 3] = product(x1, y[j &+ 2], product(x0, y[j &+ 3], row[j &+ 3], &carry0), &carry1)
      j &+= 4
    }
    while j < end {
      row[j] = product(x1, y[j &- 1], product(x0, y[j], row[j], &carry0), &carry1)
      j &+= 1
    }
  }

  /// The last product of the second row, and the carries of both: the two limbs were zero.
  @inline(__always)
  private static func finishRows(_ row: Limbs, _ x1: UInt64, _ y: Limbs, _ carry0: UInt64, _ carry1: UInt64) {
    var carry = carry1
    row[count] = product(x1, y[count &- 1], carry0, &carry)
    row[count &+ 1] = carry
  }
}
