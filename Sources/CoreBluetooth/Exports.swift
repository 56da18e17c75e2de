// Apple's CoreBluetooth re-exports Foundation and Dispatch; app code imports CoreBluetooth alone.
@_exported public import Dispatch
@_exported public import Foundation

// Foundation on Linux lacks these names of CoreFoundation, which one callback of CoreBluetooth uses.

/// A time in seconds since 2001-01-01 00:00:00 UTC.
public typealias CFAbsoluteTime = CFTimeInterval

/// A span of time in seconds.
public typealias CFTimeInterval = Double

/// The current time, in seconds since 2001-01-01 00:00:00 UTC.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date.timeIntervalSinceReferenceDate }
