import CoreBluetooth
import LatchkeyBluetoothEmulator
import LatchkeyBluetoothTransports

// Which managers are on the radio.
extension TestRadio {
  /// Runs `body`; managers that it makes without `CBManagerOptionControllerKey` are on this radio.
  ///
  /// So are those that are made later by callbacks of such managers, and by tasks that `body` creates. Those that the app
  /// makes on queues and threads of its own are not: name the controller in their options (``specification(of:)``), or use
  /// the radio for the whole process (``useForProcess(as:like:)``), which only one test at a time can do.
  ///
  /// - Parameters:
  ///   - phone: the name of the controller that the managers share. Two names are two phones.
  ///   - model: what the phone is like. It counts at the first use of the name.
  public func use<R>(as phone: String = "phone", like model: Phone = .standard, _ body: () throws -> R) rethrows -> R {
    prepare(phone, model)
    return try DefaultController.$current.withValue(specification(of: phone), operation: body)
  }

  /// Runs `body`; managers that it makes without `CBManagerOptionControllerKey` are on this radio.
  public func use<R>(
    as phone: String = "phone", like model: Phone = .standard, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> R
  ) async rethrows -> R {
    prepare(phone, model)
    return try await DefaultController.$current.withValue(
      specification(of: phone), operation: body, isolation: isolation)
  }

  /// Puts all managers of the process on this radio that name no controller and are not made inside ``use(as:like:_:)``,
  /// until ``ProcessUse/end()``.
  ///
  /// For apps that make managers on threads of their own. Tests that run side by side would take each other's managers.
  public func useForProcess(as phone: String = "phone", like model: Phone = .standard) -> ProcessUse {
    prepare(phone, model)
    return ProcessUse(before: DefaultController.setForProcess(specification(of: phone)))
  }

  /// Switches a phone's Bluetooth off: managers on it become `poweredOff`, and links end.
  public func powerOff(_ phone: String = "phone") { air.setPowered(false, phone) }

  /// Switches a phone's Bluetooth on again.
  public func powerOn(_ phone: String = "phone") { air.setPowered(true, phone) }

  private func prepare(_ phone: String, _ model: Phone) {
    guard phones.add(phone) else { return }
    air.addController(phone, model.controller)
    air.setFaults(model.faults, on: phone)
    air.setPreferredMTU(model.mtu, of: phone)
    for device in presentDevices { device.applyAir(toNew: phone) }
  }
}

/// The use of a radio by all managers of the process.
public struct ProcessUse: Sendable {
  let before: String?

  /// Ends it: managers that are made from now on are where they were before.
  public func end() { DefaultController.setForProcess(before) }
}
