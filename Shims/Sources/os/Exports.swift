// `os_unfair_lock` and its calls, which are C's, come with `import os`.
@_exported public import CLatchkeyOSLock
