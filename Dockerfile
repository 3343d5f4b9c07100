# The two images of the service: docker build --target variant-a (or variant-b) .
# Plain Dockerfile syntax throughout, so that the classic builder builds it as well as BuildKit.
# To run the images: docs/operations.md. Reasons: docs/decisions/0017-images.md.

ARG NODE_IMAGE=node:26.10.0-trixie-slim

# The dependencies of the build. This layer changes with the lock file only.
FROM ${NODE_IMAGE} AS dependencies
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund

# The program: files of the service, and one for its health check (docs/decisions/0008).
FROM dependencies AS code
COPY tsconfig.json ./
COPY scripts/build.js scripts/package-types.ts scripts/
COPY src src
RUN npm run --silent build && mkdir -p /out/app/dist \
 && cd dist && cp main.js program.js replicas.js healthcheck.js package.json /out/app/dist/
ARG SOURCE_DATE_EPOCH=0
RUN chmod -R a=rX /out && find /out -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +

# The Node binary without its symbols, and the libraries it is linked with.
FROM ${NODE_IMAGE} AS runtime
COPY scripts/trim-elf.js /
RUN mkdir /out \
 && cp --parents -L $(ldd /usr/local/bin/node | grep -o '/[^ ]*') /usr/local/bin/node /out/ \
 && node /trim-elf.js /out/usr/local/bin/node
ARG SOURCE_DATE_EPOCH=0
RUN chmod -R a=rX /out && find /out -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +

# Licences, package records and an SBOM.
FROM ${NODE_IMAGE} AS records
WORKDIR /build
COPY package.json LICENSE scripts/image-records.js ./
RUN node image-records.js /out $(ldd /usr/local/bin/node | grep -o '/[^ ]*')
ARG SOURCE_DATE_EPOCH=0
RUN chmod -R a=rX /out && find /out -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +

# Node alone: no shell, no package manager, a number as the user, no writable file.
FROM scratch AS node
COPY --from=runtime /out/ /
# Half of the container's memory for the heap, the other half for buffers and the binary; no debugger
# by signal; one helper thread of V8, and one malloc arena.
ENV NODE_OPTIONS="--max-old-space-size-percentage=50 --disable-sigusr1 --v8-pool-size=1" \
    MALLOC_ARENA_MAX=1
USER 65532:65532

FROM node AS service
COPY --from=records /out/ /
COPY --from=code /out/ /
EXPOSE 8080
# All interfaces: the container's network decides who can connect. An empty HOST does not replace it.
ENV IMAGE_HOST=*
# Short, because the first check comes one interval after the start. Podman drops the check from
# images of its default format: podman build --format docker.
# Its flags override those that NODE_OPTIONS has for the service: a debugger, and profiles in files.
HEALTHCHECK --interval=2s --timeout=2s --start-period=10s --retries=3 \
  CMD ["/usr/local/bin/node", "--no-inspect", "--no-inspect-brk", "--no-cpu-prof", "--no-heap-prof", \
  "/app/dist/healthcheck.js"]
ENTRYPOINT ["/usr/local/bin/node", "/app/dist/main.js"]
ARG VERSION=5.0.0
ARG REVISION
ARG SOURCE
LABEL org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.source="$SOURCE" \
      org.opencontainers.image.licenses="MIT"

# The image's own default, which an empty VARIANT does not replace.
FROM service AS variant-a
ENV IMAGE_VARIANT=a
LABEL org.opencontainers.image.title="todo-service-a" \
      org.opencontainers.image.description="A to-do list over HTTP, variant A: 32-bit ids"

FROM service AS variant-b
ENV IMAGE_VARIANT=b
LABEL org.opencontainers.image.title="todo-service-b" \
      org.opencontainers.image.description="A to-do list over HTTP, variant B: 64-bit ids, createdAt"
