/** Creates a finder for paths that differ only in Unicode form, because they are the same file on a Mac. */
export function createTwinFinder() {
  const byForm = new Map<string, string>()
  return {
    /**
     * Adds a path. If the path or one of its parents differs from an earlier path only in Unicode form, returns the
     * conflicting part of the earlier path.
     */
    add(path: string): string | undefined {
      const added: [string, string][] = []
      for (let end = path.indexOf("/"); ; end = path.indexOf("/", end + 1)) {
        const part = end < 0 ? path : path.slice(0, end)
        if (!isAscii(part)) {
          const form = part.normalize("NFC")
          const other = byForm.get(form)
          if (other !== undefined && other !== part) return other
          added.push([form, part])
        }
        if (end < 0) break
      }
      for (const [form, part] of added) byForm.set(form, part)
    },
  }
}

/**
 * Returns the path that differs from `path` only in Unicode form. Undefined if there is no such path or more than one.
 */
export function findTwin<P extends string>(path: string, paths: Iterable<P>): P | undefined {
  if (isAscii(path)) return undefined
  const form = path.normalize("NFC")
  let twin: P | undefined
  for (const other of paths) {
    if (isAscii(other) || other === path || other.normalize("NFC") !== form) continue
    if (twin !== undefined) return undefined
    twin = other
  }
  return twin
}

/**
 * Replaces a folder in the path with the existing folder that differs from it only in Unicode form. Returns the path
 * unchanged if there is no such folder or more than one.
 */
export function inTwinFolder(path: string, paths: readonly string[]): string {
  const names = path.split("/")
  for (let depth = names.length - 1; depth > 0; depth--) {
    const folder = names.slice(0, depth).join("/")
    if (isAscii(folder)) return path
    const form = folder.normalize("NFC")
    const folders = new Set(paths.flatMap((other) => ancestorAt(other, depth) ?? []))
    if (folders.has(folder)) return path
    const [twin, ...more] = [...folders].filter((other) => other.normalize("NFC") === form)
    if (twin !== undefined) return more.length === 0 ? [twin, ...names.slice(depth)].join("/") : path
  }
  return path
}

function ancestorAt(path: string, depth: number): string | undefined {
  const names = path.split("/")
  return names.length > depth ? names.slice(0, depth).join("/") : undefined
}

/**
 * True if the text is ASCII. Such a text has no other Unicode form, because `workspacePath` rejects characters that
 * normalise to ASCII.
 */
export function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x7f) return false
  return true
}
