# The proxy as an image, with Node beside it for servers that npx starts.
#
#   docker build -t snugfit .
#   docker run --init -p 8787:8787 -v ./snugfit.config.yaml:/etc/snugfit/snugfit.config.yaml:ro -e SNUGFIT_STORE_SECRET snugfit
#
# The configuration has to listen on 0.0.0.0, with inbound.http.auth: see docs/operating.md.

FROM rust:1.91-bookworm AS build
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/src/target \
    cargo build --locked --release --package snugfit-cli && cp target/release/snugfit /usr/local/bin/snugfit

FROM node:22-bookworm-slim
# The authorities that certificates of servers and of Redis are checked against.
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /usr/local/bin/snugfit /usr/local/bin/snugfit
COPY LICENSE THIRD-PARTY-LICENSES /usr/share/doc/snugfit/
# Nobody in particular; its home is for what npx downloads.
USER node
WORKDIR /home/node
EXPOSE 8787
# Alive, rather than ready: a server that is down is no reason to start the proxy again.
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
    CMD ["node", "-e", "fetch('http://127.0.0.1:8787/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["snugfit"]
CMD ["proxy", "--config", "/etc/snugfit/snugfit.config.yaml"]
