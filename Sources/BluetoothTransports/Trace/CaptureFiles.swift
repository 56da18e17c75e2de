import Logging

/// The files of a capture: the H4 link type has no room for a controller's name, so each controller has a file of its own.
/// The first has the name that was asked for; `.2`, `.3` and so on are put behind it for the others.
struct CaptureFiles: Sendable {
  private let path: String?
  private var first: PacketTrace?
  private var count = 0

  /// No capture.
  init() { path = nil }

  /// A capture whose first file is there already.
  init(path: String, first: PacketTrace) {
    self.path = path
    self.first = first
  }

  /// The file for the next controller; nil if there is to be none. A file that cannot be written is told to the log.
  mutating func next(for controller: String) -> PacketTrace? {
    guard let path else { return nil }
    count += 1
    defer { first = nil }
    if let first { return first }
    let other = "\(path).\(count)"
    do throws(PacketTraceError) {
      let trace = try PacketTrace(path: other)
      logger.notice("The traffic with another controller, of \(controller), is captured in \(other)")
      return trace
    } catch {
      logger.warning("Another controller, of \(controller), is not captured: \(error)")
      return nil
    }
  }
}
