import Foundation
import LatchkeyPorting

/// Where ported files go.
protocol PortTarget {
  /// Takes a file that changes.
  func take(_ path: String, _ bytes: [UInt8], _ edits: [Edit]) throws
}

/// Standard output, as a diff.
struct DiffOutput: PortTarget {
  func take(_ path: String, _ bytes: [UInt8], _ edits: [Edit]) throws {
    try FileHandle.standardOutput.write(contentsOf: Data(UnifiedDiff.text(of: edits, in: bytes, path: path)))
  }
}
