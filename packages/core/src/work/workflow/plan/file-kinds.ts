import { isGeneratedName } from "../../../files/worktrees/generated-files.ts"
import { isForeign, nameOf } from "../../checks/facts/file-kinds.ts"

const MANIFEST =
  /^(package\.json|pyproject\.toml|requirements\.txt|Cargo\.toml|go\.mod|pom\.xml|build\.gradle(\.kts)?|composer\.json|Gemfile)$/
const README = /^readme(\.\w+)?$/i

const BINARY_FILE =
  /\.(png|jpe?g|gif|webp|avif|ico|bmp|tiff?|woff2?|ttf|otf|eot|mp3|mp4|wav|ogg|webm|mov|pdf|zip|gz|tgz|tar|rar|7z|jar|class|exe|dll|so|dylib|wasm|sqlite3?|db|pyc)$/i
const LOCK_FILE =
  /^(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|poetry\.lock|uv\.lock|Pipfile\.lock|Cargo\.lock|go\.sum|composer\.lock|Gemfile\.lock)$/
const BUILD_FOLDERS = ["node_modules", "__pycache__", ".venv", ".next"]

/** Returns true for a file that declares the tools of a project. */
export function isManifest(path: string): boolean {
  return MANIFEST.test(nameOf(path))
}

export function isReadme(path: string): boolean {
  return README.test(nameOf(path))
}

/**
 * Returns true if a model can write the file as text. False for images, archives, lock files and build output, which
 * only programs can create.
 */
export function isWritableAsText(path: string): boolean {
  const name = nameOf(path)
  const folders = path.split("/").slice(0, -1)
  return !BINARY_FILE.test(name) && !LOCK_FILE.test(name) && !folders.some((folder) => BUILD_FOLDERS.includes(folder))
}

const GENERATED_FOLDERS = /(?:^|\/)(?:dist|generated|__generated__|coverage)\/|^(?:build|out|output|target)\//

/** Returns true for third-party files and for files that programs generate. Plans hardly ever change them. */
export function isForeignOrGenerated(path: string): boolean {
  return isForeign(path) || isGeneratedName(path) || GENERATED_FOLDERS.test(path)
}

/** Returns true for a text file that people write, as opposed to programs or third parties. */
export function isWrittenByPeople(path: string): boolean {
  return isWritableAsText(path) && !isForeignOrGenerated(path)
}
