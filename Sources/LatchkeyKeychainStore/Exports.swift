// Who can be asked is part of what a program says when it opens a keychain: one import is enough for both.
@_exported public import LatchkeyUserPresence
