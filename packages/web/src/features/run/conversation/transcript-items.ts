import type { CheckView } from "../../../session/stream/check.ts"
import type {
  Beginning,
  Conversation,
  Note,
  PlanView,
  RestoredVersion,
  Turn,
} from "../../../session/stream/conversation.ts"
import { isRunning } from "../../../session/stream/run.ts"

/** A row of the transcript. `key` identifies it for as long as its run is known. */
export type TranscriptItem =
  | { key: string; type: "forked"; from: NonNullable<Beginning["copiedFrom"]> }
  | { key: string; type: "restored"; restored: RestoredVersion }
  | TurnItem

type TurnItem = { key: string; turn: Turn } & (
  | { type: "request"; number: number }
  | { type: "plan"; plan: PlanView }
  | { type: "note"; note: Note }
  | { type: "check"; check: CheckView }
  | { type: "progress"; text: string }
  | { type: "outcome" }
)

/** Returns a conversation's rows, oldest first. */
export function transcriptItems(turns: Conversation, { copiedFrom: from, restores }: Beginning): TranscriptItem[] {
  return [
    ...(from ? [{ key: "forked", type: "forked" as const, from }] : []),
    ...restoredItems(restores),
    ...turns.flatMap((turn, index) => itemsOf(turn, index + 1)),
  ]
}

function restoredItems(restores: readonly RestoredVersion[]): TranscriptItem[] {
  return restores.map((restored) => ({ key: `restored:${restored.version}`, type: "restored", restored }))
}

function itemsOf(turn: Turn, number: number): TranscriptItem[] {
  const { run, plan, notes, check, restores } = turn
  const key = (part: string) => `${run.runId}:${part}`
  const text = progressOf(turn)
  return [
    { key: key("request"), turn, type: "request", number },
    ...(plan ? [{ key: key("plan"), turn, type: "plan" as const, plan }] : []),
    ...notes.map((note) => ({ key: key(String(note.seq)), turn, type: "note" as const, note })),
    ...(check ? [{ key: key(`check:${check.runId}`), turn, type: "check" as const, check }] : []),
    ...(text === null ? [] : [{ key: key("progress"), turn, type: "progress" as const, text }]),
    ...(isEnded(turn) ? [{ key: key("outcome"), turn, type: "outcome" as const }] : []),
    ...restoredItems(restores),
  ]
}

function isEnded({ run }: Turn): boolean {
  return !isRunning(run) && run.status !== "parked"
}

/** Returns work that no other row shows: before there is a plan, and before there are files. */
function progressOf({ run, plan }: Turn): string | null {
  if (!isRunning(run)) return null
  if (run.cancelRequested) return "Stopping"
  if (run.status === "queued") return "Starting"
  if (plan === null) return run.agent === null ? "Planning" : "Working"
  return plan.files.every(({ state }) => state === "planned") ? "Planning steps" : null
}
