// Names of Apple's, which Apple documents.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

/// The device: a Linux system without a vendor's identifier, whose battery is unknown.
@preconcurrency @MainActor
open class UIDevice: NSObject {
  /// Whether the battery is charged.
  public enum BatteryState: Int, Sendable {
    case unknown, unplugged, charging, full
  }

  public static let current = UIDevice()

  open var name: String { "Linux" }
  open var model: String { "Linux" }
  open var localizedModel: String { model }
  open var systemName: String { "Linux" }
  /// The kernel's.
  open var systemVersion: String {
    let version = ProcessInfo.processInfo.operatingSystemVersion
    return "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
  }
  open var identifierForVendor: UUID? { nil }
  open var isMultitaskingSupported: Bool { true }
  open var userInterfaceIdiom: UIUserInterfaceIdiom { .unspecified }
  open var isBatteryMonitoringEnabled = false
  open var batteryLevel: Float { -1 }
  open var batteryState: BatteryState { .unknown }

  public nonisolated static let batteryLevelDidChangeNotification =
    NSNotification.Name("UIDeviceBatteryLevelDidChangeNotification")
  public nonisolated static let batteryStateDidChangeNotification =
    NSNotification.Name("UIDeviceBatteryStateDidChangeNotification")
}

/// What kind of device an interface is for.
public enum UIUserInterfaceIdiom: Int, Sendable {
  case unspecified = -1
  case phone, pad, tv, carPlay
  case mac = 5
  case vision
}
