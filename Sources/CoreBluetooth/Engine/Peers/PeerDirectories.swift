import LatchkeyBluetoothTransports
import LatchkeyProcessEnvironment

/// One directory for each controller, so that its managers share their peers.
enum PeerDirectories {
  private static let directories = Locked<[ControllerSpecification: PeerDirectory]>([:])

  static func directory(for specification: ControllerSpecification) -> PeerDirectory {
    directories.withLock { directories in
      if let directory = directories[specification] { return directory }
      let directory = PeerDirectory(store: store(for: specification))
      directories[specification] = directory
      return directory
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
  static let shared = StateFolder(environment: Environment.variables)
}
