// The keys of advertisement data. The strings are those that Apple's systems show in logs.

/// The name: a `String`. May be advertised.
public let CBAdvertisementDataLocalNameKey = "kCBAdvDataLocalName"

/// Transmit power in dBm: an `NSNumber`.
public let CBAdvertisementDataTxPowerLevelKey = "kCBAdvDataTxPowerLevel"

/// Service UUIDs: `[CBUUID]`. May be advertised.
public let CBAdvertisementDataServiceUUIDsKey = "kCBAdvDataServiceUUIDs"

/// Data of services: `[CBUUID: Data]`.
public let CBAdvertisementDataServiceDataKey = "kCBAdvDataServiceData"

/// The manufacturer's data, the company identifier first: a `Data`.
public let CBAdvertisementDataManufacturerDataKey = "kCBAdvDataManufacturerData"

/// Service UUIDs of the overflow area, which only Apple's systems have: `[CBUUID]`. Never present on Linux.
public let CBAdvertisementDataOverflowServiceUUIDsKey = "kCBAdvDataHashedServiceUUIDs"

/// Whether the device accepts connections: an `NSNumber` of a Boolean.
public let CBAdvertisementDataIsConnectable = "kCBAdvDataIsConnectable"

/// Solicited service UUIDs: `[CBUUID]`.
public let CBAdvertisementDataSolicitedServiceUUIDsKey = "kCBAdvDataSolicitedServiceUUIDs"
