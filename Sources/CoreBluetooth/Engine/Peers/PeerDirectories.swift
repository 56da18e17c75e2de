import LatchkeyBluetoothTransports
import LatchkeyProcessEnvironment

/// One directory for each controller, so that its managers share their peers.
package enum PeerDirectories {
  private static let directories = Locked<[ControllerSpecification: PeerDirectory]>([:])

  static func directory(for specification: ControllerSpecification) -> PeerDirectory {
    directories.withLock { directories in
      if let directory = directories[specification] { return directory }
      let directory = PeerDirectory(store: store(for: specification))
      directories[specification] = directory
      return directory
    }
  }

  /// Forgets the directories of a virtual radio that is gone. Its managers keep theirs.
  package static func remove(radio: String) {
    directories.withLock { directories in
      directories = directories.filter { specification, _ in
        guard case .virtual(let name, _) = specification else { return true }
        return name != radio
      }
    }
  }

  /// A virtual radio ends with the process, so its peers are not stored.
  private static func store(for specification: ControllerSpecification) -> PeerStore? {
    if case .virtual = specification { return nil }
    return PeerStore(.shared)
  }
}

extension StateFolder {
  /// The folder of this process.
  package static let shared = StateFolder(environment: Environment.variables)
}
