/// Numbers the periods in which a host is powered on. Each request of a client belongs to one of them.
///
/// A client learns of a reset later than it happens. A command that names the life known to the client is refused once
/// that life is over, so that the reset event, still under way, does not seem to end a request that started after it.
public struct HostLife: Hashable, Sendable {
  package let value: UInt64
  package init(_ value: UInt64) { self.value = value }
}

/// The state of a host and its controller.
public enum HostState: Sendable, Hashable {
  /// Not known yet: the controller is being initialized.
  case unknown
  /// The controller is lost for the moment and is being initialized again.
  case resetting
  /// The controller lacks what a host needs.
  case unsupported
  /// There is no controller.
  case poweredOff
  /// Ready.
  case poweredOn
}
