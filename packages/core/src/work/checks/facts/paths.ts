/** The folder of a file, `""` for the root. */
export function folderOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : ""
}

/** A path as seen from a folder, without `.` and `..`; nothing where it leaves the project. */
export function resolvePath(folder: string, relative: string): string | undefined {
  const segments = folder === "" ? [] : folder.split("/")
  for (const segment of relative.split("/")) {
    if (segment === "" || segment === ".") continue
    if (segment !== "..") segments.push(segment)
    else if (segments.pop() === undefined) return undefined
  }
  return segments.join("/")
}

/** Names of folders whose files programs make, wherever they lie, and of those in the root of a package. */
const MADE_ANYWHERE = /^(?:dist|generated|__generated__|coverage|node_modules|bower_components|\.\w[\w-]*)$/
const MADE_IN_ROOT = /^(?:build|out|output|target)$/
/** Names that folders of sources have as well. */
const MADE_OR_WRITTEN = /^(?:lib|libs|esm|cjs|es|umd|types|gen|pkg)$/
const SOURCES = /^(?:src|source|sources|app|server|client)$/

/** Whether a path lies where programs put what they make, which need not be there yet. */
export function isMade({ folders }: { folders: ReadonlySet<string> }, path: string): boolean {
  const segments = path.split("/")
  return segments.some((name, index) => {
    if (MADE_ANYWHERE.test(name)) return true
    if (segments.slice(0, index).some((parent) => SOURCES.test(parent))) return false
    if (MADE_IN_ROOT.test(name)) return true
    return MADE_OR_WRITTEN.test(name) && !folders.has(segments.slice(0, index + 1).join("/"))
  })
}

/** All folders in which files lie, at any depth; not the root. */
export function foldersOf(paths: Iterable<string>): Set<string> {
  const folders = new Set<string>()
  for (const path of paths) {
    for (let folder = folderOf(path); folder !== "" && !folders.has(folder); folder = folderOf(folder)) {
      folders.add(folder)
    }
  }
  return folders
}

/** An address without what comes after `?` or `#`. */
export function withoutQuery(address: string): string {
  const end = address.search(/[?#]/)
  return end < 0 ? address : address.slice(0, end)
}

/** Whether a file's path says that it is a test, or lies among tests. */
export function isTestFile(path: string): boolean {
  return /(?:^|[./_-])(?:tests?|specs?|__tests__)(?:[./_-])/.test(path)
}
