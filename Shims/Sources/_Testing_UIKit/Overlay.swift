// In a file that imports both Swift Testing and a module named `UIKit`, the compiler imports this module in the place of the former, and
// the toolchain has none for Linux.
@_exported public import Testing
