import { dirname, isAbsolute, relative, resolve } from "node:path"
import type { Files } from "./files.ts"

/**
 * Resolves links in paths, and makes paths inside the folder relative. If a path doesn't exist, resolves the longest
 * part of it that exists.
 */
export async function resolvePaths(files: Pick<Files, "realpath">, folder: string, paths: string[]): Promise<string[]> {
  const root = await files.realpath(folder)
  return Promise.all(
    paths.map(async (path) => {
      const real = await realpathOf(files, resolve(folder, path))
      const inside = relative(root, real)
      return inside.split("/")[0] === ".." || isAbsolute(inside) ? real : inside || "."
    }),
  )
}

async function realpathOf(files: Pick<Files, "realpath">, path: string): Promise<string> {
  const missing: string[] = []
  for (let place = path; ; place = dirname(place)) {
    try {
      return resolve(await files.realpath(place), ...missing)
    } catch (error) {
      if (dirname(place) === place) throw error
      missing.unshift(relative(dirname(place), place))
    }
  }
}
