/// The controller of a manager: a string such as `virtual:lab`, `tcp-client:127.0.0.1:9000` or
/// `unix-client:/tmp/radio`.
///
/// An option of this implementation, for both kinds of managers. Without it the environment's `LATCHKEY_HCI` is used,
/// and without that a virtual radio inside the process. On a virtual radio central managers share one controller and
/// peripheral managers another; on any other controller all managers share the one.
public let CBManagerOptionControllerKey = "LatchkeyController"

/// Whom the manager asks when devices pair: a ``CBPairingAgent``, which the manager retains.
///
/// An option of this implementation, for both kinds of managers. On Apple's systems the system asks.
public let CBManagerOptionPairingAgentKey = "LatchkeyPairingAgent"

/// Whether devices that cannot do LE Secure Connections are refused: an `NSNumber` of a Boolean.
///
/// An option of this implementation, for both kinds of managers. It holds for all managers on the controller.
public let CBManagerOptionPairingSecureConnectionsOnlyKey = "LatchkeyPairingSecureConnectionsOnly"

/// The least size of a key that devices agree on when the manager is the cause of their pairing: an `NSNumber`, 7...16
/// bytes. Without it 16; a shorter key can be searched for.
///
/// An option of this implementation, for both kinds of managers.
public let CBManagerOptionPairingLeastKeySizeKey = "LatchkeyPairingLeastKeySize"

// Options of central managers and scans. The strings are those that Apple's systems show in logs.

/// Whether to alert the user if Bluetooth is off at the start. Accepted without effect: Linux has no such alert.
public let CBCentralManagerOptionShowPowerAlertKey = "kCBInitOptionShowPowerAlert"

/// Whether a scan reports every advertisement, or each device once: an `NSNumber` of a Boolean.
public let CBCentralManagerScanOptionAllowDuplicatesKey = "kCBScanOptionAllowDuplicates"

/// The services that a device solicits of centrals: `[CBUUID]`. A scan for services finds devices that solicit one of
/// these, too.
public let CBCentralManagerScanOptionSolicitedServiceUUIDsKey = "kCBScanOptionSolicitedServiceUUIDs"

/// The name under which the manager's connections and scan are stored for the next launch: a `String` of 1 to 100 bytes of
/// UTF-8, which one manager at a time may use.
///
/// A process that ended, by a crash or otherwise, leaves them in `LATCHKEY_STATE`; a manager that is released does not. The
/// next manager with this identifier gets `centralManager(_:willRestoreState:)` before its first state. On a virtual radio
/// inside the process state is stored only if the environment sets `LATCHKEY_STATE`.
public let CBCentralManagerOptionRestoreIdentifierKey = "kCBInitOptionRestoreIdentifier"

/// Whether the manager is only for access to the devices of a media app: an `NSNumber` of a Boolean. Accepted without
/// effect: Linux has no such restriction.
public let CBCentralManagerOptionDeviceAccessForMedia = "kCBInitOptionDeviceAccessForMedia"

// Options of peripheral managers. The string is the one that Apple's systems show in logs.

/// Whether to alert the user if Bluetooth is off at the start. Accepted without effect: Linux has no such alert.
public let CBPeripheralManagerOptionShowPowerAlertKey = "kCBInitOptionShowPowerAlert"

/// The physical layer of an advertisement: `1M`, `2M` or `coded`. The advertisement is then one of extended advertising,
/// which only devices with extended scans find, and holds up to 229 bytes. Without it, the advertisement is legacy, and
/// all devices find it.
///
/// A key of this implementation, for `startAdvertising(_:)`. A controller without that layer refuses to advertise.
public let CBPeripheralManagerAdvertisingPHYKey = "LatchkeyAdvertisingPHY"

/// The name under which the manager's services and advertising are stored for the next launch: a `String` of 1 to 100 bytes
/// of UTF-8, which one manager at a time may use; as `CBCentralManagerOptionRestoreIdentifierKey`.
public let CBPeripheralManagerOptionRestoreIdentifierKey = "kCBInitOptionRestoreIdentifier"

// Keys of the state that `willRestoreState` gets. The strings are those that Apple's systems show in logs.

/// The peripherals that were connected, or that a connection was requested to: `[CBPeripheral]`.
public let CBCentralManagerRestoredStatePeripheralsKey = "kCBRestoredPeripherals"

/// The services of the scan: `[CBUUID]`.
public let CBCentralManagerRestoredStateScanServicesKey = "kCBRestoredScanServices"

/// The options of the scan: `[String: Any]`.
public let CBCentralManagerRestoredStateScanOptionsKey = "kCBRestoredScanOptions"

/// The published services: `[CBMutableService]`.
public let CBPeripheralManagerRestoredStateServicesKey = "kCBRestoredServices"

/// The data that was advertised: `[String: Any]`.
public let CBPeripheralManagerRestoredStateAdvertisementDataKey = "kCBRestoredAdvertisement"
