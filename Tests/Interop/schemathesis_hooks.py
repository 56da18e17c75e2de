"""What schemathesis sends as the binary bodies of the OpenAPI document: signing requests in base64 (EST) and OCSP requests in DER.

The files of real ones are named by the environment (schemathesis_run). Others are altered in a byte, cut off, or made up.
"""

import os
import pathlib

import schemathesis
from hypothesis import strategies as st

LONGEST = 512


def spoiled(body: bytes):
    """The body with another byte somewhere, or without its end."""
    places = st.integers(0, len(body) - 1)
    altered = st.builds(lambda place, byte: body[:place] + bytes([byte]) + body[place + 1 :], places, st.integers(0, 255))
    return st.one_of(altered, places.map(lambda place: body[:place]))


def bodies(variable: str):
    body = pathlib.Path(os.environ[variable]).read_bytes()
    return st.one_of(st.just(body), spoiled(body), st.binary(max_size=LONGEST))


MEDIA_TYPES = {"application/pkcs10": "LATCHKEY_SIGNING_REQUEST", "application/ocsp-request": "LATCHKEY_STATUS_REQUEST"}
for name, variable in MEDIA_TYPES.items():
    schemathesis.openapi.media_type(name, bodies(variable))


@schemathesis.serializer(*MEDIA_TYPES)
def as_it_is(_, value):
    return value if isinstance(value, bytes) else str(value).encode(errors="surrogatepass")
