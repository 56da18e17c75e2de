/// Cases of a client: reads in parts, and reads of descriptors.
enum ClientLongReadCases {
  static let values = QualificationCase.table(
    """
    GATT/CL/GAR/BV-04-C a value in parts, until one is short
    + read 0003
    < 0a 0300
    > 0b 11*22
    < 0c 0300 1600
    > 0d 22*22
    < 0c 0300 2c00
    > 0d 33*16
    = 1 value 11*22 22*22 33*16
    GATT/CL/GAR/BV-04-C a value that ends with a whole part
    + read 0003
    < 0a 0300
    > 0b 11*22
    < 0c 0300 1600
    > 0d
    = 1 value 11*22
    GATT/CL/GAR/BV-04-C a value that ends with a whole part, and is not long
    + read 0003
    < 0a 0300
    > 0b 11*22
    < 0c 0300 1600
    > 01 0c 0300 0b
    = 1 value 11*22
    GATT/CL/GAR/BI-12-C the value may no longer be read
    + read 0003
    < 0a 0300
    > 0b 11*22
    < 0c 0300 1600
    > 01 0c 0300 02
    = 1 refused 02 0003
    GATT/CL/GAR/BI-13-C an invalid offset is the end
    + read 0003
    < 0a 0300
    > 0b 11*22
    < 0c 0300 1600
    > 0d 22*22
    < 0c 0300 2c00
    > 01 0c 0300 07
    = 1 value 11*22 22*22
    GATT/CL/GAR/BI-14-C the handle is gone
    + read 0003
    < 0a 0300
    > 0b 11*22
    < 0c 0300 1600
    > 01 0c 0300 01
    = 1 refused 01 0003
    GATT/CL/GAR/BI-15-C authorization is missing
    ! read 0003
    < 0a 0300
    > 0b 11*22
    < 0c 0300 1600
    > 01 0c 0300 08
    = 1 refused 08 0003
    GATT/CL/GAR/BI-16-C authentication is missing, and is raised: the read goes on
    ! read 0003
    < 0a 0300
    > 0b 11*22
    < 0c 0300 1600
    > 01 0c 0300 05
    * security 05 for 1
    r
    < 0c 0300 1600
    > 0d 22
    = 1 value 11*22 22
    GATT/CL/GAR/BI-17-C the key is too short
    + read 0003
    < 0a 0300
    > 0b 11*22
    < 0c 0300 1600
    > 01 0c 0300 0c
    = 1 refused 0c 0003
    GATT/CL/GAR a value without an end is cut at 512 bytes
    m 257
    + read 0003
    < 0a 0300
    > 0b 11*256
    < 0c 0300 0001
    > 0d 22*256
    = 1 value 11*256 22*256
    GATT/CL/GAR a part that is longer than it can be
    + read 0003
    < 0a 0300
    > 0b 11*600
    = 1 value 11*512
    GATT/CL/GAR the answer to Read where Read Blob was asked ends the bearer
    + read 0003
    < 0a 0300
    > 0b 11*22
    < 0c 0300 1600
    > 0b 22
    = 1 peerMisbehaved
    * dead
    GATT/CL/GAR/BV-06-C a descriptor
    + read 000d
    < 0a 0d00
    > 0b 616263
    = 1 value 616263
    GATT/CL/GAR/BV-07-C a long descriptor
    + read 000d
    < 0a 0d00
    > 0b 44*22
    < 0c 0d00 1600
    > 0d 55
    = 1 value 44*22 55
    """)
}
