import Foundation
import LatchkeyPorting

/// The Swift files of a folder. Symbolic links are not followed, so that no loop and no file from elsewhere is among them.
struct SourceFolder: Sendable {
  struct Skipped: Sendable {
    let path: String
    let reason: String
  }

  /// The folder, without symbolic links.
  let root: URL
  /// The files' paths below the folder, in order.
  let files: [String]
  /// What could not be looked at.
  let skipped: [Skipped]

  /// Folders of products and of packages of others.
  private static let foreign: Set = ["Carthage", "DerivedData", "Pods", "node_modules"]
  /// A package that has more has something else in its folder.
  private static let most = 100_000
  /// How deeply folders may lie in one another.
  private static let deepest = 64

  init(_ path: String) throws {
    root = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: root.path, isDirectory: &isFolder), isFolder.boolValue else {
      throw Refusal.noFolder(path)
    }
    var files: [String] = []
    var skipped: [Skipped] = []
    var waiting = [(path: "", depth: 0)]
    while let (folder, depth) = waiting.popLast() {
      let names: [String]
      do {
        names = try FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path).sorted()
      } catch {
        skipped.append(Skipped(path: folder.isEmpty ? "." : folder, reason: "the folder cannot be read"))
        continue
      }
      for name in names {
        let path = folder.isEmpty ? name : "\(folder)/\(name)"
        switch Self.kind(of: root.appendingPathComponent(path)) {
        case .typeDirectory where !Self.isLeftOut(name):
          if depth < Self.deepest {
            waiting.append((path, depth + 1))
          } else {
            skipped.append(Skipped(path: path, reason: "the folder lies too deep"))
          }
        case .typeRegular where name.hasSuffix(".swift") && !Self.isManifest(name): files.append(path)
        case .typeSymbolicLink where name.hasSuffix(".swift"):
          skipped.append(Skipped(path: path, reason: "left alone: it is a symbolic link"))
        default: break
        }
      }
      guard files.count <= Self.most else { throw Refusal(text: "\(root.path) has more than \(Self.most) Swift files") }
    }
    self.files = files.sorted()
    self.skipped = skipped
  }

  /// The bytes of a file, no more than are ported.
  func bytes(of path: String) throws -> [UInt8] {
    let url = root.appendingPathComponent(path)
    do {
      let file = try FileHandle(forReadingFrom: url)
      defer { try? file.close() }
      return Array(try file.read(upToCount: SourceText.largest + 1) ?? Data())
    } catch {
      throw Refusal(text: "it cannot be read")
    }
  }

  /// A file's own kind: a symbolic link is one.
  static func kind(of url: URL) -> FileAttributeType? {
    try? FileManager.default.attributesOfItem(atPath: url.path)[.type] as? FileAttributeType
  }

  /// Whether a folder of this name holds no sources of the package: products, packages of others, and what is hidden.
  static func isLeftOut(_ name: String) -> Bool { name.hasPrefix(".") || foreign.contains(name) }

  private static func isManifest(_ name: String) -> Bool {
    name == "Package.swift" || name.hasPrefix("Package@swift-")
  }
}
