import Foundation
import LatchkeyPorting

/// The folder itself, in a clean working tree of git: whatever is written can be compared and taken back.
struct WorkingTree: PortTarget {
  private let root: URL
  /// The files that git knows, by their paths below the folder.
  private let tracked: Set<String>

  /// - Throws: there is no git, no repository, or a change that is not committed.
  init(_ sources: SourceFolder) throws {
    root = sources.root
    let status = try GitProgram.output(of: ["status", "--porcelain", "--untracked-files=normal"], in: root)
    guard status.isEmpty else { throw Refusal.notClean("the working tree has changes: commit them first") }
    let listed = try GitProgram.output(of: ["ls-files", "-z"], in: root)
    tracked = Set(listed.split(separator: 0).map { String(decoding: $0, as: UTF8.self) })
  }

  func take(_ path: String, _ bytes: [UInt8], _ edits: [Edit]) throws {
    // A file that is ignored, or another repository's, could not be restored.
    guard tracked.contains(path) else { throw Refusal(text: "git does not know it") }
    try FileReplacement.write(edits.applied(to: bytes), to: root.appendingPathComponent(path))
  }
}
