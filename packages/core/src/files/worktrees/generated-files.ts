const LOCK_FILES = new Set([
  "package-lock.json",
  "npm-shrinkwrap.json",
  "yarn.lock",
  "pnpm-lock.yaml",
  "bun.lock",
  "bun.lockb",
  "deno.lock",
  "Cargo.lock",
  "poetry.lock",
  "uv.lock",
  "pdm.lock",
  "Pipfile.lock",
  "Gemfile.lock",
  "composer.lock",
  "go.sum",
  "mix.lock",
  "flake.lock",
  "pubspec.lock",
  "Package.resolved",
  "gradle.lockfile",
])

const GENERATED = /(\.min\.(js|css)|\.(js|css)\.map|\.pb\.go|_pb2(_grpc)?\.pyi?|\.generated\.\w+|\.snap)$/

/** True if the file has a name that is typical of generated files. People rarely read changes to such files. */
export function isGeneratedName(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1)
  return LOCK_FILES.has(name) || GENERATED.test(name)
}
