/// A port of loopback that accepts connections and never sends a byte.
package final class SilentServer: Sendable {
  private let listener: LoopbackListener
  package var port: Int { listener.port }

  package init() throws { listener = try LoopbackListener() }
}
