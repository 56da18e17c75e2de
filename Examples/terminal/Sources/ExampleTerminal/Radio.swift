// What the Bluetooth programs do without a radio.

import Foundation

/// Ends the program with 69 where no radio is named: it would be this process's own, and nobody else there.
public func expectRadio() {
  guard ProcessInfo.processInfo.environment["LATCHKEY_HCI"] ?? "" != "" else { failWithoutRadio() }
}

/// Ends the program with 69, and says which command starts a radio.
public func failWithoutRadio() -> Never {
  fail(
    """
    there is no Bluetooth radio to use: start one by `latchkey radio --listen unix-server:/tmp/radio`, and set \
    LATCHKEY_HCI=unix-client:/tmp/radio for both programs, the app's and the device's
    """, 69)
}
