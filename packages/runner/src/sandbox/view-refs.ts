import { createHash } from "node:crypto"
import { basename, dirname, join } from "node:path"
import type { Files } from "../files/files.ts"

/** Refs that are private to each agent: the stash, object replacements, and per-worktree refs. */
const PRIVATE: ReadonlySet<string> = new Set(["stash", "replace", "bisect", "worktree", "rewritten"])

export const isPrivateRef = (ref: string) => PRIVATE.has(ref.split("/")[1] ?? "")

interface Refs {
  commonDir: string
  view: string
  /** Folders of refs, such as `refs/heads/switchyard`, that the sandbox shares with the repository. */
  shared: string[]
}

/**
 * Copies the repository's current refs to a sandbox's git folder, except those that are shared. The copies are packed.
 * An agent's changes go to loose files, which only the agent's own git reads, so the user's `main` doesn't change.
 */
export async function copyRefs(files: Files, { commonDir, view, shared }: Refs): Promise<void> {
  const noted = `${view}.packed-refs`
  const [note, now, real] = await Promise.all([
    readBytes(files, noted),
    readBytes(files, join(view, "packed-refs")),
    readBytes(files, join(commonDir, "packed-refs")),
  ])
  const [stampBefore, before] = splitLine(note)
  if (now !== before) await restorePacked(files, parse(now), [before, real].map(parse), { commonDir, view, shared })
  const folders = await looseIn(files, { commonDir, shared }, "refs")
  const packed = createHash("sha256").update(real).digest("hex")
  const stamp = [packed, ...folders.map(({ path, changedNs }) => `${path} ${changedNs}`)].join("\t")
  if (stamp === stampBefore && now === before) return
  const loose = await Promise.all(
    folders.flatMap(({ refs }) =>
      refs.map(async (ref) => [ref, await readBytes(files, join(commonDir, ref))] as const),
    ),
  )
  const refs = parse(real)
  for (const [ref, text] of loose) {
    if (ID.test(text)) refs.set(ref, text.trim())
    else if (text.startsWith("ref: ") && !(await files.lstat(join(view, ref)))) await write(files, view, ref, text)
  }
  const text = [...refs].map(([ref, id]) => `${id} ${ref}\n`).join("")
  if (text !== now) await write(files, view, "packed-refs", text)
  await write(files, dirname(noted), basename(noted), `${stamp}\n${text}`)
}

/** Lists the branches and tags that exist only in an agent's own git folder. */
export async function agentRefs(files: Files, view: string): Promise<string[]> {
  const kinds = ["refs/heads", "refs/tags"]
  const folders = await Promise.all(kinds.map((path) => looseIn(files, { commonDir: view, shared: [] }, path)))
  return folders.flat().flatMap(({ refs }) => refs)
}

/**
 * Restores the files of refs that an agent has packed: the agent's branch in the repository, and its other refs in the
 * private folder.
 */
async function restorePacked(
  files: Files,
  packed: Map<string, string>,
  known: Map<string, string>[],
  { commonDir, view, shared }: Refs,
): Promise<void> {
  for (const [ref, id] of packed) {
    const isShared = shared.some((each) => ref.startsWith(`${each}/`))
    const isKnown = known.some((refs) => (isShared ? refs.get(ref) === id : refs.has(ref)))
    const places = isShared ? [commonDir] : [commonDir, view]
    const isThere = await Promise.all(places.map((folder) => files.lstat(join(folder, ref))))
    if (!isKnown && !isThere.some(Boolean)) await write(files, isShared ? commonDir : view, ref, `${id}\n`)
  }
}

interface LooseFolder {
  path: string
  refs: string[]
  /** Time at which a ref in the folder was last changed. Git changes a ref by replacing its file. */
  changedNs: bigint
}

async function looseIn(
  files: Files,
  { commonDir, shared }: Pick<Refs, "commonDir" | "shared">,
  path: string,
): Promise<LooseFolder[]> {
  const found = await files.stat(join(commonDir, path))
  const entries = await files.list(join(commonDir, path)).catch(() => [])
  const named = entries.map(({ name, kind }) => ({ ref: `${path}/${name}`, kind }))
  const kept = named.filter(({ ref }) => !isPrivateRef(ref) && !shared.includes(ref))
  const refs = kept.filter(({ ref, kind }) => kind === "file" && isSafe(ref)).map(({ ref }) => ref)
  const below = kept.filter(({ kind }) => kind === "folder")
  const rest = await Promise.all(below.map(({ ref }) => looseIn(files, { commonDir, shared }, ref)))
  return [{ path, refs, changedNs: found?.mtimeNs ?? 0n }, ...rest.flat()]
}

const ID = /^[0-9a-f]{40,64}\n?$/

function parse(text: string): Map<string, string> {
  const lines = text.split("\n").map((line) => /^([0-9a-f]{40,64}) (refs\/\S+)$/.exec(line))
  const refs = lines.flatMap((found) => (found ? [[found[2] ?? "", found[1] ?? ""] as const] : []))
  return new Map(refs.filter(([ref]) => isSafe(ref) && !isPrivateRef(ref)))
}

/** True if git could have created a ref with this path. */
const isSafe = (ref: string) =>
  ref.split("/").every((name) => name !== "" && !name.startsWith(".") && !name.endsWith(".lock"))

function splitLine(text: string): [line: string, rest: string] {
  const end = text.indexOf("\n")
  return end < 0 ? ["", ""] : [text.slice(0, end), text.slice(end + 1)]
}

async function readBytes(files: Files, file: string): Promise<string> {
  return (await files.readRegular(Buffer.from(file)))?.toString() ?? ""
}

function write(files: Files, root: string, path: string, text: string): Promise<void> {
  return files.replace(root, path, 0o644, Buffer.from(text))
}
