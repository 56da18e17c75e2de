/// The UUID of the Characteristic Extended Properties descriptor; its value is an `NSNumber`.
public let CBUUIDCharacteristicExtendedPropertiesString = "2900"

/// The UUID of the Characteristic User Description descriptor; its value is a `String`.
public let CBUUIDCharacteristicUserDescriptionString = "2901"

/// The UUID of the Client Characteristic Configuration descriptor; its value is an `NSNumber`.
public let CBUUIDClientCharacteristicConfigurationString = "2902"

/// The UUID of the Server Characteristic Configuration descriptor; its value is an `NSNumber`.
public let CBUUIDServerCharacteristicConfigurationString = "2903"

/// The UUID of the Characteristic Presentation Format descriptor; its value is a `Data`.
public let CBUUIDCharacteristicFormatString = "2904"

/// The UUID of the Characteristic Aggregate Format descriptor; its value is a `Data`.
public let CBUUIDCharacteristicAggregateFormatString = "2905"

/// The UUID of the Valid Range descriptor; its value is a `Data`.
public let CBUUIDCharacteristicValidRangeString = "2906"

/// The UUID of the Observation Schedule descriptor; its value is a `Data`.
public let CBUUIDCharacteristicObservationScheduleString = "2910"
