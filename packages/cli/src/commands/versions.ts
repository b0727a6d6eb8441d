import { describeAuthor, describeCounts } from "@switchyard/core/sessions/versions/describe-version"
import { Restored, type Version, VersionList } from "@switchyard/core/sessions/versions/schema"
import { formatBytes } from "@switchyard/core/text/format"
import * as z from "zod"
import { ANSWER_MS } from "../api/requests.ts"
import type { Cli } from "../cli.ts"
import { CliError } from "../errors/errors.ts"
import { type WorkspaceChoice, workspaceOf } from "./workspace-of.ts"

const Forked = z.object({ id: z.string(), name: z.string() })

/** Lists all versions of a workspace's files, or of one file, newest first. */
export async function versions(
  cli: Cli,
  { path: file, ...choice }: WorkspaceChoice & { path?: string },
): Promise<void> {
  const { api, terminal } = cli
  const path = { id: await workspaceOf(cli, choice) }
  let before: number | undefined
  let count = 0
  do {
    const query = { path: file, before }
    const page = await api.ask("GET /api/v1/sessions/{id}/versions", VersionList, { path, query })
    for (const version of page.versions) terminal.show(version, lineOf(version))
    count += page.versions.length
    before = page.next ?? undefined
  } while (before !== undefined)
  if (count === 0) terminal.notice(file === undefined ? "There are no versions yet." : `No version changed ${file}.`)
}

/** Restores all files of a workspace, or one file, to an earlier version. Prints how to undo the restore. */
export async function restore(
  cli: Cli,
  version: number,
  file: string | undefined,
  choice: WorkspaceChoice,
): Promise<void> {
  const { api, terminal } = cli
  const id = await workspaceOf(cli, choice)
  const restored = await api.ask("POST /api/v1/sessions/{id}/versions/{version}/restore", Restored, {
    path: { id, version },
    body: { path: file },
  })
  if (terminal.json) {
    terminal.printJson(restored)
  } else if (restored.changed) {
    const what = file === undefined ? "" : `${file} from `
    terminal.print(`Restored ${what}version ${version} as version ${restored.version}.`)
    if (restored.previous > 0)
      terminal.notice(`To undo it: npx switchyard restore ${restored.previous} --workspace ${id}`)
  } else {
    terminal.notice("Nothing to restore: the files already have this content.")
  }
}

/**
 * Opens a new session with the files of a version, by default the newest version. Writes only the new session's ID to
 * stdout.
 */
export async function fork(cli: Cli, version: number | undefined, choice: WorkspaceChoice): Promise<void> {
  const { api, terminal } = cli
  const id = await workspaceOf(cli, choice)
  const forked = await api.ask("POST /api/v1/sessions/{id}/versions/{version}/fork", Forked, {
    path: { id, version: version ?? (await newestVersion(cli, id)) },
    headers: { "idempotency-key": cli.newKey() },
    waitMs: ANSWER_MS,
  })
  if (terminal.json) {
    terminal.printJson(forked)
    return
  }
  terminal.print(forked.id)
  terminal.notice(`Forked as ${forked.name}.`)
}

async function newestVersion({ api }: Cli, id: string): Promise<number> {
  const query = { limit: 1 }
  const { current } = await api.ask("GET /api/v1/sessions/{id}/versions", VersionList, { path: { id }, query })
  if (current === 0) throw new CliError("This session has no files to fork yet.")
  return current
}

function lineOf({ version, created_at, file, ...about }: Version): string {
  const details = file ? sizeText(file) : describeCounts(about)
  return [String(version).padStart(5), created_at, describeAuthor(about), details].filter(Boolean).join("  ")
}

function sizeText({ path, size_bytes: size }: NonNullable<Version["file"]>): string {
  return size === null ? "deleted" : `${path}, ${formatBytes(size)}`
}
