/// The domain of errors of Core Bluetooth itself.
public let CBErrorDomain = "CBErrorDomain"

/// The domain of errors that a peer answered with, by the Attribute Protocol.
public let CBATTErrorDomain = "CBATTErrorDomain"
