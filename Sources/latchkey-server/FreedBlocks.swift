import Glibc
import LatchkeyProcessEnvironment

/// What the C library does with large blocks that were freed.
///
/// The hash of a password takes 16 MiB. glibc maps the first one, and when it is freed raises its own thresholds above that size: each of
/// its arenas, up to eight for each processor, then keeps a block as large at its end, and `malloc_trim` leaves the ends of all arenas
/// but the first alone. Under wrong passwords a server on two processors held 160 MiB of heap, of which 4 to 28 were in use.
///
/// The price is that the pages of each hash are mapped anew: 1 ms with huge pages (`glibc.malloc.hugetlb`), up to 8 ms without.
enum FreedBlocks {
  /// Has blocks from 1 MiB on mapped by themselves and returned to the system with the end of their use, and lets no arena keep more
  /// than 1 MiB at its end. What the operator has set by glibc's own variables counts instead.
  static func returnToSystem(environment: [String: String] = Environment.variables) {
    // The C library has it, the importer does not show it; others than glibc may lack it.
    typealias SetOption = @convention(c) (CInt, CInt) -> CInt
    guard let symbol = dlsym(nil, "mallopt") else { return }
    let set = unsafeBitCast(symbol, to: SetOption.self)
    for option in options(environment: environment) { _ = set(option, 1 << 20) }
  }

  /// The options to set: a fixed threshold of either kind also ends that both follow the largest block.
  static func options(environment: [String: String]) -> [CInt] {
    let tunables = environment["GLIBC_TUNABLES"] ?? ""
    return [(mapThreshold, "mmap"), (trimThreshold, "trim")]
      .filter { _, name in
        environment["MALLOC_\(name.uppercased())_THRESHOLD_"] == nil
          && !tunables.contains("glibc.malloc.\(name)_threshold=")
      }
      .map(\.0)
  }

  /// `M_MMAP_THRESHOLD` and `M_TRIM_THRESHOLD` of malloc.h.
  private static let (mapThreshold, trimThreshold): (CInt, CInt) = (-3, -1)
}
