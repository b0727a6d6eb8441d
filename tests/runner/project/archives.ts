import { copyFileSync, existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Archives } from "@switchyard/runner/project/setup/archives"

/** Returns archives that are stored in a folder. */
export function archivesIn(folder: string, system: string): Archives {
  mkdirSync(folder, { recursive: true })
  return {
    system,
    async fetch(name, file) {
      if (!existsSync(join(folder, name))) return false
      copyFileSync(join(folder, name), file)
      return true
    },
    keep: async (name, file) => copyFileSync(file, join(folder, name)),
  }
}
