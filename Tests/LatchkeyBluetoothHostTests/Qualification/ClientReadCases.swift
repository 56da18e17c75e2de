/// Cases of a client: reads of one value, and by UUID.
enum ClientReadCases {
  static let values = QualificationCase.table(
    """
    GATT/CL/GAR/BV-01-C a value of one answer
    + read 0003
    < 0a 0300
    > 0b 0102030405
    = 1 value 0102030405
    + read 0003
    < 0a 0300
    > 0b
    = 2 value
    GATT/CL/GAR/BI-01-C the handle is none
    + read 0003
    < 0a 0300
    > 01 0a 0300 01
    = 1 refused 01 0003
    GATT/CL/GAR/BI-02-C the value may not be read
    + read 0003
    < 0a 0300
    > 01 0a 0300 02
    = 1 refused 02 0003
    GATT/CL/GAR/BI-03-C authorization is missing: no security helps
    ! read 0003
    < 0a 0300
    > 01 0a 0300 08
    = 1 refused 08 0003
    GATT/CL/GAR/BI-04-C authentication is missing
    + read 0003
    < 0a 0300
    > 01 0a 0300 05
    = 1 refused 05 0003
    GATT/CL/GAR/BI-04-C authentication is missing, and is raised
    ! read 0003
    < 0a 0300
    > 01 0a 0300 05
    * security 05 for 1
    r
    < 0a 0300
    > 0b 01
    = 1 value 01
    GATT/CL/GAR/BI-05-C the key is too short, and stays so
    ! read 0003
    < 0a 0300
    > 01 0a 0300 0c
    * security 0c for 1
    r
    < 0a 0300
    > 01 0a 0300 0c
    = 1 refused 0c 0003
    GATT/CL/GAR encryption is missing, and nobody raises it
    ! read 0003
    < 0a 0300
    > 01 0a 0300 0f
    * security 0f for 1
    g
    = 1 refused 0f 0003
    GATT/CL/GAR errors of the application
    + read 0003
    < 0a 0300
    > 01 0a 0300 80
    = 1 refused 80 0003
    + read 0003
    < 0a 0300
    > 01 0a 0300 00
    = 2 refused 00 0003
    GATT/CL/GAR an invalid offset is no end of a value that has not begun
    + read 0003
    < 0a 0300
    > 01 0a 0300 07
    = 1 refused 07 0003
    GATT/CL/GAR the answer to another read ends the bearer
    + read 0003
    < 0a 0300
    + read 0005
    > 0d 01
    = 1 peerMisbehaved
    = 2 disconnected
    * dead
    GATT/CL/GAR the refusal of another request ends the bearer
    + read 0003
    < 0a 0300
    > 01 0c 0300 02
    = 1 peerMisbehaved
    * dead
    GATT/CL/GAR a refusal with a byte too many ends the bearer
    + read 0003
    < 0a 0300
    > 01 0a 0300 02 00
    = 1 peerMisbehaved
    * dead
    GATT/CL/GAR answers that nobody asked for
    > 0b 01
    > 01 0a 0300 02
    + read 0003
    < 0a 0300
    > 0b 02
    = 1 value 02
    > 0b 03
    + read 0004
    < 0a 0400
    > 0b 04
    = 2 value 04
    GATT/CL/GAR an empty PDU is no answer
    + read 0003
    < 0a 0300
    >
    > 0b 01
    = 1 value 01
    """)

  static let valuesByUUID = QualificationCase.table(
    """
    GATT/CL/GAR/BV-03-C values of all characteristics of a UUID
    + uuid fff1 0001-ffff
    < 08 0100 ffff f1ff
    > 09 04 0300 aabb 0800 ccdd
    < 08 0900 ffff f1ff
    > 09 03 0c00 ee
    < 08 0d00 ffff f1ff
    > 01 08 0d00 0a
    = 1 0003=aabb; 0008=ccdd; 000c=ee
    GATT/CL/GAR/BV-03-C an empty value at the last handle, of a 128-bit UUID
    + uuid 00112233445566778899aabbccddeeff 0001-ffff
    < 08 0100 ffff ffeeddccbbaa99887766554433221100
    > 09 02 ffff
    = 1 ffff=
    GATT/CL/GAR/BI-06-C the value may not be read
    + uuid fff1 0001-ffff
    < 08 0100 ffff f1ff
    > 01 08 0300 02
    = 1 refused 02 0003
    GATT/CL/GAR/BI-07-C no attribute has the UUID
    + uuid fff1 0001-ffff
    < 08 0100 ffff f1ff
    > 01 08 0100 0a
    = 1 refused 0a 0001
    GATT/CL/GAR/BI-09-C authorization is missing
    ! uuid fff1 0001-ffff
    < 08 0100 ffff f1ff
    > 01 08 0300 08
    = 1 refused 08 0003
    GATT/CL/GAR/BI-10-C authentication is missing, and is raised
    ! uuid fff1 0001-000c
    < 08 0100 0c00 f1ff
    > 01 08 0c00 05
    * security 05 for 1
    r
    < 08 0100 0c00 f1ff
    > 09 03 0c00 ee
    = 1 000c=ee
    GATT/CL/GAR/BI-11-C the key is too short
    + uuid fff1 0001-ffff
    < 08 0100 ffff f1ff
    > 01 08 0300 0c
    = 1 refused 0c 0003
    GATT/CL/GAR a later value that is refused
    + uuid fff1 0001-ffff
    < 08 0100 ffff f1ff
    > 09 03 0300 aa
    < 08 0400 ffff f1ff
    > 01 08 0800 02
    = 1 refused 02 0008
    GATT/CL/GAR values by UUID of a wrong length
    + uuid fff1 0001-ffff
    < 08 0100 ffff f1ff
    > 09
    = 1 peerMisbehaved
    + uuid fff1 0001-ffff
    < 08 0100 ffff f1ff
    > 09 03
    = 2 peerMisbehaved
    + uuid fff1 0001-ffff
    < 08 0100 ffff f1ff
    > 09 04 0300 aa
    = 3 peerMisbehaved
    + uuid fff1 0001-ffff
    < 08 0100 ffff f1ff
    > 09 03 0300 aa 0400
    = 4 peerMisbehaved
    + uuid fff1 0001-ffff
    < 08 0100 ffff f1ff
    > 09 01 03
    = 5 peerMisbehaved
    GATT/CL/GAR values by UUID outside of the range
    + uuid fff1 0005-0010
    < 08 0500 1000 f1ff
    > 09 03 0400 aa
    = 1 peerMisbehaved
    + uuid fff1 0005-0010
    < 08 0500 1000 f1ff
    > 09 03 1100 aa
    = 2 peerMisbehaved
    + uuid fff1 0005-0010
    < 08 0500 1000 f1ff
    > 09 03 0000 aa
    = 3 peerMisbehaved
    GATT/CL/GAR values by UUID that go backward, or come again and again
    + uuid fff1 0001-0010
    < 08 0100 1000 f1ff
    > 09 03 0500 aa 0400 bb
    = 1 peerMisbehaved
    + uuid fff1 0001-0010
    < 08 0100 1000 f1ff
    > 09 03 0500 aa
    < 08 0600 1000 f1ff
    > 09 03 0500 aa
    = 2 peerMisbehaved
    """)
}
