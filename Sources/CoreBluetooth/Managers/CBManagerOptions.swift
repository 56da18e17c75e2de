/// The controller of a manager: a string such as `virtual:lab`, `tcp-client:127.0.0.1:9000` or `unix-client:/tmp/radio`.
///
/// An option of this implementation, for both kinds of managers. Without it the environment's `LATCHKEY_HCI` counts,
/// and without that a virtual radio inside the process. On a virtual radio central managers share one controller and
/// peripheral managers another; on anything else all managers share the one controller.
public let CBManagerOptionControllerKey = "LatchkeyController"
