package import Logging

/// Where the transports and what stands above them tell of what nobody asked: never packets or what is in them.
package let logger = Logger(label: "latchkey.bluetooth")
