import { createHash } from "node:crypto"
import { realpath } from "node:fs/promises"
import { basename, join } from "node:path"
import { type CliId, clis } from "@switchyard/core/agents/clis/clis"
import { titleOf } from "@switchyard/core/agents/native-sessions/history"
import type { ListedNativeSession } from "@switchyard/core/agents/native-sessions/schema"
import { projectFolderName, uuidIn, workingFolderIn } from "@switchyard/core/agents/native-sessions/session-paths"
import { terminalCommand } from "@switchyard/core/agents/native-sessions/terminal-command"
import { isoTime } from "@switchyard/core/time"
import { createHomeFiles, type HomeFiles } from "./home-files.ts"

/** Limits of one request. A home may contain any number of sessions, of any size. */
const MAX_ENTRIES = 20_000
const MAX_SEARCHED = 200
const MAX_LISTED = 50
const HEAD_BYTES = 128 * 1024

/**
 * Lists the sessions of agents' programs in this user's home that worked in a folder, newest first. Reads only the
 * beginning of the newest files, and doesn't follow links.
 */
export async function listNativeSessions(
  home: string,
  folder: string,
  { signal }: { signal: AbortSignal },
): Promise<ListedNativeSession[]> {
  const folders = new Set([folder, await realpath(folder).catch(() => folder)])
  const found: ListedNativeSession[] = []
  for (const cli of Object.keys(PLACES) as (keyof typeof PLACES)[]) {
    const files = createHomeFiles(home, { maxEntries: MAX_ENTRIES })
    const resumable = clis[cli].sessionFiles.moves !== undefined
    for (const { path, changedAt } of await newest(files, await PLACES[cli](files, folders))) {
      signal.throwIfAborted()
      const session = await readSession(files, { cli, path, folders })
      const updated_at = isoTime(changedAt)
      if (!session || !updated_at) continue
      const command = terminalCommand(cli, session.session_id, folder)
      found.push({ agent: cli, ...session, updated_at, resumable, command })
    }
  }
  return found.sort((one, other) => (one.updated_at < other.updated_at ? 1 : -1)).slice(0, MAX_LISTED)
}

/** Finders for the transcripts of each program that may belong to one of the folders. */
const PLACES = {
  claude: (files, folders) => inProjects(files, ".claude/projects", folders, ""),
  codex: async (files) => {
    const years = await subfolders(files, [".codex/sessions"])
    const months = await subfolders(files, years)
    return transcriptsIn(files, await subfolders(files, months))
  },
  gemini: async (files, folders) => {
    const hashes = [...folders].map((folder) => createHash("sha256").update(folder).digest("hex"))
    const projects = await subfolders(files, [".gemini/tmp"])
    const own = await Promise.all(
      projects.map(async (project) => {
        const root = await files.head(join(project, ".project_root"), HEAD_BYTES)
        return hashes.some((hash) => project.endsWith(`/${hash}`)) || folders.has(String(root).trim())
      }),
    )
    return transcriptsIn(
      files,
      projects.filter((_, index) => own[index]).map((project) => join(project, "chats")),
    )
  },
  qwen: (files, folders) => inProjects(files, ".qwen/projects", folders, "chats"),
  vibe: async (files) => {
    const sessions = await subfolders(files, [".vibe/logs/session"])
    return sessions.map((session) => join(session, "messages.jsonl"))
  },
} satisfies { [cli in CliId]?: (files: HomeFiles, folders: ReadonlySet<string>) => Promise<string[]> }

function inProjects(files: HomeFiles, projects: string, folders: ReadonlySet<string>, inside: string) {
  return transcriptsIn(
    files,
    [...folders].map((folder) => join(projects, projectFolderName(folder), inside)),
  )
}

async function subfolders(files: HomeFiles, folders: string[]): Promise<string[]> {
  const found: string[] = []
  // Newest first, because Codex's folders are named after dates.
  for (const folder of folders) {
    const names = (await files.list(folder)).flatMap(({ name, isFolder }) => (isFolder ? [name] : []))
    found.push(
      ...names
        .sort()
        .reverse()
        .map((name) => join(folder, name)),
    )
  }
  return found
}

async function transcriptsIn(files: HomeFiles, folders: string[]): Promise<string[]> {
  const found: string[] = []
  for (const folder of folders) {
    for (const { name, isFolder } of await files.list(folder)) {
      if (!isFolder && name.endsWith(".jsonl")) found.push(join(folder, name))
    }
  }
  return found
}

async function newest(files: HomeFiles, paths: string[]): Promise<{ path: string; changedAt: number }[]> {
  const dated = await Promise.all(paths.map(async (path) => ({ path, changedAt: await files.changedAt(path) })))
  const there = dated.flatMap(({ path, changedAt }) => (changedAt === undefined ? [] : [{ path, changedAt }]))
  return there.sort((one, other) => other.changedAt - one.changedAt).slice(0, MAX_SEARCHED)
}

/** Reads the beginning of a transcript. Returns undefined if it isn't a session that worked in one of the folders. */
async function readSession(
  files: HomeFiles,
  { cli, path, folders }: { cli: keyof typeof PLACES; path: string; folders: ReadonlySet<string> },
): Promise<{ session_id: string; title: string | null } | undefined> {
  const head = await files.head(path, HEAD_BYTES)
  if (head === undefined) return undefined
  const about = cli === "vibe" ? await files.head(join(path, "../meta.json"), HEAD_BYTES) : head
  const text = Buffer.from(about ?? []).toString()
  // Gemini's transcripts don't contain the folder. They were found by it.
  if (cli !== "gemini" && !folders.has(workingFolderIn(text) ?? "")) return undefined
  const session_id = uuidIn(cli === "gemini" || cli === "vibe" ? text : basename(path))
  return session_id === undefined ? undefined : { session_id, title: titleOf(cli, head) }
}
