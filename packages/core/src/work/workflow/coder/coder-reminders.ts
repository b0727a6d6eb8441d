import type { WorkspacePath } from "../../../files/workspaces/path.ts"
import type { ToolChoice } from "../../../models/provider.ts"
import type { Turn } from "../../harness/loop.ts"

/** A turn after which the coder's file is neither saved nor kept unchanged. */
export interface UnsavedTurn {
  usedTools: boolean
  /** Answers of tools that failed. */
  refusals: string[]
  /** True if the answer reached the output limit. */
  wasCut: boolean
  /** Other files that were saved instead. */
  savedInstead: WorkspacePath[]
  /** Names of tools that were called again with equal arguments. */
  repeatedTools: string[]
  callsLeft: number
}

/** Remaining calls at which a model that only reads is reminded of its file. */
const NEARLY_USED_UP = [3, 1]

const CUT =
  "Your answer was cut off at the output limit, so nothing of it was saved. Be briefer: no explanations, no comment that is not needed, shorter examples and sample data. The whole file must fit into one call."

/** Returns the reminder and the required tool for the next call. Undefined if the model may just continue. */
export function reminderFor(
  file: { path: WorkspacePath; exists: boolean },
  turn: UnsavedTurn,
): { say: string; toolChoice: ToolChoice } | undefined {
  const isDue = !turn.usedTools || turn.wasCut || turn.repeatedTools.length > 0
  if (!isDue && !NEARLY_USED_UP.includes(turn.callsLeft)) return undefined
  const say = [...causes(file.path, turn), demand(file), callsLeft(turn.callsLeft)].join(" ")
  return { say, toolChoice: file.exists ? "required" : { tool: "write_file" } }
}

/** Returns the reminder in a repair, after a turn that doesn't end it. */
export function repairReminder(
  turn: Omit<UnsavedTurn, "savedInstead">,
): { say: string; toolChoice: ToolChoice } | undefined {
  const { usedTools, wasCut, repeatedTools, refusals, callsLeft: left } = turn
  const isDue = !usedTools || wasCut || repeatedTools.length > 0
  if (!isDue && !NEARLY_USED_UP.includes(left)) return undefined
  const say = [
    ...(usedTools ? [] : refusals),
    ...(wasCut ? [CUT] : []),
    ...(repeatedTools.length > 0 ? [repeated(repeatedTools)] : []),
    ...(usedTools ? [] : ["Nothing has been changed: text outside of a tool call is not kept."]),
    "Save the repair with edit_file or write_file. If you can't repair it, call keep_file with the reason.",
    callsLeft(left),
  ]
  return { say: say.join(" "), toolChoice: "required" }
}

function repeated(tools: string[]): string {
  return `You called ${tools.join(", ")} as before; the answer stands above.`
}

/** Returns, for people, why an answer made no progress. Undefined if the model may still read files. */
export function slipOf(
  { completion, usedTools, refusals }: Pick<Turn, "completion" | "usedTools" | "refusals">,
  { repeated, path, savedInstead }: { repeated: string[]; path: WorkspacePath; savedInstead: WorkspacePath[] },
): string | undefined {
  if (completion.stopReason === "max_tokens") return "It was cut off at the output limit."
  if (refusals.length > 0) return refusals.join("\n")
  if (!usedTools) return completion.text.trim() === "" ? "It was empty." : "It saved nothing."
  if (repeated.length > 0) return `It called ${repeated.join(", ")} as before.`
  return savedInstead.length > 0 ? `It saved ${savedInstead.join(", ")} instead of ${path}.` : undefined
}

function causes(path: WorkspacePath, turn: UnsavedTurn): string[] {
  const { savedInstead, repeatedTools, usedTools, refusals, wasCut } = turn
  const unsaved = usedTools ? "has not been saved." : "has not been saved: text outside of a tool call is not kept."
  const saved =
    savedInstead.length > 0 ? `You saved ${savedInstead.join(", ")}, but the file of this step is ${path}. It` : ""
  return [
    // The model has already received the refusals of real calls.
    ...(usedTools ? [] : refusals),
    ...(wasCut ? [CUT] : []),
    ...(repeatedTools.length > 0 ? [repeated(repeatedTools)] : []),
    `${saved || `The file ${path}`} ${unsaved}`,
  ]
}

function demand({ path, exists }: { path: WorkspacePath; exists: boolean }): string {
  const write = `Call write_file with the path ${path} and the full content of the file`
  if (!exists) return `${write}.`
  return `${write}, or edit_file with the parts that change. If it must stay exactly as it is, call keep_file with the reason.`
}

function callsLeft(count: number): string {
  return count === 1 ? "One call is left." : `${count} calls are left.`
}
