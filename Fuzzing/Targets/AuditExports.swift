// modules: LatchkeyByteCoding
// from LatchkeyEnrollmentStore: Audit/AuditExport.swift Audit/AuditEncoding.swift Audit/AuditEntry.swift Audit/AuditHead.swift EnrollmentStoreError.swift
import Foundation
import LatchkeyByteCoding

/// Reads the input as lines of an export of the audit log: an accepted line is written again as a line with the same entry, and the lines
/// that follow one another are a part of a chain without gaps.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAuditExports(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  var verifier = AuditExportVerifier()
  var accepted: Int64 = 0
  for line in input.split(separator: 0x0A, omittingEmptySubsequences: false) {
    guard let entry = try? AuditExport.entry(line) else { continue }
    guard (try? AuditExport.entry(Array(AuditExport.line(entry).utf8))) == entry else {
      fatalError("an entry that reads differently")
    }
    if (try? verifier.take(line: line)) != nil { accepted += 1 }
  }
  guard verifier.parts.map({ $0.end.sequence - $0.start.sequence }).reduce(0, +) == accepted else {
    fatalError("a chain with a gap")
  }
  return 0
}
