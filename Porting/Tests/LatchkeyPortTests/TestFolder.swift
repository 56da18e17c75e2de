import Foundation

@testable import latchkey_port

/// A new folder with files, removed with this object.
final class TestFolder {
  let url: URL

  /// - Parameter files: the text of each file, by its path in the folder.
  init(_ files: [String: String] = [:]) throws {
    url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().appendingPathComponent(
      "port-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    for (path, text) in files { try write(text, to: path) }
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func write(_ text: String, to path: String) throws {
    let file = url.appendingPathComponent(path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  func text(of path: String) throws -> String {
    String(decoding: try Data(contentsOf: url.appendingPathComponent(path)), as: UTF8.self)
  }

  func link(_ path: String, to destination: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: url.appendingPathComponent(path).path, withDestinationPath: destination)
  }

  /// Makes it a repository in which all files are committed.
  func commit() throws {
    _ = try GitProgram.output(of: ["init", "-q"], in: url)
    _ = try GitProgram.output(of: ["add", "-A"], in: url)
    _ = try GitProgram.output(
      of: ["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "a"], in: url)
  }
}
