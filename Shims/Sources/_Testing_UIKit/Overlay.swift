// Swift Testing brings a module of this name into each file that imports both it and a module named `UIKit`, on Linux, too, where the
// toolchain has none. This one is empty.
