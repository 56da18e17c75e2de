/// Cases of a server: writes in parts, of one value and of several.
enum ServerLongWriteCases {
  static let values = QualificationCase.table(
    """
    GATT/SR/GAW/BV-05-C the parts of a value are joined
    > 16 Q02 0000 11*18
    < 17 Q02 0000 11*18
    > 16 Q02 1200 22*18
    < 17 Q02 1200 22*18
    > 16 Q02 2400 33
    < 17 Q02 2400 33
    > 18 01
    ? write 1 Q02@0=11*18 22*18 33
    ! written
    < 19
    GATT/SR/GAW/BV-05-C from an offset on
    > 16 Q02 0500 11*18
    < 17 Q02 0500 11*18
    > 18 01
    ? write 1 Q02@5=11*18
    ! written
    < 19
    GATT/SR/GAW/BI-07-C handles without attributes
    > 16 0000 0000 01
    < 01 16 0000 01
    > 16 Z00 0000 01
    < 01 16 Z00 01
    > 18 01
    < 19
    GATT/SR/GAW/BI-08-C values that may not be written
    > 16 P02 0000 01
    < 01 16 P02 03
    > 16 Q06 0000 01
    < 01 16 Q06 03
    > 16 Q08 0000 01
    < 01 16 Q08 03
    > 16 P03 0000 01
    < 01 16 P03 03
    > 18 01
    < 19
    GATT/SR/GAW/BI-09-C an offset that no value has
    > 16 Q02 0102 01
    < 17 Q02 0102 01
    > 18 01
    < 01 18 Q02 07
    GATT/SR/GAW/BI-09-C an offset past the owner's value
    > 16 Q02 0500 01
    < 17 Q02 0500 01
    > 18 01
    ? write 1 Q02@5=01
    ! error 07
    < 01 18 Q02 07
    GATT/SR/GAW/BI-11-C the owner wants authorization
    > 16 Q02 0000 01
    < 17 Q02 0000 01
    > 18 01
    ? write 1 Q02@0=01
    ! error 08
    < 01 18 Q02 08
    GATT/SR/GAW/BI-12-C encryption or authentication is missing
    > 16 R02 0000 01
    < 01 16 R02 05
    s encrypted 16
    > 16 R04 0000 01
    < 01 16 R04 05
    > 18 01
    < 19
    GATT/SR/GAW/BI-12-C encryption is lost between the part and its execution
    s encrypted 16
    > 16 R02 0000 01
    < 17 R02 0000 01
    s clear
    > 18 01
    < 01 18 R02 05
    GATT/SR/GAW/BI-13-C the key is too short
    k 16
    s encrypted 7
    > 16 R02 0000 01
    < 01 16 R02 0c
    GATT/SR/GAW/BI-33-C a part ends past what a value can have
    > 16 Q02 0002 01
    < 17 Q02 0002 01
    > 18 01
    < 01 18 Q02 0d
    > 16 Q02 ff01 01
    < 17 Q02 ff01 01
    > 18 01
    ? write 1 Q02@511=01
    ! written
    < 19
    GATT/SR/GAW/BI-33-C a value that the owner finds too long
    > 16 Q02 0000 11*18
    < 17 Q02 0000 11*18
    > 16 Q02 1200 22*18
    < 17 Q02 1200 22*18
    > 18 01
    ? write 1 Q02@0=11*18 22*18
    ! error 0d
    < 01 18 Q02 0d
    GATT/SR/GAW encryption is missing, but not a key, for a part
    s bonded
    > 16 R02 0000 01
    < 01 16 R02 0f
    GATT/SR/GAW nothing is left after a refused execution
    > 16 Q02 0102 01
    < 17 Q02 0102 01
    > 18 01
    < 01 18 Q02 07
    > 18 01
    < 19
    GATT/SR/GAW requests of wrong lengths and flags
    > 16
    < 01 16 0000 04
    > 16 Q02 00
    < 01 16 0000 04
    > 18
    < 01 18 0000 04
    > 18 02
    < 01 18 0000 04
    > 18 ff
    < 01 18 0000 04
    > 18 0100
    < 01 18 0000 04
    GATT/SR/GAW a wrong execution does not lose the parts
    > 16 Q02 0000 01
    < 17 Q02 0000 01
    > 18 02
    < 01 18 0000 04
    > 18 01
    ? write 1 Q02@0=01
    ! written
    < 19
    """)

  static let reliableWrites = QualificationCase.table(
    """
    GATT/SR/GAW/BV-06-C two values of one owner together
    > 16 Q02 0000 0102
    < 17 Q02 0000 0102
    > 16 Q0e 0000 0304
    < 17 Q0e 0000 0304
    > 18 01
    ? write 1 Q02@0=0102 Q0e@0=0304
    ! written
    < 19
    GATT/SR/GAW/BV-06-C two values of two owners
    > 16 Q02 0000 01
    < 17 Q02 0000 01
    > 16 T04 0000 02
    < 17 T04 0000 02
    > 18 01
    ? write 1 Q02@0=01
    ! written
    ? write 2 T04@0=02
    ! written
    < 19
    GATT/SR/GAW/BV-10-C parts of two values in turn
    > 16 Q02 0000 11*18
    < 17 Q02 0000 11*18
    > 16 Q0e 0000 22*18
    < 17 Q0e 0000 22*18
    > 16 Q02 1200 33
    < 17 Q02 1200 33
    > 16 Q0e 1200 44
    < 17 Q0e 1200 44
    > 18 01
    ? write 1 Q02@0=11*18 Q0e@0=22*18 Q02@18=33 Q0e@18=44
    ! written
    < 19
    GATT/SR/GAW/BV-11-C an execution without parts
    > 18 01
    < 19
    > 18 00
    < 19
    GATT/SR/GAW/BV-07-C parts that are canceled
    > 16 Q02 0000 01
    < 17 Q02 0000 01
    > 16 Q0e 0000 02
    < 17 Q0e 0000 02
    > 18 00
    < 19
    > 18 01
    < 19
    GATT/SR/GAW one value of several is refused: no owner is asked
    > 16 Q02 0000 01
    < 17 Q02 0000 01
    > 16 Q0e 0002 02
    < 17 Q0e 0002 02
    > 18 01
    < 01 18 Q0e 0d
    GATT/SR/GAW an owner's refusal ends the execution
    > 16 Q02 0000 01
    < 17 Q02 0000 01
    > 16 T04 0000 02
    < 17 T04 0000 02
    > 18 01
    ? write 1 Q02@0=01
    ! error 80
    < 01 18 Q02 80
    > 18 01
    < 19
    GATT/SR/GAW a service goes while its parts wait
    > 16 T04 0000 02
    < 17 T04 0000 02
    r T00-T$$ 2
    > 18 01
    < 01 18 T04 01
    """)
}
