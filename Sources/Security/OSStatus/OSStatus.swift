/// What a call answers: 0 is success, everything else names an error (Apple, MacTypes.h).
public typealias OSStatus = Int32

/// No error: ``errSecSuccess`` under its oldest name.
public let noErr: OSStatus = 0
