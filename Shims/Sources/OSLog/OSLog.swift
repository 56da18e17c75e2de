// Apple's `OSLog` brings what `os` has; its store of messages that were written is not there.
@_exported public import os
