extension NumberTable {
  /// Characteristics (Assigned Numbers 3.8).
  static let characteristicText: StaticString = #"""
    2A00 Device Name|Appearance|Peripheral Privacy Flag|Reconnection Address
    2A04 Peripheral Preferred Connection Parameters|Service Changed|Alert Level|Tx Power Level|Date Time|Day of Week
    2A0A Day Date Time|Exact Time 100|Exact Time 256|DST Offset|Time Zone|Local Time Information|Secondary Time Zone
    2A11 Time with DST|Time Accuracy|Time Source|Reference Time Information|Time Broadcast|Time Update Control Point
    2A17 Time Update State|Glucose Measurement|Battery Level|Battery Power State|Battery Level State
    2A1C Temperature Measurement|Temperature Type|Intermediate Temperature|Temperature Celsius
    2A20 Temperature Fahrenheit|Measurement Interval|Boot Keyboard Input Report|System ID|Model Number String
    2A25 Serial Number String|Firmware Revision String|Hardware Revision String|Software Revision String
    2A29 Manufacturer Name String|IEEE 11073-20601 Regulatory Certification Data List|Current Time
    2A2C Magnetic Declination
    2A2F Position 2D|Position 3D|Scan Refresh|Boot Keyboard Output Report|Boot Mouse Input Report
    2A34 Glucose Measurement Context|Blood Pressure Measurement|Intermediate Cuff Pressure|Heart Rate Measurement
    2A38 Body Sensor Location|Heart Rate Control Point|Removable|Service Required|Scientific Temperature Celsius
    2A3D String|Network Availability|Alert Status|Ringer Control point|Ringer Setting|Alert Category ID Bit Mask
    2A43 Alert Category ID|Alert Notification Control Point|Unread Alert Status|New Alert
    2A47 Supported New Alert Category|Supported Unread Alert Category|Blood Pressure Feature|HID Information
    2A4B Report Map|HID Control Point|Report|Protocol Mode|Scan Interval Window|PnP ID|Glucose Feature
    2A52 Record Access Control Point|RSC Measurement|RSC Feature|SC Control Point|Digital|Digital Output|Analog
    2A59 Analog Output|Aggregate|CSC Measurement|CSC Feature|Sensor Location|PLX Spot-Check Measurement
    2A5F PLX Continuous Measurement|PLX Features
    2A62 Pulse Oximetry Control Point|Cycling Power Measurement|Cycling Power Vector|Cycling Power Feature
    2A66 Cycling Power Control Point|Location and Speed|Navigation|Position Quality|LN Feature|LN Control Point
    2A6C Elevation|Pressure|Temperature|Humidity|True Wind Speed|True Wind Direction|Apparent Wind Speed
    2A73 Apparent Wind Direction|Gust Factor|Pollen Concentration|UV Index|Irradiance|Rainfall|Wind Chill|Heat Index
    2A7B Dew Point
    2A7D Descriptor Value Changed|Aerobic Heart Rate Lower Limit|Aerobic Threshold|Age
    2A81 Anaerobic Heart Rate Lower Limit|Anaerobic Heart Rate Upper Limit|Anaerobic Threshold
    2A84 Aerobic Heart Rate Upper Limit|Date of Birth|Date of Threshold Assessment|Email Address
    2A88 Fat Burn Heart Rate Lower Limit|Fat Burn Heart Rate Upper Limit|First Name|Five Zone Heart Rate Limits
    2A8C Gender|Heart Rate Max|Height|Hip Circumference|Last Name|Maximum Recommended Heart Rate|Resting Heart Rate
    2A93 Sport Type for Aerobic and Anaerobic Thresholds|Three Zone Heart Rate Limits|Two Zone Heart Rate Limit
    2A96 VO2 Max|Waist Circumference|Weight|Database Change Increment|User Index|Body Composition Feature
    2A9C Body Composition Measurement|Weight Measurement|Weight Scale Feature|User Control Point
    2AA0 Magnetic Flux Density - 2D|Magnetic Flux Density - 3D|Language|Barometric Pressure Trend
    2AA4 Bond Management Control Point|Bond Management Features|Central Address Resolution|CGM Measurement
    2AA8 CGM Feature|CGM Status|CGM Session Start Time|CGM Session Run Time|CGM Specific Ops Control Point
    2AAD Indoor Positioning Configuration|Latitude|Longitude|Local North Coordinate|Local East Coordinate
    2AB2 Floor Number|Altitude|Uncertainty|Location Name|URI|HTTP Headers|HTTP Status Code|HTTP Entity Body
    2ABA HTTP Control Point|HTTPS Security|TDS Control Point|OTS Feature|Object Name|Object Type|Object Size
    2AC1 Object First-Created|Object Last-Modified|Object ID|Object Properties|Object Action Control Point
    2AC6 Object List Control Point|Object List Filter|Object Changed|Resolvable Private Address Only
    2ACC Fitness Machine Feature|Treadmill Data|Cross Trainer Data|Step Climber Data|Stair Climber Data|Rower Data
    2AD2 Indoor Bike Data|Training Status|Supported Speed Range|Supported Inclination Range
    2AD6 Supported Resistance Level Range|Supported Heart Rate Range|Supported Power Range
    2AD9 Fitness Machine Control Point|Fitness Machine Status|Mesh Provisioning Data In|Mesh Provisioning Data Out
    2ADD Mesh Proxy Data In|Mesh Proxy Data Out
    2AE0 Average Current|Average Voltage|Boolean|Chromatic Distance From Planckian|Chromaticity Coordinates
    2AE5 Chromaticity In CCT And Duv Values|Chromaticity Tolerance|CIE 13.3-1995 Color Rendering Index|Coefficient
    2AE9 Correlated Color Temperature|Count 16|Count 24|Country Code|Date UTC|Electric Current
    2AEF Electric Current Range|Electric Current Specification|Electric Current Statistics|Energy
    2AF3 Energy In A Period Of Day|Event Statistics|Fixed String 16|Fixed String 24|Fixed String 36|Fixed String 8
    2AF9 Generic Level|Global Trade Item Number|Illuminance|Luminous Efficacy|Luminous Energy|Luminous Exposure
    2AFF Luminous Flux|Luminous Flux Range|Luminous Intensity|B02 Mass Flow|Perceived Lightness|Percentage 8|Power
    2B06 Power Specification|Relative Runtime In A Current Range|Relative Runtime In A Generic Level Range
    2B09 Relative Value In A Voltage Range|Relative Value In An Illuminance Range|Relative Value In A Period Of Day
    2B0C Relative Value In A Temperature Range|Temperature 8|Temperature 8 In A Period Of Day
    2B0F Temperature 8 Statistics|Temperature Range|Temperature Statistics|Time Decihour 8|Time Exponential 8
    2B14 Time Hour 24|Time Millisecond 24|Time Second 16|Time Second 8|Voltage|Voltage Specification
    2B1A Voltage Statistics|Volume Flow|Chromaticity Coordinate|RC Feature|RC Settings
    2B1F Reconnection Configuration Control Point|IDD Status Changed|IDD Status|IDD Annunciation Status|IDD Features
    2B24 IDD Status Reader Control Point|IDD Command Control Point|IDD Command Data|IDD Record Access Control Point
    2B28 IDD History Data|Client Supported Features|Database Hash|BSS Control Point|BSS Response|Emergency ID
    2B2E Emergency Text
    2B34 Enhanced Blood Pressure Measurement|Enhanced Intermediate Cuff Pressure|Blood Pressure Record
    2B38 BR-EDR Handover Data|Bluetooth SIG Data|Server Supported Features|Physical Activity Monitor Features
    2B3C General Activity Instantaneous Data|General Activity Summary Data
    2B3E CardioRespiratory Activity Instantaneous Data|CardioRespiratory Activity Summary Data
    2B40 Step Counter Activity Summary Data|Sleep Activity Instantaneous Data|Sleep Activity Summary Data
    2B43 Physical Activity Monitor Control Point|Activity Current Session|Physical Activity Session Descriptor
    2B46 Preferred Units|High Resolution Height|Middle Name|Stride Length|Handedness|Device Wearing Position
    2B4C Four Zone Heart Rate Limits|High Intensity Exercise Threshold|Activity Goal|Sedentary Interval Notification
    2B50 Caloric Intake|TMAP Role
    2B77 Audio Input State|Gain Settings Attribute|Audio Input Type|Audio Input Status|Audio Input Control Point
    2B7C Audio Input Description|Volume State|Volume Control Point|Volume Flags|Volume Offset State|Audio Location
    2B82 Volume Offset Control Point|Audio Output Description|Set Identity Resolving Key|Coordinated Set Size
    2B86 Set Member Lock|Set Member Rank
    2B8C Carbon Dioxide Concentration
    2B8E Device Time Feature|Device Time Parameters|Device Time|Device Time Control Point|Time Change Log Data
    2B93 Media Player Name|Media Player Icon Object ID|Media Player Icon URL|Track Changed|Track Title
    2B98 Track Duration|Track Position|Playback Speed|Seeking Speed|Current Track Segments Object ID
    2B9D Current Track Object ID|Next Track Object ID|Parent Group Object ID|Current Group Object ID|Playing Order
    2BA2 Playing Orders Supported|Media State|Media Control Point|Media Control Point Opcodes Supported
    2BA6 Search Results Object ID|Search Control Point
    2BA9 Media Player Icon Object Type|Track Segments Object Type|Track Object Type|Group Object Type
    2BAD Constant Tone Extension Enable|Advertising Constant Tone Extension Minimum Length
    2BAF Advertising Constant Tone Extension Minimum Transmit Count
    2BB0 Advertising Constant Tone Extension Transmit Duration|Advertising Constant Tone Extension Interval
    2BB2 Advertising Constant Tone Extension PHY|Bearer Provider Name|Bearer UCI|Bearer Technology
    2BB6 Bearer URI Schemes Supported List|Bearer Signal Strength|Bearer Signal Strength Reporting Interval
    2BB9 Bearer List Current Calls|Content Control ID|Status Flags|Incoming Call Target Bearer URI|Call State
    2BBE Call Control Point|Call Control Point Optional Opcodes|Termination Reason|Incoming Call|Call Friendly Name
    2BC3 Mute|Sink ASE|Source ASE|ASE Control Point|Broadcast Audio Scan Control Point|Broadcast Receive State
    2BC9 Sink PAC|Sink Audio Locations|Source PAC|Source Audio Locations|Available Audio Contexts
    2BCE Supported Audio Contexts|Ammonia Concentration|Carbon Monoxide Concentration|Methane Concentration
    2BD2 Nitrogen Dioxide Concentration|Non-Methane Volatile Organic Compounds Concentration|Ozone Concentration
    2BD5 Particulate Matter - PM1 Concentration|Particulate Matter - PM2.5 Concentration
    2BD7 Particulate Matter - PM10 Concentration|Sulfur Dioxide Concentration|Sulfur Hexafluoride Concentration
    2BDA Hearing Aid Features|Hearing Aid Preset Control Point|Active Preset Index|Stored Health Observations
    2BDE Fixed String 64|High Temperature|High Voltage|Light Distribution|Light Output|Light Source Type|Noise
    2BE5 Relative Runtime in a Correlated Color Temperature Range|Time Second 32|VOC Concentration|Voltage Frequency
    2BE9 Battery Critical Status|Battery Health Status|Battery Health Information|Battery Information
    2BED Battery Level Status|Battery Time Status|Estimated Service Date|Battery Energy Status
    2BF1 Observation Schedule Changed|Current Elapsed Time|Health Sensor Features|GHS Control Point
    2BF5 LE GATT Security Levels|ESL Address|AP Sync Key Material|ESL Response Key Material
    2BF9 ESL Current Absolute Time|ESL Display Information|ESL Image Information|ESL Sensor Information
    2BFD ESL LED Information|ESL Control Point|UDI for Medical Devices|GMAP Role|UGG Features|UGT Features
    2C03 BGS Features|BGR Features|Percentage 8 Steps
    """#
}
