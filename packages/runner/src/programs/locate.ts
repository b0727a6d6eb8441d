import { constants } from "node:fs"
import { access, stat } from "node:fs/promises"
import { delimiter, isAbsolute, join } from "node:path"
import { fileURLToPath } from "node:url"
import { MOCK_AGENT } from "@switchyard/core/agents/clis/mock"

/** File of a program, and arguments that precede the program's own. */
export interface Located {
  file: string
  args: string[]
}

/**
 * Finds a program on the path that it will run with. Returns undefined if it isn't there. Call this before starting the
 * program, because in a terminal, a missing program only shows as an exit code.
 */
export async function locate(name: string, path: string): Promise<Located | undefined> {
  if (name === MOCK_AGENT) {
    return { file: process.execPath, args: [fileURLToPath(new URL("../mock/main.mjs", import.meta.url))] }
  }
  const files = isAbsolute(name)
    ? [name]
    : path
        .split(delimiter)
        .filter(isAbsolute)
        .map((folder) => join(folder, name))
  for (const file of files) if (await isProgram(file)) return { file, args: [] }
  return undefined
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK)
    return (await stat(file)).isFile()
  } catch {
    return false
  }
}
