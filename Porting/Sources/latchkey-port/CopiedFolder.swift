import Foundation
import LatchkeyPorting

/// A copy of a folder, without hidden folders, products and packages of others, with the ported files in it.
struct CopiedFolder: PortTarget {
  private let root: URL

  /// Copies the folder to a place where nothing is yet. Symbolic links stay links.
  init(of sources: SourceFolder, at path: String) throws {
    // The place itself is not there yet; the folder around it may be behind a symbolic link.
    let place = URL(fileURLWithPath: path).standardizedFileURL
    root = place.deletingLastPathComponent().resolvingSymlinksInPath().appendingPathComponent(place.lastPathComponent)
    guard SourceFolder.kind(of: root) == nil else { throw Refusal.noOutput(path, "exists already") }
    guard !(root.path + "/").hasPrefix(sources.root.path + "/") else {
      throw Refusal.noOutput(path, "lies in the folder that is copied")
    }
    do {
      try FileManager.default.createDirectory(at: root, withIntermediateDirectories: false)
      try Self.copy(sources.root, to: root)
    } catch {
      throw Refusal.noOutput(path, "cannot be written")
    }
  }

  func take(_ path: String, _ bytes: [UInt8], _ edits: [Edit]) throws {
    try FileReplacement.write(edits.applied(to: bytes), to: root.appendingPathComponent(path))
  }

  private static func copy(_ source: URL, to target: URL) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: source.path) {
      let from = source.appendingPathComponent(name)
      let to = target.appendingPathComponent(name)
      switch SourceFolder.kind(of: from) {
      case .typeDirectory where !SourceFolder.isLeftOut(name):
        try FileManager.default.createDirectory(at: to, withIntermediateDirectories: false)
        try copy(from, to: to)
      case .typeRegular where FileManager.default.isReadableFile(atPath: from.path):
        try FileManager.default.copyItem(at: from, to: to)
      case .typeSymbolicLink:
        let destination = try FileManager.default.destinationOfSymbolicLink(atPath: from.path)
        try FileManager.default.createSymbolicLink(atPath: to.path, withDestinationPath: destination)
      // Sockets, pipes and devices are no sources; a file that cannot be read is named when it is looked at.
      default: break
      }
    }
  }
}
