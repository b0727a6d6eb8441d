import type { FileEntry } from "@switchyard/core/files/workspaces/manifest"
import { isWorkspacePath } from "@switchyard/core/files/workspaces/path"
import type { Preview } from "@switchyard/core/sessions/previews/preview"
import { getMimeType } from "hono/utils/mime"

/** Files of a preview or of a published app. */
export type ServedFiles = Pick<Preview, "stat">

/** Maximum size of a page or stylesheet that is edited. Larger files are sent unchanged. */
export const MAX_EDITED_BYTES = 4 * 1024 * 1024

export const JAVASCRIPT = "text/javascript; charset=utf-8"

/** Decodes the path below the address, keeping a trailing slash. Returns undefined for an invalid path. */
export function pathOf({ path }: { path: string }): string | undefined {
  try {
    return decodeURIComponent(path).slice(1)
  } catch {
    return undefined
  }
}

/**
 * Finds the file at a path, or a folder's `index.html`. A folder's path must end with a slash, because relative links
 * in its page would break otherwise.
 */
export function findFile(served: ServedFiles, path: string): { path: string; file: FileEntry } | "folder" | undefined {
  const file = /(^|\/)$/.test(path) ? `${path}index.html` : path
  if (!isWorkspacePath(file)) return undefined
  const found = served.stat(file)
  if (found?.type === "directory") return "folder"
  return found && { path: file, file: found }
}

/** True if a browser loads the response as a page, and not as a part of another page. */
export function isNavigation({ headers }: Request): boolean {
  const mode = headers.get("sec-fetch-mode")
  return mode === null ? (headers.get("accept") ?? "").includes("text/html") : mode === "navigate"
}

/**
 * Finds the page for a single-page app's route: the `index.html` in the nearest parent folder. A path with an extension
 * is a file and not a route.
 */
export function findPage(served: ServedFiles, path: string): { path: string; file: FileEntry } | undefined {
  if (/\.[^/]*$/.test(path)) return undefined
  const folders = path.split("/")
  while (folders.pop() !== undefined) {
    const found = findFile(served, [...folders, ""].join("/"))
    if (found && found !== "folder") return found
  }
  return undefined
}

export function typeOf(path: string, { binary }: FileEntry): string {
  // Ignore the extension `.ts` of TypeScript files, because it also stands for a video format.
  const known = /\.[cm]?tsx?$/i.test(path) ? undefined : getMimeType(path)
  return known ?? (binary ? "application/octet-stream" : "text/plain; charset=utf-8")
}
