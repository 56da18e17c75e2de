// Opening a keychain includes choosing how to prompt the user, so one import covers both modules.
@_exported public import LatchkeyUserPresence
