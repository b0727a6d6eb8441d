import {
  effectsOf,
  holdsCode,
  isQuiet,
  isRiskyAssignment,
  plainWords,
  programName,
  type SimpleCommand,
} from "./shell-words.ts"

/** Commands found in a text. */
export interface CommandText {
  /** Commands written in the text itself. The text is allowed only if rules allow all of them. */
  typed: SimpleCommand[]
  /** The written commands and the commands that they run. The text is denied if a rule denies any of them. */
  run: SimpleCommand[]
}

/** Command that might be run, with words that can't be determined. */
export const UNKNOWN_COMMAND: SimpleCommand = { words: [null], isBare: false }

const MAX_COMMANDS = 500

/** Adds the commands that the given commands run. Also returns the scripts that they pass to a shell. */
export function withEffects(typed: SimpleCommand[]): { run: SimpleCommand[]; scripts: string[] } {
  const run = [...typed]
  const scripts: string[] = []
  for (const { words } of run) {
    const effects = effectsOf(words)
    scripts.push(...effects.scripts)
    run.push(...effects.runs.map((words) => ({ words, isBare: false })))
    const [first, ...args] = words
    const runsFile = first?.includes("/") === true && !/^\/(usr\/)?(local\/)?s?bin\//.test(first) && typed.length > 1
    if (effects.isOpaque || runsFile || (!isQuiet(words) && args.some(holdsCode))) run.push(UNKNOWN_COMMAND)
    if (run.length > MAX_COMMANDS) return { run: [...run, UNKNOWN_COMMAND], scripts: [] }
  }
  return { run, scripts }
}

/**
 * Parses a text that needs no grammar because it consists of words without quotes or other shell syntax. Undefined for
 * all other texts.
 */
export function plainCommand(text: string): CommandText | undefined {
  const words = plainWords(text)
  if (!words) return undefined
  const at = words.findIndex((word) => !isAssignment(word))
  const assignments = at === -1 ? words : words.slice(0, at)
  const isRisky = assignments.some((word) =>
    isRiskyAssignment(word.split("=")[0] ?? "", word.slice(word.indexOf("=") + 1)),
  )
  const typed = [
    { words: at === -1 ? [] : words.slice(at), isBare: assignments.length === 0 && at !== -1 },
    ...(isRisky ? [UNKNOWN_COMMAND] : []),
  ]
  const { run, scripts } = withEffects(typed)
  const inner = scripts.map((script) => plainCommand(script)?.run ?? [UNKNOWN_COMMAND])
  return { typed, run: [...run, ...inner.flat()] }
}

function isAssignment(word: string): boolean {
  return /^[A-Za-z_]\w*\+?=/.test(word)
}

export type Touch = "yes" | "maybe" | "no"

/** Decides whether a text may run a rule's command. Compares the first words. */
export function touchesCommand(text: CommandText | undefined, rule: string): Touch {
  if (!text) return "maybe"
  const words = rule.split(/\s+/).filter((word) => word !== "")
  const readable = words.findIndex((word) => plainWords(word) === undefined)
  const wanted = readable === -1 ? words : words.slice(0, readable)
  const found = text.run.map((command) => touchesWords(command, wanted))
  if (!found.includes("yes")) return found.includes("maybe") ? "maybe" : "no"
  // Only the words before the first shell syntax can be compared.
  return readable === -1 ? "yes" : "maybe"
}

/** True if a rule for a command prefix allows this command. */
export function coversCommand({ words, isBare }: SimpleCommand, rule: string): boolean {
  const wanted = plainWords(rule) ?? []
  return isBare && wanted.length > 0 && wanted.every((word, at) => words[at] === word)
}

function touchesWords(command: SimpleCommand, [program = "", ...rest]: string[]): Touch {
  const [name, ...args] = command.words
  if (name === undefined) return "no"
  if (name === null || program === "") return "maybe"
  const wanted = programName(program).toLowerCase()
  if (programName(name).toLowerCase() === wanted) {
    const touch = touchesArgs(args, rest)
    if (touch !== "no") return touch
  }
  return !isQuiet(command.words) && args.some((word) => word !== null && mentions(word, wanted)) ? "maybe" : "no"
}

/**
 * Decides whether arguments begin with the arguments of a rule. Skips options in between; each of them may take the
 * next word as its value.
 */
function touchesArgs(args: (string | null)[], rest: string[]): Touch {
  if (rest.every((word, at) => args[at] === word)) return "yes"
  const wanted = rest.filter((word) => !word.startsWith("-"))
  let found = 0
  let isUnsure = wanted.length < rest.length
  for (const [at, word] of args.entries()) {
    if (found === wanted.length) break
    if (word === null) return "maybe"
    if (word === wanted[found]) found++
    else if (word.startsWith("-")) continue
    else if (args[at - 1]?.startsWith("-")) isUnsure = true
    else return "no"
  }
  if (found < wanted.length) return "no"
  return isUnsure ? "maybe" : "yes"
}

/** True if a text contains this name as a word. */
function mentions(text: string, name: string): boolean {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}_.+-]+/u)
    .includes(name)
}
