import { randomUUID } from "node:crypto"
import { mkdir, open, realpath, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { WorkspacePath } from "@switchyard/core/files/workspaces/path"

/**
 * Writes a file to a folder where an agent may have left links: a link in the file's place is replaced, and one above it that
 * leads out of the folder is an error.
 */
export async function replaceFile(root: string, path: WorkspacePath, bytes: Uint8Array, mode: number): Promise<void> {
  const target = join(root, path)
  await mkdir(dirname(target), { recursive: true })
  const [real, expected] = await Promise.all([realpath(dirname(target)), realpath(root)])
  if (real !== dirname(join(expected, path))) throw new Error(`A link leads away from ${path}.`)
  const fresh = `${target}.${randomUUID()}`
  const file = await open(fresh, "wx", mode)
  try {
    await file.writeFile(bytes)
    await file.chmod(mode)
  } finally {
    await file.close()
  }
  await rename(fresh, target).catch(async (error) => {
    await rm(fresh, { force: true })
    throw error
  })
}
