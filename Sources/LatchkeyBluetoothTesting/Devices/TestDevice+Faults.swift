public import CoreBluetooth
import LatchkeyBluetoothTransports

// What goes wrong with requests, and with links.
extension TestDevice {
  /// Refuses requests with an error of the Attribute protocol.
  ///
  /// Of several faults of one request the oldest comes first. A refusal for lack of security makes the app's side pair and
  /// ask again, as a real one does.
  ///
  /// - Parameter times: how many requests; nil for all from now on.
  public func fail(_ request: DeviceRequest, with error: CBATTError.Code, times: Int? = nil) {
    add(.refusal(error), to: request, times: times)
  }

  /// Answers requests late.
  ///
  /// - Parameters:
  ///   - time: on the radio's clock.
  ///   - times: how many requests; nil for all from now on.
  public func delay(_ request: DeviceRequest, by time: Duration, times: Int? = nil) {
    add(.delay(time), to: request, times: times)
  }

  /// Never answers requests: after 30 seconds the app's side gives up, and the link ends (Core 6.0 Vol 3 Part F 3.3.3).
  ///
  /// - Parameter times: how many requests; nil for all from now on.
  public func drop(_ request: DeviceRequest, times: Int? = nil) { add(.silence, to: request, times: times) }

  /// Loses the link at the n-th write from now, of any characteristic: the write arrives, its answer does not.
  public func loseLink(atWrite number: Int) { server.sync { $0.faults.loseLink(atWrite: number) } }

  /// Loses all links at once, as at the end of a supervision timeout.
  public func loseLinks() { radio.dropLinks(of: name) }

  /// Ends all faults of requests.
  public func recover() { server.sync { $0.faults.removeAll() } }

  private func add(_ effect: RequestFaults.Effect, to request: DeviceRequest, times: Int?) {
    server.sync { server in
      let (kind, name): (RequestFaults.Kind, String) =
        switch request {
        case .read(let name): (.read, name)
        case .write(let name): (.write, name)
        case .subscribe(let name): (.subscribe, name)
        }
      server.faults.add(kind, server.index(named: name), effect, times: times)
    }
  }
}
