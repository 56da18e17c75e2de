# latchkey-server on a slim Debian: `docker build -t latchkey-server .`; the page "Run it" says how it is run.
#
# A volume holds the state: the store, if it is SQLite, and the keys. No key and no password belongs in the image or its environment:
# mount the server's certificate and key, and name them by LATCHKEY_SERVER_TLS_CERT and LATCHKEY_SERVER_TLS_KEY.

ARG SWIFT_IMAGE=docker.io/library/swift:6.3-bookworm
ARG RUNTIME_IMAGE=docker.io/library/debian:bookworm-slim

FROM ${SWIFT_IMAGE} AS build
ARG TRAITS=default,PostgreSQL
RUN apt-get update \
  && apt-get install -y --no-install-recommends binutils libpq-dev libsqlite3-dev \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN swift build -c release --product latchkey-server --static-swift-stdlib --traits "$TRAITS" \
  && install -D -s .build/release/latchkey-server /out/latchkey-server

FROM ${RUNTIME_IMAGE}
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates curl libpq5 libsqlite3-0 libstdc++6 \
  && rm -rf /var/lib/apt/lists/* \
  && install -d -m 0700 -o 10001 -g 10001 /var/lib/latchkey-server
COPY --from=build /out/latchkey-server /usr/bin/latchkey-server
COPY LICENSE NOTICE /usr/share/doc/latchkey/
# Huge pages for the memory of password hashes, which is mapped anew for each.
ENV GLIBC_TUNABLES=glibc.malloc.hugetlb=1
ENV LATCHKEY_SERVER_STATE=/var/lib/latchkey-server \
  LATCHKEY_SERVER_LISTEN=0.0.0.0:8443 \
  LATCHKEY_SERVER_ADMIN_LISTEN=127.0.0.1:9090
USER 10001:10001
WORKDIR /var/lib/latchkey-server
VOLUME /var/lib/latchkey-server
EXPOSE 8443
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["curl", "--silent", "--show-error", "--fail", "--output", "/dev/null", "http://127.0.0.1:9090/health/ready"]
ENTRYPOINT ["latchkey-server"]
CMD ["serve"]
