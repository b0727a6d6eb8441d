import { normalize } from "node:path/posix"
import type { PermissionMode, PermissionRequest, PermissionRule } from "./schema.ts"

/** The mode of an agent, and the rules that hold for it: the owner's first, then the repository's and the session's. */
export interface PermissionPolicy {
  mode: PermissionMode
  rules: PermissionRule[]
}

export type PolicyDecision = { effect: "allow" } | { effect: "ask" } | { effect: "deny"; reason: string }

const READS: ReadonlySet<string> = new Set(["read", "glob", "grep"])
const EDITS: ReadonlySet<string> = new Set(["write", "edit"])

/** Folders whose files change what git or an agent's program does by itself: their edits are never accepted unseen. */
const PROTECTED: ReadonlySet<string> = new Set([".git", ".claude", ".codex", ".gemini", ".qwen", ".opencode", ".vibe"])

/**
 * Decides on one use of a tool. A rule that denies it wins over all; else the last rule that says something about it
 * decides, and where none does, the mode. Paths are compared as they are given, so links in them must be resolved before.
 */
export function decidePermission({ mode, rules }: PermissionPolicy, request: PermissionRequest): PolicyDecision {
  const matching = rules.filter((rule) => matches(rule, request))
  if (matching.some(({ effect }) => effect === "deny")) return { effect: "deny", reason: "A rule forbids this." }
  if (mode === "plan" && !isSafeRead(request)) {
    return { effect: "deny", reason: "The agent is in plan mode: it may read, and change nothing." }
  }
  const last = matching.at(-1)
  const isAllowed = last ? last.effect === "allow" : isAllowedBy(mode, request)
  return { effect: isAllowed ? "allow" : "ask" }
}

/**
 * Whether a change to a file that was made all the same, without asking, may not stay. `existed`: whether it was there before.
 */
export function isForbiddenChange(policy: PermissionPolicy, path: string, { existed }: { existed: boolean }): boolean {
  const tools = existed ? (["edit", "write"] as const) : (["write"] as const)
  return tools.some((tool) => decidePermission(policy, { tool, name: tool, paths: [path] }).effect === "deny")
}

/** Whether a change may be one that has to be put back, so that it is worth a look. */
export function forbidsChanges({ mode, rules }: PermissionPolicy): boolean {
  const concerns = ({ tool, effect }: PermissionRule) => effect === "deny" && ["edit", "write", "any"].includes(tool)
  return mode === "plan" || rules.some(concerns)
}

/** The mode in which a program is started: it must ask for everything about which a rule has a say. */
export function startMode({ mode, rules }: PermissionPolicy): PermissionMode {
  return mode === "bypass" && rules.some(({ effect }) => effect !== "allow") ? "ask" : mode
}

/**
 * The rule that allows this use of a tool from now on, and others of its kind: commands that begin alike, ordinary files of the
 * worktree, or one file elsewhere.
 */
export function ruleFor({ tool, name, command, paths = [] }: PermissionRequest): PermissionRule {
  if (command !== undefined) return { tool, command: commandPrefix(command), effect: "allow" }
  const special = paths.find((path) => !isOrdinary(path))
  if (special !== undefined) return { tool, path: special, effect: "allow" }
  return paths.length > 0 ? { tool, path: "**", effect: "allow" } : { tool, name, effect: "allow" }
}

function isAllowedBy(mode: PermissionMode, request: PermissionRequest): boolean {
  if (mode === "bypass" || isSafeRead(request)) return true
  const { tool, paths = [] } = request
  return mode === "accept_edits" && EDITS.has(tool) && paths.length > 0 && paths.every(isOrdinary)
}

function isSafeRead({ tool, paths = [] }: PermissionRequest): boolean {
  return READS.has(tool) && paths.every(isInside)
}

/** Whether a path is in the worktree. One that isn't relative, or leaves it, is somewhere else. */
function isInside(path: string): boolean {
  return !/^[/~]/.test(path) && normalize(path).split("/")[0] !== ".."
}

function isOrdinary(path: string): boolean {
  return (
    isInside(path) &&
    !normalize(path)
      .split("/")
      .some((name) => PROTECTED.has(name.toLowerCase()))
  )
}

/** True if the rule is about this request: one that denies needs one of its files or commands, another one all of them. */
function matches(rule: PermissionRule, { tool, name, paths = [], command }: PermissionRequest): boolean {
  if (rule.tool !== "any" && rule.tool !== tool) return false
  if (rule.name !== undefined && rule.name !== name) return false
  const isDenial = rule.effect === "deny"
  if (rule.command !== undefined) {
    if (command === undefined) return false
    const parts = simpleCommands(command)
    const wanted = words(rule.command)
    // A command line with shell syntax may do anything, so no prefix allows it.
    if (!isDenial) return isPlain(command) ? beginsWith(words(command), wanted) : command.trim() === rule.command.trim()
    if (!parts.some((part) => beginsWith(words(part), wanted))) return false
  }
  if (rule.path === undefined) return true
  const { path } = rule
  const inRule = (one: string) => matchesPath(path.split("/"), normalize(one).split("/"), isDenial)
  if (isDenial) return paths.some(inRule)
  return paths.length > 0 && paths.every((one) => one === path || (isInside(one) && inRule(one)))
}

/** Characters by which a shell does more than to run a program with these words. */
const SHELL = /[;&|<>()`$\n\r\\"'{}*?[\]!#~]/

function isPlain(command: string): boolean {
  return !SHELL.test(command)
}

function simpleCommands(command: string): string[] {
  return command.split(/[;&|\n\r()`]/)
}

function words(command: string): string[] {
  return command.split(/\s/).filter((word) => word !== "")
}

function beginsWith(all: string[], first: string[]): boolean {
  return first.length > 0 && first.every((word, index) => all[index] === word)
}

/** The words of a command by which others of its kind are recognised: the program, and what it is told to do. */
function commandPrefix(command: string): string {
  if (!isPlain(command)) return command.trim()
  const [program = "", action] = words(command)
  return action && /^[a-z][\w:.-]*$/.test(action) ? `${program} ${action}` : program
}

/**
 * Whether the names of a path match those of a pattern, where `**` stands for any number of folders. A rule that allows must
 * name a protected folder: as with hidden files in a shell, no sign stands for it.
 */
function matchesPath(pattern: string[], path: string[], isDenial: boolean): boolean {
  // The places in the pattern that are reached, name by name: no pattern takes more than its length for each name.
  let reached = closure(new Set([0]), pattern)
  for (const name of path) {
    const next = new Set<number>()
    for (const at of reached) {
      const part = pattern[at]
      const isNamed = isDenial || part === name || !PROTECTED.has(name.toLowerCase())
      if (part === "**" && isNamed) next.add(at)
      else if (part !== undefined && part !== "**" && isNamed && matchesName(part, name)) next.add(at + 1)
    }
    reached = closure(next, pattern)
  }
  return reached.has(pattern.length)
}

/** With the places that are reached without a name: `**` stands for none, too. */
function closure(reached: Set<number>, pattern: string[]): Set<number> {
  for (const at of reached) if (pattern[at] === "**") reached.add(at + 1)
  return reached
}

/** Whether a name matches a pattern, where `*` stands for any characters. */
function matchesName(pattern: string, name: string): boolean {
  const [first = "", ...rest] = pattern.split("*")
  const last = rest.pop()
  if (last === undefined) return pattern === name
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false
  let at = first.length
  const end = name.length - last.length
  for (const piece of rest) {
    const found = name.indexOf(piece, at)
    if (found === -1 || found + piece.length > end) return false
    at = found + piece.length
  }
  return true
}
