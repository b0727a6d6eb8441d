import type { PayloadRef } from "../../log/event.ts"
import { formatBytes, formatCount, formatDuration } from "../../text/format.ts"
import { type ProgressUpdate, updateOf } from "../runs/progress.ts"
import type { NodeName, ReviewFinding } from "../workflow/schema.ts"
import { debug, type Headline, inlined, row, warning } from "./headline.ts"
import { providerProblem } from "./provider-problem.ts"

export const NODE_TITLES = { planner: "Planner", architect: "Architect", coder: "Coder" } satisfies Record<
  NodeName,
  string
>

/** Headlines for events of nodes, models, tools and written files. */
export const workflowHeadlines = {
  // A coder visit without a file concerns the whole project. Other events of the visit report its work.
  node_started: ({ node, file_path: path }: { node: NodeName; file_path?: string }) =>
    (node === "coder" && !path ? debug : row)(node, `${NODE_TITLES[node]} started${path ? `: ${path}` : ""}`),
  node_finished: finished,
  model_text: (event: { node?: NodeName; text: string }) => debug(whoOf(event), event.text),
  file_text: ({ node, path, offset, text }: { node?: NodeName; path: string; offset: number; text: string }) =>
    debug(whoOf({ node }), `Writing ${path}`, [formatCount(offset + text.length, "character")]),
  file_edit_text: ({ node, path, offset, text }: { node?: NodeName; path: string; offset: number; text: string }) =>
    debug(whoOf({ node }), `Editing ${path}`, [formatCount(offset + text.length, "character")]),
  model_reasoning: (event: { node?: NodeName; chars: number }) =>
    debug(whoOf(event), "Thinking", [formatCount(event.chars, "character")]),
  model_usage: (event: { node?: NodeName; usage: TokenCounts; searches?: number }) => {
    const searches = event.searches === undefined ? [] : [`web searches: ${event.searches}`]
    return debug(whoOf(event), "Tokens used", [...usageMeta(event.usage), ...searches])
  },
  model_retried: (event: Retried) => {
    const meta = [`attempt ${event.attempt}`, event.wait_ms > 0 ? `retrying in ${formatDuration(event.wait_ms)}` : ""]
    return warning(whoOf(event), event.reason ?? providerProblem(event.error_type), meta.filter(Boolean))
  },
  model_replaced: (event: { node?: NodeName; from_model: string; to_model: string; reason: string }) =>
    warning(whoOf(event), `${event.from_model} is down, so ${event.to_model} continues`, [], event.reason),
  answer_rejected: (event: { node?: NodeName; path?: string; reason: string }) => {
    const about = event.path === undefined ? "" : `: ${event.path}`
    return warning(whoOf(event), `Model answer couldn't be used${about}`, [], event.reason)
  },
  tool_call_started: (event: ToolCall) => {
    const size = event.file_bytes === undefined ? [] : [formatBytes(event.file_bytes)]
    const tool = event.tool === "other" ? (event.name ?? event.tool) : event.tool
    return debug(whoOf(event), [tool, event.path ?? event.command].filter(Boolean).join(" "), size)
  },
  tool_call_finished: (event: {
    node?: NodeName
    duration_ms: number
    llm_summary: string
    exit_code?: number | null
  }) => {
    const exit = event.exit_code ? [`exit ${event.exit_code}`] : []
    return debug(whoOf(event), event.llm_summary, [...exit, formatDuration(event.duration_ms)])
  },
  workspace_committed: committed,
  files_checked: checked,
  files_reviewed: reviewed,
}

export interface TokenCounts {
  input: number | null
  output: number | null
  cache_read: number | null
}

interface Retried {
  node?: NodeName
  error_type: string
  attempt: number
  wait_ms: number
  /** The provider's limit, if the provider named it. */
  reason?: string
}

interface ToolCall {
  node?: NodeName
  tool: string
  /** Name of the tool as written by the model. */
  name?: string
  path?: string
  command?: string
  file_bytes?: number
}

interface Change {
  op: "write" | "delete" | "rename" | "make_folder"
  path: string
  in_repository?: boolean
}

export function usageMeta(usage: TokenCounts): string[] {
  return [
    usage.input !== null && `${usage.input} in`,
    usage.cache_read !== null && `${usage.cache_read} from cache`,
    usage.output !== null && `${usage.output} out`,
  ].filter((text) => text !== false)
}

function checked(event: { file_count: number; fault_count: number; faults: readonly ReviewFinding[] }): Headline {
  const files = formatCount(event.file_count, "file")
  if (event.fault_count === 0) return row("system", `Checked ${files} (not run): no problems found`)
  const lines = event.faults.slice(0, NAMED_CHANGES).map(({ path, message }) => `${path}: ${message}`)
  const text = `Checked ${files} (not run): ${formatCount(event.fault_count, "problem")}`
  return warning("system", text, [], lines.join("\n"))
}

function reviewed(event: {
  file_count: number
  finding_count: number
  findings: readonly ReviewFinding[]
  not_reviewed?: string
}): Headline {
  if (event.not_reviewed !== undefined) return warning("system", "Files not reviewed", [], event.not_reviewed)
  const files = formatCount(event.file_count, "file")
  if (event.finding_count === 0) return row("system", `Compared ${files} with the request: nothing missing`)
  const lines = event.findings.map(({ path, message }) => `${path}: ${message}`)
  const text = `Compared ${files} with the request: ${formatCount(event.finding_count, "thing")} missing`
  return warning("system", text, [], lines.join("\n"))
}

interface FinishedNode {
  node: NodeName
  duration_ms: number
  update:
    | (ProgressUpdate & {
        file_path?: string
        left_as_is?: string
        failed?: string
        changed_files?: readonly string[]
        not_repaired?: string
        review?: readonly unknown[]
      })
    | PayloadRef
}

function finished(event: FinishedNode): Headline {
  const took = [formatDuration(event.duration_ms)]
  const update = updateOf(event)
  const { current_step_idx: step, total_steps: total, file_path: path, left_as_is, plan, task_plan } = update
  if (event.node === "coder" && update.status === "DONE")
    return row("coder", `Coder finished: ${total ?? 0} of ${total ?? 0} files`, took)
  if (event.node === "coder" && update.review !== undefined) return row("coder", "Review finished", took)
  if (event.node === "coder" && path && update.failed !== undefined)
    return warning("coder", `Not written: ${path}`, took, update.failed)
  if (event.node === "coder" && update.changed_files !== undefined) return repaired(update, took)
  if (event.node === "coder" && path) {
    const left = left_as_is ? ` left as it is: ${left_as_is}` : ""
    return row("coder", `File ${step} of ${total}: ${path}${left}`, took)
  }
  const files = update.planned_files ?? plan?.files.length
  if (files !== undefined) return row("planner", `Planner finished: ${formatCount(files, "file")} planned`, took)
  const steps = task_plan?.implementation_steps.length
  if (steps !== undefined) return row("architect", `Architect finished: ${formatCount(steps, "step")}`, took)
  return row(event.node, `${NODE_TITLES[event.node]} finished`, took)
}

function repaired(update: { changed_files?: readonly string[]; not_repaired?: string }, took: string[]): Headline {
  const { changed_files: files = [], not_repaired: reason } = update
  if (files.length === 0) return warning("coder", "Repair changed nothing", took, reason)
  return row("coder", `Repaired ${files.slice(0, NAMED_CHANGES).join(", ")}${more(files.length)}`, took)
}

const verbs = { write: "saved", delete: "deleted", rename: "renamed", make_folder: "created" }
const NAMED_CHANGES = 5

interface Commit {
  run_id?: string
  version: number
  changes: readonly Change[] | PayloadRef
  restores?: { version: number; path?: string }
}

function committed(event: Commit): Headline {
  const changes = inlined(event.changes)
  const isInRepository = changes !== undefined && changes.length > 0 && changes.every((change) => change.in_repository)
  const named = changes?.slice(0, NAMED_CHANGES).map(isInRepository ? ({ path }) => path : changeText) ?? []
  const shown = `${named.join(", ") || "No files changed"}${more(changes?.length ?? 0)}`
  const about = isInRepository ? `Synced from the repository: ${shown}` : shown
  const text = changes ? about : "Many files saved"
  const version = [`version ${event.version}`]
  if (event.restores) return row("you", `Restored ${restoredText(event.restores)}`, version)
  if (event.run_id !== undefined) return debug("system", text, version)
  return row(isInRepository ? "system" : "you", text, version)
}

function restoredText({ version, path }: NonNullable<Commit["restores"]>): string {
  return path === undefined ? `version ${version}` : `${path} from version ${version}`
}

/** Returns a suffix with the number of further changes. */
function more(count: number): string {
  return count > NAMED_CHANGES ? ` and ${count - NAMED_CHANGES} more` : ""
}

function changeText({ path, op, in_repository }: Change): string {
  return `${path} ${in_repository ? "synced from the repository" : verbs[op]}`
}

function whoOf(event: { node?: NodeName }): Headline["who"] {
  return event.node ?? "agent"
}
