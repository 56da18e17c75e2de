extension NumberTable {
  /// Descriptors (Assigned Numbers 3.7).
  static let descriptorText: StaticString = #"""
    2900 Characteristic Extended Properties|Characteristic User Description|Client Characteristic Configuration
    2903 Server Characteristic Configuration|Characteristic Presentation Format|Characteristic Aggregate Format
    2906 Valid Range|External Report Reference|Report Reference|Number of Digitals|Value Trigger Setting
    290B Environmental Sensing Configuration|Environmental Sensing Measurement|Environmental Sensing Trigger Setting
    290E Time Trigger Setting|Complete BR-EDR Transport Block Data|Observation Schedule|Valid Range and Accuracy
    """#
}
