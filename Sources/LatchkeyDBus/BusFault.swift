/// Why a call on a bus failed.
package enum BusFault: Error, Hashable, Sendable {
  /// The call was canceled.
  case cancelled
  /// The bus, or the library for it, is missing, or the connection was lost.
  case noBus(String)
  /// The deadline passed without a reply.
  case late
  /// The reply is an error of this name. Its text is the service's: it may be shown, never trusted.
  case refused(name: String, text: String)
  /// The message violates the interface.
  case malformed(String)
}
