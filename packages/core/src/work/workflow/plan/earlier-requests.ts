import * as z from "zod"
import { formatCount } from "../../../format.ts"
import { readField } from "../../../log/payload.ts"
import type { Blobs } from "../../../storage/blobs.ts"
import type { RunContext } from "../../runs/run-context.ts"
import type { RunState } from "../../runs/state.ts"
import type { WorkflowInput } from "../schema.ts"
import { fenced } from "./quoted-text.ts"

const EARLIER_RUNS = 10
/** So much of earlier requests is quoted, the newest first: about 2,000 tokens, in every request to a model. */
const QUOTED_CHARS = 8_000
/** Less of a request than that says no more than its title. */
const LEAST_QUOTED_CHARS = 400

/** The request of a workflow; runs of other kinds have none of that name. */
const Prompt = z.object({ user_prompt: z.string().optional() })

/**
 * The session's runs before this one: how they ended, and what workflows were asked for, verbatim as far as there is room, because
 * what they fix holds on. The same text for every executor of a run, and for all roles; undefined where there are none.
 */
export async function readEarlierRequests(
  context: Pick<RunContext<WorkflowInput>, "runId" | "input" | "state" | "history" | "signal">,
  blobs: Blobs,
): Promise<string | undefined> {
  const { runs } = context.state()
  const firstSeq = runs.byId[context.runId]?.firstSeq ?? 0
  const earlier = Object.values(runs.byId)
    .filter((run) => run.firstSeq < firstSeq && run.title !== "")
    .toSorted((a, b) => a.firstSeq - b.firstSeq)
    .slice(-EARLIER_RUNS)
  if (earlier.length === 0) return undefined
  const texts: string[] = []
  let charsLeft = QUOTED_CHARS
  for (const run of earlier.toReversed()) {
    const prompt = charsLeft > 0 ? await promptOf(context, run, blobs) : undefined
    // The title says it all, or the request that stands beside it does.
    const isSaid = prompt === undefined || prompt.trim() === run.title || prompt === context.input.user_prompt
    const quoted = isSaid ? undefined : beginningOf(prompt, charsLeft)
    charsLeft -= quoted?.length ?? 0
    texts.unshift(quoted === undefined ? runLine(run) : `${runLine(run)}\n${fenced(quoted)}`)
  }
  const title =
    "Earlier requests in this project, oldest first. They are done; what they fix still holds, unless the present request changes it:"
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

/** As much of a text as there is room for, with a note of what is missing; undefined if that is hardly any. */
function beginningOf(text: string, chars: number): string | undefined {
  if (text.length <= chars) return text
  if (chars < LEAST_QUOTED_CHARS) return undefined
  return `${text.slice(0, chars).toWellFormed()}\n[The first ${chars} of ${text.length} characters.]`
}

function runLine({ title, status, progress }: RunState): string {
  const files = progress ? `, ${progress.step} of ${formatCount(progress.total, "file")}` : ""
  return `- ${title} (${status}${files})`
}
