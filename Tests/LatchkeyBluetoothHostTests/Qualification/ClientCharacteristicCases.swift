/// Cases of a client: characteristics and descriptors of a peer.
enum ClientCharacteristicCases {
  static let characteristics = QualificationCase.table(
    """
    GATT/CL/GAD/BV-04-C characteristics of both widths, each up to the next one
    + characteristics 000a-0020
    < 08 0a00 2000 0328
    > 09 07 0b00 32 0c00 192a 0e00 0e 0f00 f2ff
    < 08 0f00 2000 0328
    > 09 15 1900 02 1a00 ffeeddccbbaa99887766554433221100
    < 08 1a00 2000 0328
    > 01 08 1a00 0a
    = 1 000b 000c-000d 32 2A19; 000e 000f-0018 0e FFF2; 0019 001a-0020 02 00112233-4455-6677-8899-AABBCCDDEEFF
    GATT/CL/GAD/BV-04-C a characteristic at the last handle
    + characteristics fffd-ffff
    < 08 fdff ffff 0328
    > 09 07 feff 02 ffff f1ff
    = 1 fffe ffff-ffff 02 FFF1
    GATT/CL/GAD/BV-04-C a service without characteristics
    + characteristics 0030-0030
    < 08 3000 3000 0328
    > 01 08 3000 0a
    = 1
    GATT/CL/GAD/BV-05-C two characteristics of one UUID
    + characteristics 000a-0010
    < 08 0a00 1000 0328
    > 09 07 0b00 02 0c00 f1ff 0d00 0a 0e00 f1ff
    < 08 0e00 1000 0328
    > 01 08 0e00 0a
    = 1 000b 000c-000c 02 FFF1; 000d 000e-0010 0a FFF1
    GATT/CL/GAD characteristics that are refused
    + characteristics 000a-0010
    < 08 0a00 1000 0328
    > 01 08 0a00 01
    = 1 refused 01 000a
    + characteristics 000a-0010
    < 08 0a00 1000 0328
    > 09 07 0b00 02 0c00 f1ff
    < 08 0c00 1000 0328
    > 01 08 0c00 0e
    = 2 refused 0e 000c
    GATT/CL/GAD characteristics of a wrong length
    + characteristics 000a-0020
    < 08 0a00 2000 0328
    > 09
    = 1 peerMisbehaved
    + characteristics 000a-0020
    < 08 0a00 2000 0328
    > 09 07 0b00 02 0c00 f1
    = 2 peerMisbehaved
    + characteristics 000a-0020
    < 08 0a00 2000 0328
    > 09 06 0b00 02 0c00 f1
    = 3 peerMisbehaved
    + characteristics 000a-0020
    < 08 0a00 2000 0328
    > 09 09 0b00 02 0c00 f1ff0000
    = 4 peerMisbehaved
    + characteristics 000a-0020
    < 08 0a00 2000 0328
    > 09 01 0b
    = 5 peerMisbehaved
    GATT/CL/GAD characteristics outside of the service
    + characteristics 000a-0020
    < 08 0a00 2000 0328
    > 09 07 0900 02 0a00 f1ff
    = 1 peerMisbehaved
    + characteristics 000a-0020
    < 08 0a00 2000 0328
    > 09 07 2000 02 2100 f1ff
    = 2 peerMisbehaved
    + characteristics 000a-0020
    < 08 0a00 2000 0328
    > 09 07 0b00 02 0000 f1ff
    = 3 peerMisbehaved
    GATT/CL/GAD values before their declarations
    + characteristics 000a-0020
    < 08 0a00 2000 0328
    > 09 07 0b00 02 0b00 f1ff
    = 1 peerMisbehaved
    + characteristics 000a-0020
    < 08 0a00 2000 0328
    > 09 07 0c00 02 0b00 f1ff
    = 2 peerMisbehaved
    GATT/CL/GAD declarations that go backward, or overlap
    + characteristics 000a-0020
    < 08 0a00 2000 0328
    > 09 07 0d00 02 0e00 f1ff 0b00 02 0c00 f2ff
    = 1 peerMisbehaved
    + characteristics 000a-0020
    < 08 0a00 2000 0328
    > 09 07 0b00 02 0d00 f1ff 0c00 02 0e00 f2ff
    = 2 peerMisbehaved
    GATT/CL/GAD the same characteristic again and again
    + characteristics 000a-0020
    < 08 0a00 2000 0328
    > 09 07 0b00 02 0c00 f1ff
    < 08 0c00 2000 0328
    > 09 07 0b00 02 0c00 f1ff
    = 1 peerMisbehaved
    """)

  static let descriptors = QualificationCase.table(
    """
    GATT/CL/GAD/BV-06-C descriptors of both widths
    + descriptors 000d-0014
    < 04 0d00 1400
    > 05 01 0d00 0229 0e00 0129
    < 04 0f00 1400
    > 05 02 1000 ffeeddccbbaa99887766554433221100
    < 04 1100 1400
    > 01 04 1100 0a
    = 1 000d 2902; 000e 2901; 0010 00112233-4455-6677-8899-AABBCCDDEEFF
    GATT/CL/GAD/BV-06-C descriptors up to the end of the range
    + descriptors 000d-000e
    < 04 0d00 0e00
    > 05 01 0d00 0229 0e00 0129
    = 1 000d 2902; 000e 2901
    + descriptors ffff-ffff
    < 04 ffff ffff
    > 05 01 ffff 0129
    = 2 ffff 2901
    GATT/CL/GAD descriptors that are refused
    + descriptors 000d-000e
    < 04 0d00 0e00
    > 01 04 0d00 01
    = 1 refused 01 000d
    GATT/CL/GAD descriptors of a wrong format or length
    + descriptors 000d-0014
    < 04 0d00 1400
    > 05
    = 1 peerMisbehaved
    + descriptors 000d-0014
    < 04 0d00 1400
    > 05 01
    = 2 peerMisbehaved
    + descriptors 000d-0014
    < 04 0d00 1400
    > 05 03 0d00 0229
    = 3 peerMisbehaved
    + descriptors 000d-0014
    < 04 0d00 1400
    > 05 00 0d00 0229
    = 4 peerMisbehaved
    + descriptors 000d-0014
    < 04 0d00 1400
    > 05 01 0d00 0229 0e00
    = 5 peerMisbehaved
    + descriptors 000d-0014
    < 04 0d00 1400
    > 05 02 0d00 0229
    = 6 peerMisbehaved
    GATT/CL/GAD descriptors outside of the range
    + descriptors 000d-0014
    < 04 0d00 1400
    > 05 01 0c00 0229
    = 1 peerMisbehaved
    + descriptors 000d-0014
    < 04 0d00 1400
    > 05 01 1400 0229 1500 0129
    = 2 peerMisbehaved
    + descriptors 000d-0014
    < 04 0d00 1400
    > 05 01 0000 0229
    = 3 peerMisbehaved
    GATT/CL/GAD descriptors that go backward, or come twice
    + descriptors 000d-0014
    < 04 0d00 1400
    > 05 01 0e00 0229 0d00 0129
    = 1 peerMisbehaved
    + descriptors 000d-0014
    < 04 0d00 1400
    > 05 01 0d00 0229 0d00 0229
    = 2 peerMisbehaved
    + descriptors 000d-0014
    < 04 0d00 1400
    > 05 01 0d00 0229
    < 04 0e00 1400
    > 05 01 0d00 0229
    = 3 peerMisbehaved
    """)

  static let formats = QualificationCase.table(
    """
    GATT/CL/GPA/BV-12-C presentation formats are found and read
    + descriptors 000d-000f
    < 04 0d00 0f00
    > 05 01 0d00 0129 0e00 0429 0f00 0429
    = 1 000d 2901; 000e 2904; 000f 2904
    + read 000e
    < 0a 0e00
    > 0b 04 00 ad27 01 0000
    = 2 value 0400ad27010000
    GATT/CL/GPA/BV-11-C an aggregate format is found and read
    + descriptors 000f-0010
    < 04 0f00 1000
    > 05 01 0f00 0429 1000 0529
    = 1 000f 2904; 0010 2905
    + read 0010
    < 0a 1000
    > 0b 0e00 0f00
    = 2 value 0e000f00
    GATT/CL/GPA a format that may not be read
    + read 000e
    < 0a 0e00
    > 01 0a 0e00 02
    = 1 refused 02 000e
    """)
}
