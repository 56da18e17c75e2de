internal import Foundation

/// Writes a message of a C format: `%{public}@`, `%d`, `%{private}s`. Numbers are shown, and objects and strings only if they are
/// public. Arguments may be of any type, since Foundation's classes are no `CVarArg` on Linux.
public func os_log(
  _ message: StaticString, dso: UnsafeRawPointer? = #dsohandle, log: OSLog = .default, type: OSLogType = .default,
  _ args: Any?...
) {
  write(message, log, type, args)
}

/// The same with the type first.
public func os_log(
  _ type: OSLogType, dso: UnsafeRawPointer? = #dsohandle, log: OSLog = .default, _ message: StaticString,
  _ args: Any?...
) {
  write(message, log, type, args)
}

/// Writes an interpolated message.
@_disfavoredOverload
public func os_log(_ message: OSLogMessage) {
  OSLog.default.log(.default) { message.text }
}

/// Writes an interpolated message to a log.
@_disfavoredOverload
public func os_log(_ type: OSLogType = .default, log: OSLog = .default, _ message: OSLogMessage) {
  log.log(type) { message.text }
}

private func write(_ message: StaticString, _ log: OSLog, _ type: OSLogType, _ args: [Any?]) {
  // Before anything else may set it: `%m` is about the caller's last call.
  let errorNumber = errno
  log.log(type) { FormattedMessage.text(message.description, args, errorNumber: errorNumber) }
  errno = errorNumber
}
