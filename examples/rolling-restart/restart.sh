#!/bin/sh
# Replaces the replicas one by one, each once the previous one is healthy again.
set -eu
cd "$(dirname "$0")"
compose=${COMPOSE:-docker compose}
for replica in todo-1 todo-2; do
  $compose up --detach --no-deps --force-recreate "$replica"
  container=$($compose ps -q "$replica")
  until docker inspect --format "{{.State.Health.Status}}" "$container" | grep -qx healthy; do
    sleep 0.2
  done
done
