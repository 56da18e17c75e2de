// OpenCombine has Combine's interface. What it lacks, as far as code for Bluetooth calls it, is in this module: merging, and combining
// the latest values.
@_exported public import OpenCombine
@_exported public import OpenCombineDispatch
@_exported public import OpenCombineFoundation
