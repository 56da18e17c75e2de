import ArgumentParser
import LatchkeyCommandLine

/// The options of the commands that do one thing with one device.
struct ConnectionOptions: ParsableArguments {
  @Option(
    help: "How long to look for the device, and to wait for each of its answers, in seconds: 30 unless given.")
  var timeout = 30.0
  @Flag(help: "Ask, when the device pairs; lines of standard input are the answers.") var pair = false
  @OptionGroup var controller: ControllerOptions
  @OptionGroup var output: EventOptions

  func validate() throws {
    guard timeout > 0, timeout <= 86_400 else { throw ValidationError("--timeout is above 0, and 86400 at most") }
  }

  /// What the help of each command says of its arguments.
  static let discussion = """
    DEVICE is the name that a device advertises, or its identifier on this machine, which `ble scan` lists. CHARACTERISTIC is a \
    UUID, a name as the Bluetooth SIG has it (heart-rate-measurement), or @ and a handle; SERVICE/CHARACTERISTIC where it occurs \
    in several services, and CHARACTERISTIC:DESCRIPTOR for a descriptor.

    What a device protects makes the two pair. With --pair the user is asked, and the next line is the answer: yes, no, or the \
    six digits that the device shows. Without it they pair unprotected from a third party in the middle.
    """

  /// The events of each command, beside its own.
  static let events =
    "pairing (identifier, question, digits), paired (identifier, stored), notPaired (identifier, reason)"

  /// The paths that were typed.
  static func paths(_ texts: [String]) throws -> [AttributePath] {
    do throws(CentralSession.Failure) {
      var paths: [AttributePath] = []
      for text in texts { paths.append(try AttributePath(text)) }
      return paths
    } catch {
      throw ValidationError(error.message)
    }
  }
}
