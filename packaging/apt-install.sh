#!/bin/sh
# Installs Debian packages without asking anything. Usage, as root: apt-install.sh PACKAGE...
set -eu

export DEBIAN_FRONTEND=noninteractive
install() {
    apt-get install -y -q --no-install-recommends -o Acquire::Retries=5 \
        -o DPkg::Lock::Timeout=300 "$@" </dev/null
}

# Straight away where the package lists are fresh; else once more with new lists.
if ! install "$@" >/dev/null 2>&1; then
    apt-get update -q -o Acquire::Retries=5
    install "$@"
fi
