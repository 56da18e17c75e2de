import LatchkeyProvisioningProtocol

/// Joins networks by a program, which gets the credentials as JSON on its standard input; its exit status says how it went.
struct ProgramJoiner: NetworkJoiner {
  let program: ApplyProgram

  /// Nobody but the system's network service knows what is in reach.
  func scan() async throws(JoinFailure) -> [ScannedNetwork] { throw .radioUnavailable }

  func join(_ credentials: NetworkCredentials) async throws(JoinFailure) -> JoinedNetwork {
    // Names that are no UTF-8 cannot stand in JSON.
    guard let json = credentials.json else { throw .other }
    switch await program.status(input: json) {
    case 0: return JoinedNetwork(ssid: credentials.ssid)
    case 65: throw .wrongPassphrase
    case 69: throw .networkNotFound
    case 75: throw .noAddress
    default: throw .other
    }
  }

  func forget() async throws(JoinFailure) { throw .radioUnavailable }
}

/// Says that it has joined, and joins nothing: for trying out.
struct PretendingJoiner: NetworkJoiner {
  func scan() async throws(JoinFailure) -> [ScannedNetwork] {
    [
      ScannedNetwork(ssid: Array("Example".utf8), rssi: -48, security: .wpa2WPA3, channel: 6),
      ScannedNetwork(ssid: Array("Example Guests".utf8), rssi: -67, security: .open, channel: 11),
    ]
  }

  func join(_ credentials: NetworkCredentials) async throws(JoinFailure) -> JoinedNetwork {
    JoinedNetwork(ssid: credentials.ssid)
  }

  func forget() async throws(JoinFailure) {}
}
