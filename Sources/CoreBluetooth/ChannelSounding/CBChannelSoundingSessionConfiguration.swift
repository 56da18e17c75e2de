public import Foundation

/// The settings of a channel sounding session (Core 6.0 Vol 1 Part A 9).
open class CBChannelSoundingSessionConfiguration: NSObject {
  /// This host's part in the measurements.
  public enum Role: Int, Sendable {
    /// It begins each measurement and computes the distance.
    case initiator = 0
  }

  private let chosenRole: Role

  /// The settings of a session in which this host has a role.
  public init(role: Role) {
    chosenRole = role
    super.init()
  }

  /// This host's part in the measurements.
  open var role: Role { chosenRole }
}

/// The result of one measurement of a channel sounding session.
open class CBChannelSoundingProcedureResults: NSObject {
  private let metres: Double

  init(distance: Double) {
    metres = distance
    super.init()
  }

  /// The distance to the peripheral in meters.
  open var distance: Double { metres }
}
