import Foundation
import LatchkeyPorting

/// What standard error says: a line for each thing that is left, in the form of compilers.
struct Report {
  /// Files that were left alone.
  private(set) var complaints = 0
  private var remarks = 0
  var changed = 0

  mutating func complain(_ path: String, _ line: Int?, _ text: String) {
    complaints += 1
    Self.write("\(UnifiedDiff.quoted(path)):\(line.map { "\($0):" } ?? "") error: \(text)")
  }

  mutating func remark(_ path: String, _ remark: Remark) {
    remarks += 1
    Self.write("\(UnifiedDiff.quoted(path)):\(remark.line): \(remark.text)")
  }

  func summarize(_ files: Int) {
    Self.write("\(files) files: \(changed) ported, \(remarks) places left for a person, \(complaints) files left alone")
  }

  static func write(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
}
