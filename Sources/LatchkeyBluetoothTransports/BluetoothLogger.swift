package import Logging

/// The log of the transports and of the modules above them, for problems without a caller to report to: never packets
/// or their content.
package let logger = Logger(label: "latchkey.bluetooth")
