import { randomUUID } from "node:crypto"
import { chmod, lstat, mkdir, open, rename, rm } from "node:fs/promises"
import { dirname, join, normalize, sep } from "node:path"

/**
 * Makes the account's own home with these files, which only their owner may read. What the agent itself keeps there
 * stays. A link that an agent left in the way of a file is replaced and never followed.
 */
export async function makeHome(home: string, files: { path: string; content: string | Uint8Array }[]): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 })
  await chmod(home, 0o700)
  for (const { path, content } of files) await writePrivate(home, path, content)
}

async function writePrivate(home: string, path: string, content: string | Uint8Array): Promise<void> {
  const inside = normalize(path)
  if (inside.startsWith(sep) || inside.split(sep).includes("..")) throw new Error(`${path} is not inside a home.`)
  let folder = home
  for (const name of dirname(inside).split(sep)) {
    folder = join(folder, name)
    await ownFolder(folder)
  }
  const target = join(home, inside)
  const fresh = `${target}.${randomUUID()}`
  const file = await open(fresh, "wx", 0o600)
  try {
    await file.writeFile(content)
  } finally {
    await file.close()
  }
  await rename(fresh, target)
}

async function ownFolder(folder: string): Promise<void> {
  const found = await lstat(folder).catch(() => undefined)
  if (found && !found.isDirectory()) await rm(folder)
  await mkdir(folder, { recursive: true, mode: 0o700 })
}
