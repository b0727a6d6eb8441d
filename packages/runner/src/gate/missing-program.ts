/**
 * Debian packages that contain the languages and tools of projects. Of its two versions of Rust, `cargo` is from 2022 and
 * reads the index of crates.io from a code host, which checks can't reach.
 */
const DEBIAN_PACKAGES: Record<string, string> = {
  "A Rust toolchain": "cargo-web",
  bundle: "ruby-bundler",
  cargo: "cargo-web",
  cmake: "cmake",
  composer: "composer",
  go: "golang-go",
  gradle: "gradle",
  java: "default-jdk-headless",
  javac: "default-jdk-headless",
  mix: "elixir",
  mvn: "maven",
  php: "php-cli",
  psql: "postgresql-client",
  "redis-server": "redis-server",
  ruby: "ruby",
  rustc: "cargo-web",
  sqlite3: "sqlite3",
}

/** Names the missing program. If Debian has a package for it, also explains how to add the package. */
export function missingProgram({ missing }: { missing: string }): string {
  const fact = `${missing} isn't installed on this machine.`
  const name = Object.hasOwn(DEBIAN_PACKAGES, missing) ? DEBIAN_PACKAGES[missing] : undefined
  return name === undefined ? fact : `${fact} Install it, or add ${name} to RUNNER_PACKAGES on a stage.`
}
