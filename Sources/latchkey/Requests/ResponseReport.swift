import Foundation
import LatchkeyCommandLine
import LatchkeyEnrollment
import LatchkeySystem

/// The output of a response.
struct ResponseReport: Sendable {
  private let response: ServiceResponse
  private let showsHead: Bool
  private let prints: Bool

  /// - Parameter prints: whether the response is written at all.
  init(_ response: ServiceResponse, verbose: Bool, showsHead: Bool, prints: Bool) {
    self.response = response
    self.showsHead = showsHead && prints
    self.prints = prints
    if verbose { Self.show(response) }
  }

  /// Reports the head of a response on standard error.
  static func show(_ response: ServiceResponse) {
    let signed = response.isVerified ? ["signed by the enrollment server"] : []
    RequestField.report(
      ["\(response.version) \(response.status)"] + response.fields.map(RequestField.shown) + [""], mark: "<")
    RequestField.report(signed, mark: "*")
  }

  /// Writes the content, and the head if it is wanted, to a file or to standard output.
  ///
  /// - Returns: how many bytes the content had.
  func receive(to path: String?, isHead: Bool) async throws -> Int {
    guard let path, path != "-", prints else {
      if showsHead { try StandardStreams.write(head) }
      var size = 0
      for try await piece in response.body {
        size += piece.count
        if prints { try StandardStreams.write(piece) }
      }
      return size
    }
    let file = try StreamedFile(path)
    do {
      if showsHead { try file.write(head) }
      var size = 0
      for try await piece in response.body {
        size += piece.count
        try file.write(piece)
      }
      try file.finish()
      return size
    } catch {
      file.abandon()
      throw error
    }
  }

  private var head: [UInt8] {
    let lines = ["\(response.version) \(response.status)"] + response.fields.map { "\($0.name): \($0.value)" }
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }

  /// The text of `-w`.
  func text(_ format: String, size: Int, time: Duration) -> String {
    let values = [
      "http_code": "\(response.status)", "response_code": "\(response.status)",
      "content_type": response.field("content-type") ?? "", "size_download": "\(size)",
      "time_total": String(format: "%.6f", time / .seconds(1)), "verified": "\(response.isVerified)",
      "http_version": String(response.version.dropFirst(5)),
    ]
    var text = ""
    var rest = format[...]
    while let character = rest.popFirst() {
      if character == "\\", let next = rest.popFirst() {
        text += ["n": "\n", "t": "\t", "r": "\r", "\\": "\\"][next] ?? "\\\(next)"
      } else if character == "%", rest.first == "{", let end = rest.firstIndex(of: "}") {
        text += values[String(rest[rest.index(after: rest.startIndex)..<end])] ?? ""
        rest = rest[rest.index(after: end)...]
      } else if character == "%", rest.first == "%" {
        rest.removeFirst()
        text += "%"
      } else {
        text.append(character)
      }
    }
    return text
  }
}

/// A file that is written by pieces, and takes its name when it is whole; a device or a pipe gets the pieces at once.
final class StreamedFile: Sendable {
  private let handle: FileHandle
  /// The file that is replaced, and the one beside it; nil for a device or a pipe.
  private let replaced: (target: String, beside: String)?

  init(_ path: String) throws(CommandFailure) {
    do {
      guard let target = try OutputFile.target(path) else {
        replaced = nil
        handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        return
      }
      let beside = "\(target).\(getpid()).part"
      unlink(beside)
      let descriptor = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
      guard descriptor >= 0 else { throw Self.unwritable(path) }
      replaced = (target, beside)
      handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw Self.unwritable(path)
    }
  }

  func write(_ bytes: [UInt8]) throws(CommandFailure) {
    do { try handle.write(contentsOf: Data(bytes)) } catch { throw Self.unwritable(replaced?.target ?? "the output") }
  }

  func finish() throws(CommandFailure) {
    do { try handle.close() } catch { throw Self.unwritable(replaced?.target ?? "the output") }
    guard let replaced else { return }
    guard rename(replaced.beside, replaced.target) == 0 else { throw Self.unwritable(replaced.target) }
  }

  func abandon() { if let replaced { unlink(replaced.beside) } }

  private static func unwritable(_ path: String) -> CommandFailure {
    CommandFailure(.inputOutput, "\(path) cannot be written: is there room on the disk?")
  }
}
