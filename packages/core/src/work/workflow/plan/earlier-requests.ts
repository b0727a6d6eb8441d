import * as z from "zod"
import { readField } from "../../../log/payload.ts"
import type { Blobs } from "../../../storage/blobs.ts"
import { fenced } from "../../../text/fenced.ts"
import { formatCount } from "../../../text/format.ts"
import { runKinds } from "../../runs/kinds.ts"
import type { RunContext } from "../../runs/run-context.ts"
import type { RunState } from "../../runs/state.ts"
import type { WorkflowInput } from "../schema.ts"

const EARLIER_RUNS = 10
/**
 * Maximum number of characters to quote from earlier requests, newest first. The quotes are part of each model request,
 * and take about 2,000 tokens.
 */
const QUOTED_CHARS = 8_000
/** Minimum length of a truncated quote. A shorter quote would say no more than the run's title. */
const LEAST_QUOTED_CHARS = 400

/** Part of a workflow run's input. Other kinds of runs don't have this field. */
const Prompt = z.object({ user_prompt: z.string().optional() })

/**
 * Describes the session's last runs before this run, except checks and other supporting runs. Lists their titles and
 * status. For workflows, quotes the request if there is room, because decisions in earlier requests still apply.
 * Undefined if there are no earlier runs. Every executor and role of a run gets the same text.
 */
export async function readEarlierRequests(
  context: Pick<RunContext<WorkflowInput>, "runId" | "input" | "state" | "history" | "signal">,
  blobs: Blobs,
): Promise<string | undefined> {
  const { runs } = context.state()
  const firstSeq = runs.byId[context.runId]?.firstSeq ?? 0
  const earlier = Object.values(runs.byId)
    .filter((run) => run.firstSeq < firstSeq && run.title !== "" && !runKinds[run.kind].isSupporting)
    .toSorted((a, b) => a.firstSeq - b.firstSeq)
    .slice(-EARLIER_RUNS)
  if (earlier.length === 0) return undefined
  const texts: string[] = []
  let charsLeft = QUOTED_CHARS
  for (const run of earlier.toReversed()) {
    const prompt = charsLeft > 0 ? await promptOf(context, run, blobs) : undefined
    // Don't quote a request that is identical to its run's title or to the current request.
    const isSaid = prompt === undefined || prompt.trim() === run.title || prompt === context.input.user_prompt
    const quoted = isSaid ? undefined : beginningOf(prompt, charsLeft)
    charsLeft -= quoted?.length ?? 0
    texts.unshift(quoted === undefined ? runLine(run) : `${runLine(run)}\n${fenced(quoted)}`)
  }
  const title =
    "Earlier requests in this project, oldest first, with how each ended. What they fix still holds, unless the present request changes it:"
  return [title, ...texts].join("\n")
}

async function promptOf(
  { history, signal }: Pick<RunContext<WorkflowInput>, "history" | "signal">,
  run: RunState,
  blobs: Blobs,
): Promise<string | undefined> {
  for await (const event of history(run)) {
    if (event.type === "run_created") return (await readField(blobs, event.input, Prompt, { signal })).user_prompt
  }
  return undefined
}

/**
 * Truncates a text to the given length, and adds a note that says so. Returns undefined if the truncated text would be
 * too short to be useful.
 */
function beginningOf(text: string, chars: number): string | undefined {
  if (text.length <= chars) return text
  if (chars < LEAST_QUOTED_CHARS) return undefined
  return `${text.slice(0, chars).toWellFormed()}\n[The first ${chars} of ${text.length} characters.]`
}

function runLine({ title, status, progress }: RunState): string {
  const files = progress ? `, ${progress.step} of ${formatCount(progress.total, "file")}` : ""
  return `- ${title} (${status}${files})`
}
