import type { WorkspacePath } from "../../../files/workspaces/path.ts"
import type { ToolChoice } from "../../../models/provider.ts"
import type { Turn } from "../../harness/loop.ts"

/** A turn after which the coder's file has neither been saved nor intentionally left unchanged. */
export interface UnsavedTurn {
  usedTools: boolean
  /** Results of failed tool calls. */
  refusals: string[]
  /** True if the answer was cut off at the output limit. */
  wasCut: boolean
  /** Other files that were saved instead. */
  savedInstead: WorkspacePath[]
  /** Names of tools that were called again with the same arguments. */
  repeatedTools: string[]
  callsLeft: number
}

/** Numbers of remaining calls at which a model that has only read files is reminded to write its file. */
const NEARLY_USED_UP = [3, 1]

const CUT =
  "Your answer was cut off at the output limit, so nothing of it was saved. Be briefer: no explanations, no comment that is not needed, shorter examples and sample data. The whole file must fit into one call."

/** Returns the reminder for the next call, and the tool that the call must use. Undefined if no reminder is needed. */
export function reminderFor(
  file: { path: WorkspacePath; exists: boolean },
  turn: UnsavedTurn,
): { say: string; toolChoice: ToolChoice } | undefined {
  if (!isDue(turn)) return undefined
  const say = [...slips(turn), unsaved(file.path, turn), demand(file), callsLeft(turn.callsLeft)].join(" ")
  return { say, toolChoice: file.exists ? "required" : { tool: "write_file" } }
}

/** Returns the reminder for a repair that continues after this turn. Undefined if no reminder is needed. */
export function repairReminder(turn: CommonTurn): { say: string; toolChoice: ToolChoice } | undefined {
  if (!isDue(turn)) return undefined
  const say = [
    ...slips(turn),
    ...(turn.usedTools ? [] : ["Nothing has been changed: text outside of a tool call is not kept."]),
    "Save the repair with edit_file or write_file. If you can't repair it, call keep_file with the reason.",
    callsLeft(turn.callsLeft),
  ]
  return { say: say.join(" "), toolChoice: "required" }
}

/** Returns the reminder for a repair that is about to end before all files with reported errors have been changed. */
export function untouchedReminder(paths: readonly WorkspacePath[]): string {
  return `Errors are reported in ${paths.join(", ")}, too, and you haven't changed ${paths.length === 1 ? "it" : "them"}. Repair them now. If your changes have repaired them already, answer without a tool call.`
}

type CommonTurn = Omit<UnsavedTurn, "savedInstead">

function isDue({ usedTools, wasCut, repeatedTools, callsLeft }: CommonTurn): boolean {
  return !usedTools || wasCut || repeatedTools.length > 0 || NEARLY_USED_UP.includes(callsLeft)
}

/** Returns the problems with an answer, worded for the model. */
function slips({ usedTools, refusals, wasCut, repeatedTools }: CommonTurn): string[] {
  const repeated = `You called ${repeatedTools.join(", ")} as before; the answer stands above.`
  return [
    // If the model made calls, it has already received their errors.
    ...(usedTools ? [] : refusals),
    ...(wasCut ? [CUT] : []),
    ...(repeatedTools.length > 0 ? [repeated] : []),
  ]
}

/**
 * Returns the reason why an answer made no progress, worded for people. Undefined if the model may still be reading
 * files.
 */
export function noProgressReason(
  { completion, usedTools, refusals }: Pick<Turn, "completion" | "usedTools" | "refusals">,
  { repeated, path, savedInstead }: { repeated: string[]; path: WorkspacePath; savedInstead: WorkspacePath[] },
): string | undefined {
  if (completion.stopReason === "max_tokens") return "It was cut off at the output limit."
  if (refusals.length > 0) return refusals.join("\n")
  if (!usedTools) return completion.text.trim() === "" ? "It was empty." : "It saved nothing."
  if (repeated.length > 0) return `It called ${repeated.join(", ")} as before.`
  return savedInstead.length > 0 ? `It saved ${savedInstead.join(", ")} instead of ${path}.` : undefined
}

function unsaved(path: WorkspacePath, { savedInstead, usedTools }: UnsavedTurn): string {
  const saved =
    savedInstead.length > 0 ? `You saved ${savedInstead.join(", ")}, but the file of this step is ${path}. It` : ""
  const reason = usedTools ? "" : ": text outside of a tool call is not kept"
  return `${saved || `The file ${path}`} has not been saved${reason}.`
}

function demand({ path, exists }: { path: WorkspacePath; exists: boolean }): string {
  const write = `Call write_file with the path ${path} and the full content of the file`
  if (!exists) return `${write}.`
  return `${write}, or edit_file with the parts that change. If it must stay exactly as it is, call keep_file with the reason.`
}

function callsLeft(count: number): string {
  return count === 1 ? "One call is left." : `${count} calls are left.`
}
