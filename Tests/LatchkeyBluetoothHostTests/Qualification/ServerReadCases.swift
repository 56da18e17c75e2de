/// Cases of a server: reads of one value, and by UUID.
enum ServerReadCases {
  static let values = QualificationCase.table(
    """
    GATT/SR/GAR/BV-01-C a value that the server holds
    > 0a P02
    < 0b 0102030405
    > 0a G02
    < 0b 4c616d70
    > 0a P01
    < 0b 02 P02 f1ff
    GATT/SR/GAR/BV-01-C a value that the owner holds
    > 0a Q02
    ? read 1 Q02 @0
    ! value aabb
    < 0b aabb
    > 0a Q06
    ? read 1 Q06 @0
    ! value
    < 0b
    GATT/SR/GAR/BV-01-C a value is cut at ATT_MTU - 1
    > 0a P06
    < 0b 11*22
    > 0a Q02
    ? read 1 Q02 @0
    ! value 11*22 22
    < 0b 11*22
    m 64
    > 0a P06
    < 0b 11*22 22*22 33*16
    GATT/SR/GAR/BI-01-C values that may not be read
    > 0a Q04
    < 01 0a Q04 02
    > 0a Q08
    < 01 0a Q08 02
    > 0a H02
    < 01 0a H02 02
    GATT/SR/GAR/BI-01-C no security makes them readable
    s authenticated 16
    > 0a Q04
    < 01 0a Q04 02
    > 0a Q08
    < 01 0a Q08 02
    GATT/SR/GAR/BI-02-C handles without attributes
    > 0a 0000
    < 01 0a 0000 01
    > 0a Z00
    < 01 0a Z00 01
    > 0a ffff
    < 01 0a ffff 01
    GATT/SR/GAR/BI-02-C the handle of a service that went
    r V00-V$$ 1
    > 0a V00
    < 01 0a V00 01
    GATT/SR/GAR/BI-03-C the owner wants authorization
    > 0a Q06
    ? read 1 Q06 @0
    ! error 08
    < 01 0a Q06 08
    GATT/SR/GAR/BI-04-C encryption is missing, and a key
    > 0a R02
    < 01 0a R02 05
    > 0a R04
    < 01 0a R04 05
    GATT/SR/GAR/BI-04-C the key is not authenticated
    s encrypted 16
    > 0a R04
    < 01 0a R04 05
    > 0a R02
    ? read 1 R02 @0
    ! value 01
    < 0b 01
    s authenticated 16
    > 0a R04
    ? read 1 R04 @0
    ! value 02
    < 0b 02
    GATT/SR/GAR/BI-05-C the key is too short
    k 16
    s encrypted 7
    > 0a R02
    < 01 0a R02 0c
    s authenticated 15
    > 0a R04
    < 01 0a R04 0c
    s authenticated 16
    > 0a R04
    ? read 1 R04 @0
    ! value 02
    < 0b 02
    GATT/SR/GAR encryption is missing, but not a key
    s bonded
    > 0a R02
    < 01 0a R02 0f
    > 0a R04
    < 01 0a R04 0f
    GATT/SR/GAR an owner's errors pass as they are
    > 0a Q02
    ? read 1 Q02 @0
    ! error 80
    < 01 0a Q02 80
    > 0a Q02
    ? read 1 Q02 @0
    ! error ff
    < 01 0a Q02 ff
    GATT/SR/GAR a Read Request of a wrong length
    > 0a
    < 01 0a 0000 04
    > 0a 01
    < 01 0a 0000 04
    > 0a P02 00
    < 01 0a 0000 04
    GATT/SR/GAR/BI-45-C a second request before the first is answered
    > 0a Q02
    ? read 1 Q02 @0
    > 0a P02
    ! value aa
    < 0b aa
    < 0b 0102030405
    GATT/SR/GAR/BI-45-C a second request for another owner's value
    > 0a Q02
    ? read 1 Q02 @0
    > 0a T04
    ! value aa
    < 0b aa
    ? read 2 T04 @0
    ! value bb
    < 0b bb
    GATT/SR/GAR a third request before the first is answered
    > 0a Q02
    ? read 1 Q02 @0
    > 0a P02
    > 0a P03
    * dead
    > 0a P02
    """)

  static let valuesByUUID = QualificationCase.table(
    """
    GATT/SR/GAR/BV-03-C a value that the server holds
    > 08 0100 ffff f1ff
    < 09 07 P02 0102030405
    > 08 P03 ffff f1ff
    < 01 08 P03 0a
    GATT/SR/GAR/BV-03-C values of one length together
    > 08 P00 P$$ 0429
    < 09 09 P04 0400ad27010000 P08 06fe2f27010000
    GATT/SR/GAR/BV-03-C values of different lengths one by one
    > 08 P00 P$$ 0129
    < 09 05 P03 616263
    > 08 P04 P$$ 0129
    < 09 15 P07 44*19
    GATT/SR/GAR/BV-03-C a value that the owner holds
    > 08 0100 ffff e1ff
    ? read 1 Q02 @0
    ! value aabb
    < 09 04 Q02 aabb
    > 08 0100 ffff c4*16
    ? read 2 T04 @0
    ! value
    < 09 02 T04
    GATT/SR/GAR/BV-03-C a value is cut where the length of an entry ends
    m 517
    > 08 0100 ffff e1ff
    ? read 1 Q02 @0
    ! value ab*400
    < 09 ff Q02 ab*253
    GATT/SR/GAR/BI-06-C values that may not be read
    > 08 0100 ffff e2ff
    < 01 08 Q04 02
    > 08 0100 ffff e4ff
    < 01 08 Q08 02
    > 08 0100 ffff 052a
    < 01 08 H02 02
    GATT/SR/GAR/BI-07-C a UUID that no attribute has
    > 08 0100 ffff fffe
    < 01 08 0100 0a
    > 08 0100 ffff 77*16
    < 01 08 0100 0a
    GATT/SR/GAR/BI-07-C a UUID that no attribute of the range has
    > 08 Q00 Q$$ f1ff
    < 01 08 Q00 0a
    > 08 Z00 ffff f1ff
    < 01 08 Z00 0a
    GATT/SR/GAR/BI-07-C free handles have no type
    > 08 Z00 ffff 0000
    < 01 08 Z00 0a
    > 08 0100 ffff 0000
    < 01 08 0100 0a
    GATT/SR/GAR/BI-08-C a range that is none
    > 08 0000 ffff f1ff
    < 01 08 0000 01
    > 08 0000 0000 f1ff
    < 01 08 0000 01
    > 08 P03 P02 f1ff
    < 01 08 P03 01
    GATT/SR/GAR/BI-09-C the owner wants authorization
    > 08 0100 ffff e3ff
    ? read 1 Q06 @0
    ! error 08
    < 01 08 Q06 08
    GATT/SR/GAR/BI-10-C encryption or authentication is missing
    > 08 0100 ffff d1ff
    < 01 08 R02 05
    s encrypted 16
    > 08 0100 ffff d2ff
    < 01 08 R04 05
    GATT/SR/GAR/BI-11-C the key is too short
    k 16
    s encrypted 7
    > 08 0100 ffff d1ff
    < 01 08 R02 0c
    GATT/SR/GAR by UUID, encryption is missing, but not a key
    s bonded
    > 08 0100 ffff d1ff
    < 01 08 R02 0f
    GATT/SR/GAR Read By Type of a wrong length
    > 08
    < 01 08 0000 04
    > 08 0100 ffff f1
    < 01 08 0000 04
    > 08 0100 ffff f1ff00
    < 01 08 0000 04
    > 08 0100 ffff f1ff0000
    < 01 08 0000 04
    > 08 0100 ffff 77*15
    < 01 08 0000 04
    """)
}
