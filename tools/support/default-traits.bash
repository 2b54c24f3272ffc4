# Holds what a package resolves that depends on this one: nothing of the integrations without their traits. Sourced by tools/test.

# resolved TRAITS: the packages that a package resolves which depends on this one with these traits, a name each.
resolved() {
    local package
    package=$(mktemp -d)
    cat >"$package/Package.swift" <<MANIFEST
// swift-tools-version: 6.2
import PackageDescription
let package = Package(
    name: "user",
    dependencies: [.package(name: "swift-jetsam", path: "$root"$1)],
    targets: [.target(name: "User", dependencies: [.product(name: "Jetsam", package: "swift-jetsam")])])
MANIFEST
    mkdir -p "$package/Sources/User"
    echo "import Jetsam" >"$package/Sources/User/User.swift"
    swift package --package-path "$package" resolve >"$package/log" 2>&1 || { cat "$package/log" >&2; rm -rf "$package"; return 1; }
    sed -nE 's/.*"identity" *: *"([^"]+)".*/\1/p' "$package/Package.resolved" | sort -u
    rm -rf "$package"
}

# check_default_traits: fails where a user with the default traits resolves what only the integrations need.
check_default_traits() {
    local plain with others
    plain=$(resolved "") || fail "a package that depends on this one does not resolve"
    others=$(grep -E '^(swift-nio.*|hummingbird.*|grpc-.*|grdb.*)$' <<<"$plain" | paste -sd ' ' || true)
    [[ -z $others ]] || fail "a package that depends on this one with the default traits resolves $others"
    # Otherwise this would pass as well where a trait brought nothing.
    with=$(resolved ', traits: ["Hummingbird"]') || fail "a package that depends on this one with the trait Hummingbird does not resolve"
    grep -qx hummingbird <<<"$with" || fail "the trait Hummingbird does not bring hummingbird"
    with=$(resolved ', traits: ["NIO"]') || fail "a package that depends on this one with the trait NIO does not resolve"
    grep -qx swift-nio <<<"$with" || fail "the trait NIO does not bring swift-nio"
    others=$(grep -E '^(hummingbird.*|grpc-.*|grdb.*)$' <<<"$with" | paste -sd ' ' || true)
    [[ -z $others ]] || fail "a package that depends on this one with the trait NIO resolves $others"
    echo "default traits: $(paste -sd ' ' <<<"$plain")"
}
