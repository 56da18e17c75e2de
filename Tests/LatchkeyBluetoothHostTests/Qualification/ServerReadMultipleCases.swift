/// Cases of a server: reads of several values by one request.
enum ServerReadMultipleCases {
  static let fixedLength = QualificationCase.table(
    """
    GATT/SR/GAR/BV-05-C values in the order of the handles
    > 0e P02 P03
    < 0f 0102030405 616263
    > 0e P03 P02
    < 0f 616263 0102030405
    > 0e P03 P03
    < 0f 616263 616263
    GATT/SR/GAR/BV-05-C values of the server and of two owners
    > 0e Q02 P02 T04
    ? read 1 Q02 @0
    ! value aa
    ? read 2 T04 @0
    ! value bb
    < 0f aa 0102030405 bb
    GATT/SR/GAR/BV-05-C the values are cut at ATT_MTU - 1
    > 0e P02 P06
    < 0f 0102030405 11*17
    > 0e P06 Q02
    < 0f 11*22
    GATT/SR/GAR/BI-18-C a value that may not be read: the first one is named
    > 0e P02 Q04
    < 01 0e Q04 02
    > 0e Q08 Q04
    < 01 0e Q08 02
    > 0e Q02 P02 Q04
    < 01 0e Q04 02
    GATT/SR/GAR/BI-19-C a handle without an attribute
    > 0e P02 Z00
    < 01 0e Z00 01
    > 0e 0000 P02
    < 01 0e 0000 01
    GATT/SR/GAR/BI-19-C a handle behind the bytes that fit
    > 0e P06 P06 Z00
    < 01 0e Z00 01
    GATT/SR/GAR/BI-20-C the owner wants authorization
    > 0e P02 Q06
    ? read 1 Q06 @0
    ! error 08
    < 01 0e Q06 08
    GATT/SR/GAR/BI-21-C encryption or authentication is missing
    > 0e P02 R02
    < 01 0e R02 05
    s encrypted 16
    > 0e P02 R04
    < 01 0e R04 05
    GATT/SR/GAR/BI-21-C no owner is asked when a later value is refused
    > 0e Q02 R02
    < 01 0e R02 05
    GATT/SR/GAR/BI-22-C the key is too short
    k 16
    s encrypted 7
    > 0e P02 R02
    < 01 0e R02 0c
    GATT/SR/GAR Read Multiple of a wrong length
    > 0e
    < 01 0e 0000 04
    > 0e P02
    < 01 0e 0000 04
    > 0e P02 P03 00
    < 01 0e 0000 04
    """)

  static let variableLength = QualificationCase.table(
    """
    GATT/SR/GAR/BV-09-C each value after its length
    > 20 P02 P03
    < 21 0500 0102030405 0300 616263
    > 20 P03 Q02 T04
    ? read 1 Q02 @0
    ! value
    ? read 2 T04 @0
    ! value aabb
    < 21 0300 616263 0000 0200 aabb
    GATT/SR/GAR/BV-09-C the last value is cut, its length is not
    > 20 P02 P06
    < 21 0500 0102030405 3c00 11*13
    GATT/SR/GAR/BI-36-C a value that may not be read
    > 20 P02 Q04
    < 01 20 Q04 02
    > 20 Q08 P02
    < 01 20 Q08 02
    GATT/SR/GAR/BI-38-C a handle without an attribute
    > 20 P02 Z00
    < 01 20 Z00 01
    > 20 0000 P02
    < 01 20 0000 01
    > 20 P06 P06 ffff
    < 01 20 ffff 01
    GATT/SR/GAR/BI-40-C the owner wants authorization
    > 20 Q06 P02
    ? read 1 Q06 @0
    ! error 08
    < 01 20 Q06 08
    GATT/SR/GAR/BI-42-C encryption or authentication is missing
    > 20 Q02 R02
    < 01 20 R02 05
    s encrypted 16
    > 20 R04 P02
    < 01 20 R04 05
    GATT/SR/GAR/BI-44-C the key is too short
    k 16
    s encrypted 7
    > 20 P02 R02
    < 01 20 R02 0c
    GATT/SR/GAR Read Multiple Variable of a wrong length
    > 20
    < 01 20 0000 04
    > 20 P02
    < 01 20 0000 04
    > 20 P02 P03 00
    < 01 20 0000 04
    """)
}
