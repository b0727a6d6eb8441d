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

/**
 * Writes these files to a home, and removes everything else at these places. Leaves a place unchanged that already has
 * exactly these files, because another agent may be reading them.
 */
export async function replaceInHome(files: Files, home: string, places: string[], written: HomeFile[]): Promise<void> {
  const isAt = (path: string, place: string) => path === place || path.startsWith(`${place}/`)
  const others = written.map(({ path }) => path).filter((path) => !places.some((place) => isAt(path, place)))
  for (const place of [...places, ...others]) {
    const wanted = new Map(written.filter(({ path }) => isAt(path, place)).map(byPath))
    if (await hasExactly(files, home, place, wanted)) continue
    await makeParents(files, home, place)
    await files.remove(join(home, place))
    await writeHome(
      files,
      home,
      [...wanted].map(([path, content]) => ({ path, content })),
    )
  }
}

const byPath = ({ path, content }: HomeFile) => [path, content] as const

async function hasExactly(files: Files, home: string, place: string, wanted: Map<string, HomeFile["content"]>) {
  const left = new Map(wanted)
  async function isWanted(path: string): Promise<boolean> {
    const found = await files.lstat(join(home, path))
    if (!found) return true
    if (found.kind === "folder") {
      for (const { name } of await files.list(join(home, path)))
        if (!(await isWanted(join(path, name.toString())))) return false
      return true
    }
    const content = left.get(path)
    left.delete(path)
    const there = content === undefined ? undefined : await files.readRegular(Buffer.from(join(home, path)))
    return there?.equals(Buffer.from(content ?? "")) ?? false
  }
  return (await isWanted(place)) && left.size === 0
}

async function writePrivate(files: Files, home: string, path: string, content: Uint8Array): Promise<void> {
  const inside = normalize(path)
  if (inside.startsWith(sep) || inside.split(sep).includes("..")) throw new Error(`${path} isn't inside a home.`)
  await makeParents(files, home, inside)
  const target = join(home, inside)
  const fresh = `${target}.${randomUUID()}`
  await files.create(fresh, 0o600, content)
  await files.rename(fresh, target)
}

/** Creates the parent folders of a path in a home. If an agent has replaced a folder with a link, replaces the link. */
async function makeParents(files: Files, home: string, inside: string): Promise<void> {
  let folder = home
  for (const name of dirname(inside).split(sep)) {
    folder = join(folder, name)
    await makeOwnFolder(files, folder)
  }
}

async function makeOwnFolder(files: Files, folder: string): Promise<void> {
  const found = await files.lstat(folder)
  if (found && found.kind !== "folder") await files.unlink(folder)
  await files.makeFolder(folder, 0o700)
}
