import { basename, join } from "node:path"
import { cliOf } from "@switchyard/core/agents/added/cli-of"
import type { CliId } from "@switchyard/core/agents/clis/clis"
import { projectFolderName, uuidIn } from "@switchyard/core/agents/native-sessions/session-paths"
import type { Files } from "../files/files.ts"
import type { HomeFile } from "../sandbox/agent-home.ts"

/** A CLI session that was found in a user's home. Its file paths are adapted to the session's new folder. */
export interface FoundSession {
  session: string
  files: HomeFile[]
  /** File in which the program recorded the conversation. Empty if it is unknown. */
  transcript: Uint8Array
}

interface Wanted {
  cli: CliId
  /** Session ID, or `latest`. */
  session: string
  /** Previous working folder of the session. Required for `latest`. */
  repository: string | null
  /** New working folder of the session. */
  cwd: string
}

const MAX_BYTES = 64 * 1024 * 1024
const MAX_FILES = 20_000
/** Number of bytes to read from a session file. The session's working folder is within these bytes. */
const HEAD_BYTES = 64 * 1024
const SEARCHED = 200

export async function findSession(
  files: Files,
  home: string | undefined,
  { cli, session, repository, cwd }: Wanted,
): Promise<FoundSession | undefined> {
  const { sessionFiles } = cliOf(cli)
  if (home === undefined || !sessionFiles?.moves) return undefined
  const { folder, mark, moves } = sessionFiles
  const paths = await pathsUnder(files, home, folder)
  const id = session === "latest" ? await latest(files, home, paths, { repository, folder, moves }) : session
  const found = id === undefined ? [] : paths.filter((path) => path.slice(folder.length).includes(mark(id)))
  const read = await Promise.all(found.map((path) => readFile(files, home, path)))
  const content = read.flatMap((bytes, index) => (bytes ? [{ path: found[index] ?? "", content: bytes }] : []))
  if (id === undefined || content.length === 0) return undefined
  const placed = content.map(({ path, ...file }) => ({
    ...file,
    path: moves === "by_folder" ? moved(path, folder, cwd) : path,
  }))
  return { session: id, files: placed, transcript: transcriptIn(content) }
}

/** Returns the session's own record. The records of its sub-agents are in folders inside. */
function transcriptIn(files: { path: string; content: Uint8Array }[]): Uint8Array {
  const depth = (path: string) => path.split("/").length
  const lines = files.filter(({ path }) => path.endsWith(".jsonl"))
  return lines.sort((one, other) => depth(one.path) - depth(other.path))[0]?.content ?? new Uint8Array()
}

/** Returns the ID of the most recent session that worked in the repository. */
async function latest(
  files: Files,
  home: string,
  paths: string[],
  { repository, folder, moves }: { repository: string | null; folder: string; moves: "by_folder" | "by_content" },
): Promise<string | undefined> {
  if (repository === null) return undefined
  const own = join(folder, projectFolderName(repository))
  const named = moves === "by_folder" ? paths.filter((path) => path.startsWith(`${own}/`)) : paths
  const dated = await Promise.all(
    named.map(async (path) => ({ path, at: (await files.stat(join(home, path)))?.mtimeNs ?? 0n })),
  )
  const newest = dated.sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, SEARCHED)
  for (const { path } of newest) {
    const id = uuidIn(basename(path))
    if (id === undefined) continue
    if (moves === "by_folder") return id
    const head = await files.readPart(join(home, path), 0, HEAD_BYTES).catch(() => undefined)
    if (head?.includes(JSON.stringify(repository))) return id
  }
  return undefined
}

function moved(path: string, folder: string, cwd: string): string {
  const [, ...rest] = path.slice(folder.length + 1).split("/")
  return join(folder, projectFolderName(cwd), ...rest)
}

async function readFile(files: Files, home: string, path: string): Promise<Uint8Array | undefined> {
  const found = await files.stat(join(home, path))
  if (!found || found.size > MAX_BYTES) return undefined
  return files.readRegular(Buffer.from(join(await files.realpath(home), path)))
}

/** Lists the files under a folder of the home, as paths relative to the home. Doesn't follow links. */
export async function pathsUnder(files: Files, home: string, folder: string): Promise<string[]> {
  const paths: string[] = []
  const waiting = [folder]
  for (let next = waiting.pop(); next !== undefined && paths.length < MAX_FILES; next = waiting.pop()) {
    for (const { name, kind } of await files.list(join(home, next)).catch(() => [])) {
      const path = join(next, name.toString())
      if (kind === "folder") waiting.push(path)
      else if (kind === "file") paths.push(path)
    }
  }
  return paths
}
