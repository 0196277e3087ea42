# Sourced by the other scripts: installs Debian or Ubuntu packages that are missing.

# need PACKAGE...
need() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  echo "Installing: ${missing[*]}"
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# packaged PACKAGE VERSION: whether the system has it in this version or a newer one.
packaged() {
  local version
  version=$(apt-cache policy "$1" 2>/dev/null | awk '/Candidate:/ { print $2 }')
  [ -n "$version" ] && [ "$version" != "(none)" ] && dpkg --compare-versions "$version" ge "$2"
}

# The oldest clang that docs/building.md allows and that the system has with libFuzzer and clang-tidy,
# as a number; nothing if there is none.
packaged_clang() {
  local version
  for version in 16 17 18 19 20 21; do
    if packaged "clang-tidy-$version" "1:$version" && packaged "libclang-rt-$version-dev" "1:$version"; then
      echo "$version"
      return
    fi
  done
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    echo "This needs root, or sudo, to run: $*" >&2
    exit 3
  fi
}

build_packages=(g++ meson ninja-build pkg-config python3
  libcli11-dev nlohmann-json3-dev libfmt-dev libpng-dev zlib1g-dev libbz2-dev libexpat1-dev)
report_packages=(python3-matplotlib)
test_packages=("${report_packages[@]}" catch2 git ca-certificates cmake libtbb-dev
  doxygen python3-sphinx python3-myst-parser python3-breathe)
hip_packages=(hipcc libhiprand-dev librocrand-dev)
