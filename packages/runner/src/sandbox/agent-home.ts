import { randomUUID } from "node:crypto"
import { chmod, mkdir } from "node:fs/promises"
import { dirname, join, normalize, sep } from "node:path"
import type { Files } from "../files/files.ts"

export interface HomeFile {
  path: string
  content: string | Uint8Array
}

/** Creates a home for this process's own user. */
export async function makeHome(home: string): Promise<undefined> {
  await mkdir(home, { recursive: true, mode: 0o700 })
  await chmod(home, 0o700)
}

/**
 * Writes these files to an account's home. Only their owner can read them. Other files in the home are kept. If an
 * agent has replaced a file with a link, the link is replaced and never followed.
 */
export async function writeHome(files: Files, home: string, written: HomeFile[]): Promise<void> {
  for (const { path, content } of written) await writePrivate(files, home, path, Buffer.from(content))
}

async function writePrivate(files: Files, home: string, path: string, content: Uint8Array): Promise<void> {
  const inside = normalize(path)
  if (inside.startsWith(sep) || inside.split(sep).includes("..")) throw new Error(`${path} isn't inside a home.`)
  let folder = home
  for (const name of dirname(inside).split(sep)) {
    folder = join(folder, name)
    await makeOwnFolder(files, folder)
  }
  const target = join(home, inside)
  const fresh = `${target}.${randomUUID()}`
  await files.create(fresh, 0o600, content)
  await files.rename(fresh, target)
}

async function makeOwnFolder(files: Files, folder: string): Promise<void> {
  const found = await files.lstat(folder)
  if (found && found.kind !== "folder") await files.unlink(folder)
  await files.makeFolder(folder, 0o700)
}
