extension NumberTable {
  /// Services (Assigned Numbers 3.4).
  static let serviceText: StaticString = #"""
    1800 Generic Access|Generic Attribute|Immediate Alert|Link Loss|Tx Power|Current Time|Reference Time Update
    1807 Next DST Change|Glucose|Health Thermometer|Device Information
    180D Heart Rate|Phone Alert Status|Battery|Blood Pressure|Alert Notification|Human Interface Device
    1813 Scan Parameters|Running Speed and Cadence|Automation IO|Cycling Speed and Cadence
    1818 Cycling Power|Location and Navigation|Environmental Sensing|Body Composition|User Data|Weight Scale
    181E Bond Management|Continuous Glucose Monitoring|Internet Protocol Support|Indoor Positioning|Pulse Oximeter
    1823 HTTP Proxy|Transport Discovery|Object Transfer|Fitness Machine|Mesh Provisioning|Mesh Proxy
    1829 Reconnection Configuration
    183A Insulin Delivery|Binary Sensor|Emergency Configuration
    183E Physical Activity Monitor
    1843 Audio Input Control|Volume Control|Volume Offset Control|Coordinated Set Identification|Device Time
    1848 Media Control|Generic Media Control|Constant Tone Extension|Telephone Bearer|Generic Telephone Bearer
    184D Microphone Control|Audio Stream Control|Broadcast Audio Scan|Published Audio Capabilities
    1851 Basic Audio Announcement|Broadcast Audio Announcement|Common Audio|Hearing Access|Telephony and Media Audio
    1856 Public Broadcast Announcement|Electronic Shelf Label|Gaming Audio|Mesh Proxy Solicitation
    """#
}
