import { readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import type { StudioFile, StudioFiles } from "../http/studio.ts"

const ENCODINGS = [
  { encoding: "br", suffix: ".br" },
  { encoding: "gzip", suffix: ".gz" },
] as const

/** Matches names that stay inside the folder: segments can't be empty or begin with a dot. */
const NAME = /^([\w-][\w.-]*\/)*[\w-][\w.-]*$/

/** Serves the files of a build from a folder. */
export function createStudioFiles(folder: string): StudioFiles {
  return {
    async read(name, { accepts = () => false } = {}) {
      if (!NAME.test(name)) return undefined
      for (const { encoding, suffix } of ENCODINGS) {
        const compressed = accepts(encoding) && (await readOne(join(folder, `${name}${suffix}`)))
        if (compressed) return { ...compressed, encoding }
      }
      return readOne(join(folder, name))
    },
  }
}

async function readOne(path: string): Promise<StudioFile | undefined> {
  try {
    const [bytes, { mtimeMs }] = await Promise.all([readFile(path), stat(path)])
    return { bytes, modifiedAt: Math.floor(mtimeMs) }
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException
    if (["ENOENT", "ENOTDIR", "EISDIR"].includes(code)) return undefined
    throw error
  }
}
