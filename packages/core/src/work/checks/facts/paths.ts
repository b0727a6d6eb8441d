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

const MADE_FOLDERS =
  /(?:^|\/)(?:dist|build|out|output|lib|libs|esm|cjs|es|umd|types|generated|__generated__|gen|pkg|coverage|target|\.\w[\w-]*)(?:\/|$)/

/** Whether a path lies where programs put what they make, which need not be there yet. */
export function isMade(path: string): boolean {
  return MADE_FOLDERS.test(path)
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
