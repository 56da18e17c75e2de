// Names of Apple's, which Apple documents.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation
internal import Logging
internal import Synchronization

/// Where messages of a subsystem and a category go: to swift-log, with the subsystem as label and the category as metadata.
public final class OSLog: NSObject, Sendable {
  /// Categories that Apple's tools give a meaning. Here they are names.
  public struct Category: Hashable, Sendable {
    let name: String
    public static let pointsOfInterest = Category(name: "PointsOfInterest")
    public static let dynamicTracing = Category(name: "DynamicTracing")
    public static let dynamicStackTracing = Category(name: "DynamicStackTracing")
  }

  /// The log of what names no subsystem; its label is `os`.
  public static let `default` = OSLog(subsystem: "", category: "")
  /// Messages to this log are dropped before they are put together.
  public static let disabled = OSLog(subsystem: "", category: "", isDisabled: true)

  private let subsystem: String
  private let category: String
  private let isDisabled: Bool
  // Made for the first message, not with the log, which is often a global: a program bootstraps swift-log later.
  private let logger = Mutex<Logging.Logger?>(nil)

  public convenience init(subsystem: String, category: String) {
    self.init(subsystem: subsystem, category: category, isDisabled: false)
  }

  public convenience init(subsystem: String, category: Category) {
    self.init(subsystem: subsystem, category: category.name, isDisabled: false)
  }

  private init(subsystem: String, category: String, isDisabled: Bool) {
    self.subsystem = subsystem
    self.category = category
    self.isDisabled = isDisabled
  }

  /// Whether swift-log's handler takes messages of this type.
  public func isEnabled(type: OSLogType) -> Bool {
    !isDisabled && destination.logLevel <= type.level
  }

  /// Never: signposts are not recorded.
  public var signpostsEnabled: Bool { false }

  /// Puts the message together only if it is wanted.
  func log(_ type: OSLogType, _ message: () -> String) {
    guard !isDisabled else { return }
    destination.log(level: type.level, "\(message())", source: subsystem.isEmpty ? "os" : subsystem)
  }

  private var destination: Logging.Logger {
    logger.withLock { made in
      if let made { return made }
      var logger = Logging.Logger(label: subsystem.isEmpty ? "os" : subsystem)
      if !category.isEmpty { logger[metadataKey: "category"] = "\(category)" }
      made = logger
      return logger
    }
  }
}
