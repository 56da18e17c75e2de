/// The purpose of a manager's controller.
package enum ControllerRole: String, Sendable {
  /// Scanning and connecting.
  case central
  /// Advertising and being connected to.
  case peripheral
}
