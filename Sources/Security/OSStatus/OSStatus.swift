/// The status of a call: 0 is success, any other value an error (Apple, MacTypes.h).
public typealias OSStatus = Int32

/// No error: ``errSecSuccess`` under its oldest name.
public let noErr: OSStatus = 0
