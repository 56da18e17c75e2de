/// Cases of a client: services, included services, characteristics and descriptors of a peer.
enum ClientDiscoveryCases {
  static let services = QualificationCase.table(
    """
    GATT/CL/GAD/BV-01-C services of both widths, up to the last handle
    + services
    < 10 0100 ffff 0028
    > 11 06 0100 0500 0018 0600 0900 0118
    < 10 0a00 ffff 0028
    > 11 14 1000 1f00 ffeeddccbbaa99887766554433221100
    < 10 2000 ffff 0028
    > 11 06 ffff ffff f0ff
    = 1 0001-0005 1800; 0006-0009 1801; 0010-001f 00112233-4455-6677-8899-AABBCCDDEEFF; ffff-ffff FFF0
    GATT/CL/GAD/BV-01-C services up to an error
    + services
    < 10 0100 ffff 0028
    > 11 06 0100 0500 0018 0600 0900 0118 2000 2000 f0ff
    < 10 2100 ffff 0028
    > 01 10 2100 0a
    = 1 0001-0005 1800; 0006-0009 1801; 0020-0020 FFF0
    GATT/CL/GAD/BV-01-C a peer without services
    + services
    < 10 0100 ffff 0028
    > 01 10 0100 0a
    = 1
    GATT/CL/GAD services that are refused
    + services
    < 10 0100 ffff 0028
    > 01 10 0100 0e
    = 1 refused 0e 0001
    + services
    < 10 0100 ffff 0028
    > 01 10 0100 10
    = 2 refused 10 0001
    GATT/CL/GAD services of a wrong length
    + services
    < 10 0100 ffff 0028
    > 11
    = 1 peerMisbehaved
    + services
    < 10 0100 ffff 0028
    > 11 06
    = 2 peerMisbehaved
    + services
    < 10 0100 ffff 0028
    > 11 06 0100 0500 00
    = 3 peerMisbehaved
    + services
    < 10 0100 ffff 0028
    > 11 08 0100 0500 00180000
    = 4 peerMisbehaved
    + services
    < 10 0100 ffff 0028
    > 11 00
    = 5 peerMisbehaved
    + services
    < 10 0100 ffff 0028
    > 11 14 0100 0500 0018
    = 6 peerMisbehaved
    GATT/CL/GAD services whose handles are none
    + services
    < 10 0100 ffff 0028
    > 11 06 0000 0500 0018
    = 1 peerMisbehaved
    + services
    < 10 0100 ffff 0028
    > 11 06 0500 0400 0018
    = 2 peerMisbehaved
    GATT/CL/GAD services whose handles go backward
    + services
    < 10 0100 ffff 0028
    > 11 06 0600 0900 0118 0100 0500 0018
    = 1 peerMisbehaved
    GATT/CL/GAD the same services again and again
    + services
    < 10 0100 ffff 0028
    > 11 06 0100 0500 0018
    < 10 0600 ffff 0028
    > 11 06 0100 0500 0018
    = 1 peerMisbehaved
    GATT/CL/GAD services that overlap
    + services
    < 10 0100 ffff 0028
    > 11 06 0100 0500 0018 0500 0900 0118
    = 1 peerMisbehaved
    GATT/CL/GAD an answer to another request ends the bearer
    + services
    < 10 0100 ffff 0028
    + read 0003
    > 09 06 0100 0500 0018
    = 1 peerMisbehaved
    = 2 disconnected
    * dead
    GATT/CL/GAD a refusal of another request ends the bearer
    + services
    < 10 0100 ffff 0028
    > 01 08 0100 0a
    = 1 peerMisbehaved
    * dead
    GATT/CL/GAD a refusal of a wrong length ends the bearer
    + services
    < 10 0100 ffff 0028
    > 01 10 0100
    = 1 peerMisbehaved
    * dead
    """)

  static let servicesByUUID = QualificationCase.table(
    """
    GATT/CL/GAD/BV-02-C both services of one 16-bit UUID
    + services fff0
    < 06 0100 ffff 0028 f0ff
    > 07 0a00 1300 3000 3000
    < 06 3100 ffff 0028 f0ff
    > 01 06 3100 0a
    = 1 000a-0013 FFF0; 0030-0030 FFF0
    GATT/CL/GAD/BV-02-C a service of a 128-bit UUID at the last handle
    + services 00112233445566778899aabbccddeeff
    < 06 0100 ffff 0028 ffeeddccbbaa99887766554433221100
    > 07 fe00 ffff
    = 1 00fe-ffff 00112233-4455-6677-8899-AABBCCDDEEFF
    GATT/CL/GAD/BV-02-C a UUID that no service has
    + services fff0
    < 06 0100 ffff 0028 f0ff
    > 01 06 0100 0a
    = 1
    GATT/CL/GAD services by UUID that are refused
    + services fff0
    < 06 0100 ffff 0028 f0ff
    > 01 06 0100 06
    = 1 refused 06 0001
    GATT/CL/GAD services by UUID of a wrong length
    + services fff0
    < 06 0100 ffff 0028 f0ff
    > 07
    = 1 peerMisbehaved
    + services fff0
    < 06 0100 ffff 0028 f0ff
    > 07 0a00 13
    = 2 peerMisbehaved
    + services fff0
    < 06 0100 ffff 0028 f0ff
    > 07 0a00 1300 30
    = 3 peerMisbehaved
    GATT/CL/GAD services by UUID whose handles are none, or go backward
    + services fff0
    < 06 0100 ffff 0028 f0ff
    > 07 0000 1300
    = 1 peerMisbehaved
    + services fff0
    < 06 0100 ffff 0028 f0ff
    > 07 1300 0a00
    = 2 peerMisbehaved
    + services fff0
    < 06 0100 ffff 0028 f0ff
    > 07 3000 3000 0a00 1300
    = 3 peerMisbehaved
    """)

  static let includes = QualificationCase.table(
    """
    GATT/CL/GAD/BV-03-C included services of a 16-bit and of a 128-bit UUID
    + included 0020-0025
    < 08 2000 2500 0228
    > 09 08 2100 0a00 1300 f0ff
    < 08 2200 2500 0228
    > 09 06 2200 1800 1a00
    < 08 2300 2500 0228
    > 01 08 2300 0a
    < 04 0a00 0a00
    > 05 01 0a00 0028
    < 0a 1800
    > 0b ffeeddccbbaa99887766554433221100
    < 04 1800 1800
    > 05 01 1800 0128
    = 1 000a-0013 FFF0; 0018-001a secondary 00112233-4455-6677-8899-AABBCCDDEEFF
    GATT/CL/GAD/BV-03-C a service that includes none
    + included 0020-0025
    < 08 2000 2500 0228
    > 01 08 2000 0a
    = 1
    GATT/CL/GAD includes that are refused
    + included 0020-0025
    < 08 2000 2500 0228
    > 01 08 2100 05
    = 1 refused 05 0021
    GATT/CL/GAD includes of a wrong length
    + included 0020-0025
    < 08 2000 2500 0228
    > 09 08 2100 0a00 1300 f0
    = 1 peerMisbehaved
    + included 0020-0025
    < 08 2000 2500 0228
    > 09 07 2100 0a00 1300 f0
    = 2 peerMisbehaved
    + included 0020-0025
    < 08 2000 2500 0228
    > 09 16 2100 0a00 1300 a5*16
    = 3 peerMisbehaved
    + included 0020-0025
    < 08 2000 2500 0228
    > 09 00 2100
    = 4 peerMisbehaved
    GATT/CL/GAD includes outside of the service, or of no service
    + included 0020-0025
    < 08 2000 2500 0228
    > 09 08 1f00 0a00 1300 f0ff
    = 1 peerMisbehaved
    + included 0020-0025
    < 08 2000 2500 0228
    > 09 08 2600 0a00 1300 f0ff
    = 2 peerMisbehaved
    + included 0020-0025
    < 08 2000 2500 0228
    > 09 08 2100 1300 0a00 f0ff
    = 3 peerMisbehaved
    + included 0020-0025
    < 08 2000 2500 0228
    > 09 08 2100 0000 1300 f0ff
    = 4 peerMisbehaved
    GATT/CL/GAD the same include again and again
    + included 0020-0025
    < 08 2000 2500 0228
    > 09 08 2100 0a00 1300 f0ff
    < 08 2200 2500 0228
    > 09 08 2100 0a00 1300 f0ff
    = 1 peerMisbehaved
    GATT/CL/GAD the declaration of an included service is no UUID
    + included 0020-0021
    < 08 2000 2100 0228
    > 09 06 2100 1800 1a00
    < 0a 1800
    > 0b f0ff
    = 1 peerMisbehaved
    """)
}
