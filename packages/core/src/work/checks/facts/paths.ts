/** Returns the folder that contains a file. The root is `""`. */
export function folderOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : ""
}

/** Resolves a path relative to a folder. Returns undefined if the result is outside the project. */
export function resolvePath(folder: string, relative: string): string | undefined {
  const segments = folder === "" ? [] : folder.split("/")
  for (const segment of relative.split("/")) {
    if (segment === "" || segment === ".") continue
    if (segment !== "..") segments.push(segment)
    else if (segments.pop() === undefined) return undefined
  }
  return segments.join("/")
}

/**
 * Names of folders for generated files. Names in the first group count anywhere, the others only outside of source
 * folders.
 */
const MADE_ANYWHERE = /^(?:dist|generated|__generated__|coverage|node_modules|bower_components|\.\w[\w-]*)$/
const MADE_IN_ROOT = /^(?:build|out|output|target)$/
/** Names of folders that may contain generated files or sources. */
const MADE_OR_WRITTEN = /^(?:lib|libs|esm|cjs|es|umd|types|gen|pkg)$/
const SOURCES = /^(?:src|source|sources|app|server|client)$/

/** Returns true if a path is in a folder for generated files, because such files may not exist yet. */
export function isMade({ folders }: { folders: ReadonlySet<string> }, path: string): boolean {
  const segments = path.split("/")
  return segments.some((name, index) => {
    if (MADE_ANYWHERE.test(name)) return true
    if (segments.slice(0, index).some((parent) => SOURCES.test(parent))) return false
    if (MADE_IN_ROOT.test(name)) return true
    return MADE_OR_WRITTEN.test(name) && !folders.has(segments.slice(0, index + 1).join("/"))
  })
}

/** Returns all folders, except the root, that contain files at any depth. */
export function foldersOf(paths: Iterable<string>): Set<string> {
  const folders = new Set<string>()
  for (const path of paths) {
    for (let folder = folderOf(path); folder !== "" && !folders.has(folder); folder = folderOf(folder)) {
      folders.add(folder)
    }
  }
  return folders
}

/** Returns a URL without its query and fragment. */
export function withoutQuery(address: string): string {
  const end = address.search(/[?#]/)
  return end < 0 ? address : address.slice(0, end)
}

/** Returns true if a file is a test, judging by its path. */
export function isTestFile(path: string): boolean {
  return /(?:^|[./_-])(?:tests?|specs?|__tests__)(?:[./_-])/.test(path)
}

/** Resolves a URL in a page or stylesheet to a path. Returns undefined if the result is outside the project. */
export function resolveAddress(page: string, url: string): string | undefined {
  const address = withoutQuery(url)
  return address.startsWith("/") ? address.slice(1) : resolvePath(folderOf(page), address)
}
