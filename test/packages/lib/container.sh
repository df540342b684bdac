# The container way, as far as a machine without a container engine can try it. Sourced by test/packages/check.
# shellcheck disable=SC2317  # most functions are reached through try

COMPOSE=$ROOT/test/packages/compose.yaml

containers() { # argument...
    "$PYTHON" "$ROOT/test/packages/lib/containers.py" "$@"
}

# The bare system of the images, with what this machine needs to reach others; what is mounted is so by containers.py.
bare_image() {
    fresh_chroot container
    release_mounts "$WORK"
    mv "$WORK" "$BARE"
}

# A network of its own, so that the services may listen as they do in containers; all end when it ends.
run_services() {
    unshare --net --pid --fork --kill-child --mount-proc \
        "$PYTHON" "$ROOT/test/packages/lib/containers.py" up "$COMPOSE" "$WORK"
}

check_container() {
    install_packages python3-yaml iproute2
    BARE=$CACHE/packages-bare
    bare_image
    WORK=$CACHE/packages-images
    mkdir -p "$WORK"
    try "container: compose.yaml and the Dockerfile fit together" containers check "$COMPOSE"
    try "container: the commands of the Dockerfile" containers build "$COMPOSE" "$BARE" "$WORK"
    run_services || failing
    ! docker compose version >/dev/null 2>&1 ||
        try "container: docker understands compose.yaml" docker compose -f "$COMPOSE" config --quiet
    remove_chroot "$WORK"
    remove_chroot "$BARE"
}
