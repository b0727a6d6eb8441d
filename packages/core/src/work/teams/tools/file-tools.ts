import * as z from "zod"
import { mapConcurrent } from "../../../concurrency/map-concurrent.ts"
import { AppError } from "../../../errors.ts"
import type { Workspace } from "../../../files/workspaces/files.ts"
import type { ManifestFile } from "../../../files/workspaces/manifest.ts"
import { type WorkspacePath, workspacePath } from "../../../files/workspaces/path.ts"
import { isProjectPath } from "../../../files/workspaces/project-files.ts"
import { MAX_EDITABLE_BYTES } from "../../../files/workspaces/text.ts"
import { formatCount } from "../../../text/format.ts"
import { withoutSlashes } from "../../../text/trim.ts"
import { type DurableTool, defineDurableTool } from "../../harness/durable-tools.ts"
import { placesIn, placesText } from "../../harness/text-places.ts"
import { currentFiles, type StagedChange } from "../files.ts"
import { openProject } from "../project.ts"
import type { Member } from "./member.ts"
import { openWorkerTexts, type Worker } from "./worker-texts.ts"

const Path = z.string().max(1024)
/** Maximum number of files to list individually. Longer lists are summarised by folder. */
const MOST_LISTED = 500
const MOST_SEARCHED = 5000
const MOST_PLACES = 80
const READS_AT_ONCE = 16

/**
 * Returns the tools for reading files, which every member has. They read the project's files, the team's files and the
 * worker's own files.
 */
export function fileTools(member: Member): DurableTool[] {
  return [
    defineDurableTool({
      name: "read_file",
      description: "Read a text file: one you have written, or one of the project's or the team's.",
      parameters: z.object({ path: Path, offset: z.int().nonnegative().default(0) }),
      kind: "read",
      async run({ path, offset }) {
        const files = await openFiles(member)
        return { answer: (await files.read(workspacePath(path))).slice(offset) }
      },
    }),
    defineDurableTool({
      name: "list_files",
      description: "List the files in a folder, or all files. If there are too many, lists folders instead.",
      parameters: z.object({ path: Path.default("") }),
      kind: "glob",
      async run({ path }) {
        const { own, project, ofTeam } = await openFiles(member)
        const others = [...project, ...ofTeam]
        const folder = folderOf(path)
        const isInside = (one: string) => one === folder || folder === "" || one.startsWith(`${folder}/`)
        const listed = [
          ...own.filter(({ path: one }) => isInside(one)).map(ownLine),
          ...listedIn(
            folder,
            others.filter(({ path: one }) => isInside(one)),
          ),
        ]
        return { answer: listed.join("\n") || "There are no files." }
      },
    }),
    defineDurableTool({
      name: "search_files",
      description: "Search files for a text. Returns one line per match: path:line: text.",
      parameters: z.object({
        text: z.string().min(1).max(400).describe("Text to search for, case-insensitive; not a pattern"),
        path: Path.default("").describe("Folder or file to search; by default all project files"),
      }),
      kind: "grep",
      run: async ({ text, path }) => ({ answer: await search(await openFiles(member), text, folderOf(path), member) }),
    }),
  ]
}

function ownLine({ op, path }: StagedChange): string {
  return op === "write" ? `${path} (yours)` : `${path} (deleted by you)`
}

function folderOf(path: string): string {
  const folder = withoutSlashes(path.trim())
  return folder === "" || folder === "." ? "" : workspacePath(folder)
}

/** Returns one line per file or, if there are too many files, one line per direct child of the folder. */
function listedIn(folder: string, files: readonly ManifestFile[]): string[] {
  if (files.length <= MOST_LISTED) return files.map(({ path, size }) => `${path} (${size} bytes)`)
  const counts = new Map<string, number>()
  for (const { path } of files) {
    const [name = "", ...rest] = path.slice(folder === "" ? 0 : folder.length + 1).split("/")
    const key = `${folder === "" ? "" : `${folder}/`}${name}${rest.length > 0 ? "/" : ""}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return [...counts].map(([path, count]) => (path.endsWith("/") ? `${path} (${formatCount(count, "file")})` : path))
}

interface MemberFiles {
  /** The worker's unpublished changes. Empty for the coordinator. */
  own: StagedChange[]
  /** The project's other files. */
  project: ManifestFile[]
  /** The team's internal files: published results and memory. */
  ofTeam: ManifestFile[]
  /** Reads a text file. Prefers the worker's own version. */
  read(path: WorkspacePath): Promise<string>
}

async function openFiles(member: Member): Promise<MemberFiles> {
  const { deps, context } = member
  const texts = isWorker(member) ? await openWorkerTexts(member) : undefined
  const project = texts?.project ?? (await openProject(deps, context))
  const session = await currentFiles(deps, context)
  const staged = texts?.staged ?? new Map<WorkspacePath, StagedChange>()
  const isOther = ({ path }: ManifestFile) => !staged.has(path)
  // A repository may contain folders with the same names as the team's internal folders. If a path exists in the
  // project, it refers to the project.
  const placeOf = (path: WorkspacePath): Workspace => (project.stat(path) || isProjectPath(path) ? project : session)
  return {
    own: [...staged.values()],
    project: project.manifest.files.filter(isOther),
    ofTeam: session.manifest.files.filter(({ path }) => !isProjectPath(path) && !project.stat(path)).filter(isOther),
    async read(path) {
      const own = await texts?.own(path)
      if (own !== undefined) return own
      if (staged.has(path)) throw new AppError("workspace_not_found", "You have deleted this file.", { path })
      return placeOf(path).readText(path, context)
    },
  }
}

function isWorker(member: Member): member is Worker {
  return member.nodeId !== undefined
}

async function search(files: MemberFiles, text: string, folder: string, { context }: Member): Promise<string> {
  const isText = ({ size, binary }: ManifestFile) => !binary && size <= MAX_EDITABLE_BYTES
  const written = files.own.filter(({ op }) => op === "write")
  // Published files are already part of the project. Search the team's files only if the call names a folder.
  const others = folder === "" ? files.project : [...files.project, ...files.ofTeam]
  const searched = [...written, ...others.filter(isText)]
    .map(({ path }) => path)
    .filter((path) => folder === "" || path === folder || path.startsWith(`${folder}/`))
  const wanted = text.toLowerCase()
  const read = async (path: WorkspacePath) => ({ path, content: await files.read(path).catch(noText) })
  const found: string[] = []
  for await (const { path, content } of mapConcurrent(searched.slice(0, MOST_SEARCHED), read, {
    atOnce: READS_AT_ONCE,
  })) {
    context.signal.throwIfAborted()
    found.push(...placesIn(path, content, wanted))
    if (found.length > MOST_PLACES) break
  }
  const unread = searched.length - MOST_SEARCHED
  const rest = unread > 0 ? [`[${formatCount(unread, "file")} weren't searched. Search in a folder.]`] : []
  return [placesText(found, MOST_PLACES), ...rest].join("\n")
}

function noText(error: unknown): string {
  if (error instanceof AppError && error.code.startsWith("workspace_")) return ""
  // Treat a file that isn't valid UTF-8 as empty.
  if (error instanceof TypeError) return ""
  throw error
}
