import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { chmod, lstat, mkdir, open, rename, rm } from "node:fs/promises"
import { dirname, join, normalize, sep } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"

export interface HomeFile {
  path: string
  content: string | Uint8Array
}

/**
 * Writes these files to an account's home, readable by their owner only. The agent's own files stay. A link that an agent left
 * in the place of a file is replaced, never followed.
 */
export async function writeHome(home: string, files: HomeFile[]): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 })
  await chmod(home, 0o700)
  for (const { path, content } of files) await writePrivate(home, path, content)
}

/** The same as another user: root must not write to folders in which an agent can put a link. */
export async function writeHomeAs(user: { uid: number; gid: number }, home: string, files: HomeFile[]): Promise<void> {
  const program = fileURLToPath(new URL("write-home-child.ts", import.meta.url))
  const child = spawn(process.execPath, [program], { ...user, env: {}, cwd: "/", stdio: ["pipe", "ignore", "pipe"] })
  child.stdin.on("error", () => {})
  const encoded = files.map(({ path, content }) => ({ path, content: Buffer.from(content).toString("base64") }))
  child.stdin.end(JSON.stringify({ home, files: encoded }))
  const [said, code] = await Promise.all([text(child.stderr), new Promise((resolve) => child.on("close", resolve))])
  if (code !== 0) throw new Error(`The home ${home} could not be made: ${said}`)
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
