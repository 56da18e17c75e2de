@testable import LatchkeyBluetoothHost

/// Finds objects of links that outlive their link: links, pairings, channels.
final class LeakWatch {
  private struct Watched { weak var object: AnyObject? }

  private var watched: [ObjectIdentifier: Watched] = [:]

  /// Watches all that belongs to these links.
  func watch(_ links: LinkTable) {
    for link in links {
      watch(link)
      if let pairing = link.pairing { watch(pairing) }
      for channel in link.channels.all { watch(channel) }
    }
  }

  private func watch(_ object: AnyObject) {
    // An object that is gone may have left its address to another one.
    if watched[ObjectIdentifier(object)]?.object !== object {
      watched[ObjectIdentifier(object)] = Watched(object: object)
    }
  }

  /// How many objects are alive; those that are gone are forgotten.
  func alive() -> Int {
    watched = watched.filter { $0.value.object != nil }
    return watched.count
  }
}
