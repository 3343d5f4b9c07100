# Both images for both platforms, with provenance and SBOM, run in the root of the project:
#   docker buildx bake --file scripts/docker-bake.hcl --push
# For this machine only, instead of --push: --load --set '*.platform=' --set '*.attest='

variable "NAMESPACE" { default = "" }   # such as registry.example/team/
variable "TAG" { default = "latest" }
variable "VERSION" { default = "5.0.0" }
variable "REVISION" { default = "" }
variable "SOURCE" { default = "" }      # such as https://git.example/team/todo-service
variable "SOURCE_DATE_EPOCH" { default = "0" }
variable "NODE_IMAGE" { default = "node:26.10.0-trixie-slim" }

group "default" { targets = ["image"] }

target "settings" {
  platforms = ["linux/amd64", "linux/arm64"]
  args = { SOURCE_DATE_EPOCH = SOURCE_DATE_EPOCH }
}

target "variant" {
  matrix   = { variant = ["a", "b"] }
  name     = "variant-${variant}"
  inherits = ["settings"]
  target   = "variant-${variant}"
  args     = { NODE_IMAGE = NODE_IMAGE, VERSION = VERSION, REVISION = REVISION, SOURCE = SOURCE }
}

# The variant, checked five times a second until it is healthy, and then every five seconds.
# --start-interval needs Docker 25. It is not in the Dockerfile, because older builders refuse a
# file with this flag.
target "image" {
  matrix   = { variant = ["a", "b"] }
  name     = "todo-service-${variant}"
  inherits = ["settings"]
  contexts = { variant = "target:variant-${variant}" }
  dockerfile-inline = <<-EOT
    FROM variant
    HEALTHCHECK --interval=5s --timeout=2s --start-period=10s --start-interval=200ms --retries=3 \
      CMD ["/usr/local/bin/node", "--no-inspect", "--no-inspect-brk", "--no-cpu-prof", "--no-heap-prof", \
      "/app/dist/healthcheck.js"]
  EOT
  tags   = ["${NAMESPACE}todo-service-${variant}:${TAG}"]
  attest = ["type=provenance,mode=max", "type=sbom"]
}
