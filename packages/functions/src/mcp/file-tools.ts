import { AppError } from "@switchyard/core/errors"
import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import { workspacePath } from "@switchyard/core/files/workspaces/path"
import { isLive } from "@switchyard/core/kernel/state"
import * as z from "zod"
import { Link, linkToArchive } from "../http/archive-link.ts"
import { type Tools, tool } from "./tool.ts"

const SessionId = z.string().max(200).describe("Session ID (a run's workspace_id)")
const FILES_PER_PAGE = 1000
const MOST_LINES = 10_000
/** Maximum wait for a zip. A large zip takes a minute to create. */
const ZIP_WAIT_MS = 50_000
const POLL_MS = 1000

const Files = z.object({
  session_id: z.string(),
  version: z.int().nonnegative().describe("0 before the first file"),
  files: z.array(z.object({ path: z.string(), size: z.int().nonnegative(), binary: z.boolean() })),
  next: z.string().nullable().describe("`after` for the next page; null for the last page"),
})

const FileLines = z.object({
  session_id: z.string(),
  path: z.string(),
  content: z.string(),
  from_line: z.int().positive(),
  total_lines: z.int().nonnegative(),
})

const Zip = z.object({
  link: Link.nullable().describe("Null while the zip is being created; call again"),
})

/** Provides the tools for a session's files. */
export const fileTools: Tools = (deps) => {
  const options = { signal: deps.stopping }

  async function open(owner: string, sessionId: string) {
    return openWorkspace(deps, await deps.sessions.find(owner, sessionId, options), options)
  }

  return {
    list_files: tool({
      title: "List files",
      description: "Lists a session's files, sorted by path.",
      route: "GET /workspace/tree",
      readOnly: true,
      input: z.object({
        session_id: SessionId,
        after: z.string().max(4096).optional().describe("`next` of the previous page"),
        limit: z.int().min(1).max(FILES_PER_PAGE).default(FILES_PER_PAGE),
      }),
      output: Files,
      async call({ session_id, after, limit }, { principal: { owner } }) {
        const { at, manifest } = await open(owner, session_id)
        const rest = after === undefined ? manifest.files : manifest.files.filter(({ path }) => path > after)
        const page = rest.slice(0, limit).map(({ path, size, binary }) => ({ path, size, binary }))
        const next = rest.length > limit ? (page.at(-1)?.path ?? null) : null
        return { session_id, version: at.version, files: page, next }
      },
    }),
    read_file: tool({
      title: "Read a file",
      description: "Reads lines from a text file in a session.",
      route: "GET /workspace/file",
      readOnly: true,
      input: z.object({
        session_id: SessionId,
        path: z.string().min(1),
        from_line: z.int().min(1).default(1),
        lines: z.int().min(1).max(MOST_LINES).default(2000),
      }),
      output: FileLines,
      async call({ session_id, path, from_line, lines }, { principal: { owner } }) {
        const checked = workspacePath(path)
        const text = await (await open(owner, session_id)).readText(checked, options)
        const all = linesOf(text)
        const content = all.slice(from_line - 1, from_line - 1 + lines).join("")
        return { session_id, path, content, from_line, total_lines: all.length }
      },
    }),
    get_zip: tool({
      title: "Download the files",
      description: "Gets a link for downloading a session's files as a zip. The link is valid for a few minutes.",
      route: "GET /workspace/download",
      readOnly: true,
      input: z.object({ session_id: SessionId }),
      output: Zip,
      async call({ session_id }, { principal: { owner }, signal }) {
        const { session } = await deps.sessions.view(owner, session_id, options)
        if (!isLive(session.state)) throw new AppError("session_not_found", "Session not found.")
        const until = deps.clock.monotonic() + ZIP_WAIT_MS
        for (;;) {
          const archive = await deps.archives.request(session, options)
          if (archive.made) return { link: await linkToArchive(deps, archive.key) }
          if (deps.clock.monotonic() >= until) return { link: null }
          await deps.clock.sleep(POLL_MS, { signal })
        }
      },
    }),
  }
}

/** Splits a text into lines, keeping the line endings. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? []
}
