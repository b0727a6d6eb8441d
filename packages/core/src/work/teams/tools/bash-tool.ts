import * as z from "zod"
import { isAppError } from "../../../errors.ts"
import type { EventOf } from "../../../events.ts"
import { createWorkspaceStore } from "../../../files/workspaces/blob-store.ts"
import type { Change, Manifest, ManifestFile } from "../../../files/workspaces/manifest.ts"
import { workspacePath } from "../../../files/workspaces/path.ts"
import { hydrateEvent } from "../../../log/payload.ts"
import { cutMiddle, type DurableTool, defineDurableTool, type Effect, mistake } from "../../harness/durable-tools.ts"
import { RunParked } from "../../runs/run-context.ts"
import { isEnded, type RunState, runOf } from "../../runs/state.ts"
import { type CommandEnding, MAX_COMMAND_CHARS, MAX_COMMAND_SECONDS } from "../../shell-commands/schema.ts"
import { currentFiles, deletedIn, type StagedFile, scratchOf, writeChange } from "../files.ts"
import { layNodeFiles } from "../node-files.ts"
import type { TeamCommands } from "../schema.ts"
import { askPerson } from "./ask-person.ts"
import type { Member } from "./member.ts"

type Worker = Member & { nodeId: string }
type Requested = Pick<EventOf<"shell_command_requested">, "command_run_id" | "base" | "files">

const TRY_AGAIN_MS = 10_000
const DEFAULT_SECONDS = 120
const OUTPUT_CHARS = 20_000
const NAMED_FILES = 50

/** Returns a worker's tool for running commands, or an empty list if the team may not run any. */
export function bashTools(worker: Worker, commands: TeamCommands | null): DurableTool[] {
  if (commands === null || commands.mode === "plan") return []
  return [
    defineDurableTool({
      name: "bash",
      description:
        "Run a shell command in a clean copy of the project that includes your files and the results your node builds on. It has no network access. Files it writes count as yours, as with write_file; packages it installs and programs it leaves running aren't kept.",
      parameters: z.object({
        command: z.string().trim().min(1).max(MAX_COMMAND_CHARS),
        timeout_seconds: z
          .int()
          .min(1)
          .max(ownCommand(worker)?.timeout_seconds ?? MAX_COMMAND_SECONDS)
          .default(DEFAULT_SECONDS),
      }),
      kind: "bash",
      run: (asked) => runCommand(worker, asked),
    }),
  ]
}

/** Returns the limits of a command worker, or undefined for a model. */
function ownCommand({ context, id }: Worker) {
  // If tools are only being listed, there is no run and thus no state.
  return context.state?.().team?.workers[id]?.commandLimits ?? undefined
}

interface Asked {
  command: string
  timeout_seconds: number
}

/**
 * Has the session's runner execute the command in a separate run, and parks until that run ends. Each tool call starts
 * only one such run. If the command's outcome is unknown, the tool's answer says so, and the command isn't repeated.
 */
async function runCommand(worker: Worker, asked: Asked): Promise<Effect> {
  const { context, messages } = worker
  const requested = await requestOf(worker, messages.length)
  if (!requested) await requirePermission(worker, asked.command)
  const request = requested ?? (await requestCommand(worker, messages.length))
  const run = runOf(await context.catchUp(), request.command_run_id)
  if (run && isEnded(run)) return effectOf(worker, request, run)
  if (!run) await start(worker, request, asked)
  throw new RunParked("its command is running", { run: request.command_run_id })
}

async function requestOf({ context }: Worker, round: number): Promise<Requested | undefined> {
  let found: Requested | undefined
  for await (const event of context.history()) {
    if (event.type === "shell_command_requested" && event.round === round) found = event
  }
  return found
}

async function requestCommand(worker: Worker, round: number): Promise<Requested> {
  const { deps, context, nodeId } = worker
  const { base, manifest: files } = await layNodeFiles(worker, nodeId)
  const request = { command_run_id: deps.newId("run"), base: base.at.manifest ?? "", files }
  await context.decide(() => [{ type: "shell_command_requested", node_id: nodeId, round, ...request }])
  return request
}

async function start(worker: Worker, { command_run_id: runId, files }: Requested, asked: Asked): Promise<void> {
  const { deps, context, id, nodeId: node_id } = worker
  const network = ownCommand(worker)?.network === true
  const input = { node_id, ...asked, files, ...(network && { network }) }
  // Each worker has a separate agent for its commands, because an agent can have only one run at a time.
  const run = { kind: "shell_command" as const, model: "none", agentId: `shell-${id}`, input, runId, repeatable: true }
  try {
    await deps.startInside(context, run, context)
  } catch (error) {
    if (!isAppError(error, "run_active")) throw error
    const until = new Date(deps.clock.now() + TRY_AGAIN_MS).toISOString()
    throw new RunParked("too many agents are running to start its command", { until })
  }
}

/**
 * Asks a person for permission, unless the team's mode or a rule already decides. Throws an error for the model if
 * permission is denied.
 */
async function requirePermission(worker: Worker, command: string): Promise<void> {
  const decided = worker.deps.decideCommand(await worker.context.catchUp(), worker.id, command)
  if (decided.effect === "deny") throw mistake(decided.reason)
  if (decided.effect === "allow") return
  const { rule } = decided
  const { choice, text } = await askPerson(worker, { kind: "permission", tool: "bash", name: "bash", command, rule })
  if (choice === "deny") throw mistake(text ?? "A person denied this.")
}

/** Returns the effect of a finished command: its output, and its file changes, which become the worker's changes. */
async function effectOf(worker: Worker, request: Requested, run: RunState): Promise<Effect> {
  const { deps, context } = worker
  const { finished, failure } = await readEnd(worker, run)
  if (!finished) throw mistake(failure)
  const output = cutMiddle(String(finished.output).trim(), "Write it to a file, and read that in parts.", OUTPUT_CHARS)
  if (finished.ending !== "exited" || finished.files === null)
    throw mistake([WORDS[finished.ending], output].join("\n\n"))
  const { sid, signal } = context
  const store = createWorkspaceStore(deps.blobs, { sid, incarnation: context.state().session.incarnation })
  const [base, before, after] = await Promise.all(
    [request.base, request.files, finished.files].map((files) => store.readManifest(files, { signal })),
  )
  const changes = await scratchChanges(worker, differing(base, after), missing(base, after))
  const parts = [`Exit code ${finished.exit_code ?? "unknown"}.`, output, changedText(before, after)]
  return { answer: parts.filter((part) => part !== "").join("\n\n"), ...(changes.length > 0 && { changes }) }
}

const WORDS: Record<CommandEnding, string> = {
  exited: "The command ended, but what happened to its files is unknown.",
  timed_out: "The command was stopped because it timed out. Your files are as they were before.",
  disk_full: "The command was stopped because the disk was nearly full. Your files are as they were before.",
  interrupted:
    "The command was interrupted and may or may not have run. Your files are as they were before. Run it again if you still need it.",
  too_many_files:
    "The command left more files than can be kept, so your files are as they were before. Make it write fewer files, or write to /tmp.",
}

async function readEnd({ deps, context }: Worker, run: RunState) {
  let finished: EventOf<"shell_command_finished"> | undefined
  let failure = "The command left no result."
  for await (const event of context.history(run)) {
    if (event.type === "shell_command_finished")
      finished = (await hydrateEvent(deps.blobs, event, context)) as EventOf<"shell_command_finished">
    if (event.type === "run_failed") failure = event.message
    if (event.type === "run_cancelled") failure = "The command was cancelled."
  }
  return { finished, failure }
}

/** Returns the files of `after` that are new or different compared to `base`. */
function differing(base: Manifest | undefined, after: Manifest | undefined): ManifestFile[] {
  const known = new Map(base?.files.map((file) => [file.path, file]))
  return (after?.files ?? []).filter(({ path, sha256, mode }) => {
    const file = known.get(path)
    return file?.sha256 !== sha256 || file.mode !== mode
  })
}

/** Returns the paths in `base` that are missing from `after`. */
function missing(base: Manifest | undefined, after: Manifest | undefined): string[] {
  const left = new Set<string>(after?.files.map(({ path }) => path))
  return (base?.files ?? []).flatMap(({ path }) => (left.has(path) ? [] : [path]))
}

/** Returns changes after which the node's folders contain exactly these files and deletion marks. */
async function scratchChanges(
  { deps, context, nodeId }: Worker,
  own: ManifestFile[],
  deleted: string[],
): Promise<Change[]> {
  const { manifest } = await currentFiles(deps, context)
  const written = own.map(({ path, ...file }): StagedFile => {
    return { op: "write", path: workspacePath(`${scratchOf(nodeId)}/${path}`), file }
  })
  const marks = deleted.map((path) => writeChange(`${deletedIn(nodeId)}/${path}`, ""))
  const wanted = new Set<string>([...written, ...marks].map(({ path }) => path))
  const there = new Map(
    manifest.files
      .filter(({ path }) => path.startsWith(`${scratchOf(nodeId)}/`) || path.startsWith(`${deletedIn(nodeId)}/`))
      .map((file) => [file.path, file]),
  )
  const gone = [...there.keys()].filter((path) => !wanted.has(path)).map((path): Change => ({ op: "delete", path }))
  const isNew = (change: StagedFile) => !("file" in change) || there.get(change.path)?.sha256 !== change.file.sha256
  return [...gone, ...written.filter(isNew), ...marks.filter(({ path }) => !there.has(path))]
}

function changedText(before: Manifest | undefined, after: Manifest | undefined): string {
  const written = differing(before, after).map(({ path }) => path)
  return [listed("It wrote", written), listed("It deleted", missing(before, after))]
    .filter((line) => line !== "")
    .join("\n")
}

function listed(what: string, paths: string[]): string {
  if (paths.length === 0) return ""
  const more = paths.length > NAMED_FILES ? ` and ${paths.length - NAMED_FILES} more` : ""
  return `${what} ${paths.slice(0, NAMED_FILES).join(", ")}${more}.`
}
