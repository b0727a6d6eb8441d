import { normalize } from "node:path/posix"
import { isProtectedName } from "../../files/start-files.ts"
import { matchesPath } from "./path-pattern.ts"
import { MAX_RULE_COMMAND_CHARS, type PermissionMode, type PermissionRequest, type PermissionRule } from "./schema.ts"
import { type CommandText, coversCommand, plainCommand, type Touch, touchesCommand } from "./shell-command.ts"
import { plainWords, type SimpleCommand } from "./shell-words.ts"

/**
 * An agent's permission mode and rules. The owner's rules come first, then those of the repository and of the session.
 * See `combineRules` for the rules in a repository's own file.
 */
export interface PermissionPolicy {
  mode: PermissionMode
  rules: PermissionRule[]
}

export type PolicyDecision = { effect: "allow" } | { effect: "ask" } | { effect: "deny"; reason: string }

const READS: ReadonlySet<string> = new Set(["read", "glob", "grep"])
const EDITS: ReadonlySet<string> = new Set(["write", "edit"])

/**
 * Decides on one tool use. A matching deny rule wins. Otherwise, the last matching rule decides, or the mode if no rule
 * matches. If the request lacks information that a rule needs, the answer is `ask`, never `allow`. Paths are compared
 * literally, so links must be resolved first. `text` is the request's command, parsed.
 */
export function decidePermission(
  { mode, rules }: PermissionPolicy,
  request: PermissionRequest,
  text = plainCommand(request.command ?? ""),
): PolicyDecision {
  const use = { request, text: request.incomplete ? undefined : text }
  const denials = rules.filter(({ effect }) => effect === "deny").map((rule) => touches(rule, use))
  if (denials.includes("yes")) return { effect: "deny", reason: "A rule forbids this." }
  if (mode === "plan" && !isSafeRead(request)) {
    return { effect: "deny", reason: "The agent is in plan mode: it may read but not change anything." }
  }
  const commands = (request.command !== undefined && use.text?.typed) || [undefined]
  const isAllowed = commands.every((command) => {
    const last = rules.findLast((rule) => appliesTo(rule, use, command))
    return last ? last.effect === "allow" : isAllowedBy(mode, request)
  })
  return { effect: isAllowed && !denials.includes("maybe") ? "allow" : "ask" }
}

/** True if a change that was made without asking must be undone. `existed` is true if the file already existed. */
export function isForbiddenChange(policy: PermissionPolicy, path: string, { existed }: { existed: boolean }): boolean {
  const tools = existed ? (["edit", "write"] as const) : (["write"] as const)
  return tools.some((tool) => decidePermission(policy, { tool, name: tool, paths: [path] }).effect === "deny")
}

/** True if this policy can forbid changes, so that they must be undone. */
export function forbidsChanges({ mode, rules }: PermissionPolicy): boolean {
  const concerns = ({ tool, effect }: PermissionRule) => effect === "deny" && ["edit", "write", "any"].includes(tool)
  return mode === "plan" || rules.some(concerns)
}

/**
 * Returns the mode to start a program in. If a rule may deny a tool use or require asking about it, returns a mode that
 * makes the program ask.
 */
export function startMode({ mode, rules }: PermissionPolicy): PermissionMode {
  return mode === "bypass" && rules.some(({ effect }) => effect !== "allow") ? "ask" : mode
}

/**
 * Creates a rule that allows this tool use from now on. For a command, the rule covers only this command, or all
 * commands of the same kind if they can't run other programs. For a file, the rule covers all ordinary files in the
 * worktree, or only this file if it isn't an ordinary file. Undefined if no rule can describe the tool use exactly.
 */
export function ruleFor({
  tool,
  name,
  command,
  paths = [],
  incomplete,
}: PermissionRequest): PermissionRule | undefined {
  if (incomplete || (tool === "bash" && !command)) return undefined
  if (command !== undefined) return commandRule(tool, command)
  const [special, ...others] = paths.filter((path) => !isOrdinary(path))
  if (special !== undefined) {
    return others.length > 0 || special.includes("*") ? undefined : { tool, path: special, effect: "allow" }
  }
  if (paths.length > 0 || tool === "glob" || tool === "grep") return { tool, path: "**", effect: "allow" }
  return tool === "mcp" || tool === "other" ? { tool, name, effect: "allow" } : undefined
}

/**
 * Git commands that have no options that name a program. They can still run hooks, and programs named in git's config.
 */
const PREFIXES = new Set(["git add", "git commit", "git status", "git stash", "git switch", "git restore"])

function commandRule(tool: PermissionRule["tool"], command: string): PermissionRule | undefined {
  if (command.length > MAX_RULE_COMMAND_CHARS) return undefined
  const prefix = plainWords(command)?.slice(0, 2).join(" ") ?? ""
  if (PREFIXES.has(prefix)) return { tool, command: prefix, effect: "allow" }
  return { tool, command: command.trim(), exact: true, effect: "allow" }
}

function isAllowedBy(mode: PermissionMode, request: PermissionRequest): boolean {
  if (mode === "bypass" || isSafeRead(request)) return true
  const { tool, paths = [], incomplete } = request
  return mode === "accept_edits" && EDITS.has(tool) && !incomplete && paths.length > 0 && paths.every(isOrdinary)
}

/** True for reads inside the worktree. A search without a path searches the worktree. */
function isSafeRead({ tool, paths = [], incomplete }: PermissionRequest): boolean {
  return READS.has(tool) && !incomplete && (tool !== "read" || paths.length > 0) && paths.every(isInside)
}

/** True if a path is inside the worktree: it is relative and doesn't lead above the worktree. */
function isInside(path: string): boolean {
  return !/^[/~]/.test(path) && normalize(path).split("/")[0] !== ".."
}

function isOrdinary(path: string): boolean {
  return isInside(path) && !normalize(path).split("/").some(isProtectedName)
}

interface Use {
  request: PermissionRequest
  /** The request's command, parsed. Undefined if there is no command, or if it can't be parsed. */
  text: CommandText | undefined
}

/** Decides whether a deny or ask rule applies to a tool use. It applies if at least one file or command matches. */
function touches(rule: PermissionRule, use: Use): Touch {
  const touch = [touchesTool(rule, use), touchesText(rule, use), touchesPaths(rule, use)]
  return touch.includes("no") ? "no" : touch.includes("maybe") ? "maybe" : "yes"
}

/**
 * Compares a rule's tool with the requested tool. An unknown tool may have any effect. An edit may create a file, and a
 * write may change an existing file.
 */
function touchesTool({ tool: wanted, name: wantedName }: PermissionRule, { request }: Use): Touch {
  const { tool, name, incomplete } = request
  const isUnknown = tool === "other" && incomplete === true
  if (wantedName !== undefined && wantedName !== name) return isUnknown ? "maybe" : "no"
  if (wanted === "any" || wanted === tool || (wanted === "write" && tool === "edit")) return "yes"
  return isUnknown || (wanted === "edit" && tool === "write") ? "maybe" : "no"
}

function touchesText({ command: wanted, exact }: PermissionRule, { request, text }: Use): Touch {
  const { tool, command, incomplete } = request
  if (wanted === undefined) return "yes"
  if (!command) return tool === "bash" || (tool === "other" && incomplete) ? "maybe" : "no"
  if (command.trim() === wanted.trim()) return "yes"
  return exact && !incomplete ? "no" : touchesCommand(text, wanted)
}

const WITH_FILES: ReadonlySet<string> = new Set([...READS, ...EDITS])

function touchesPaths({ path: wanted }: PermissionRule, { request }: Use): Touch {
  const { tool, incomplete } = request
  if (wanted === undefined) return "yes"
  const paths = request.paths ?? (tool === "glob" || tool === "grep" ? ["."] : [])
  if (paths.some((one) => matchesPath(wanted.split("/"), normalize(one).split("/"), { isDenial: true }))) return "yes"
  const isMissing = incomplete === true || (paths.length === 0 && WITH_FILES.has(tool))
  return isMissing && (WITH_FILES.has(tool) || tool === "other") ? "maybe" : "no"
}

/**
 * True if a rule decides about one command, or about a tool use that isn't a command. An allow rule must cover the tool
 * use completely.
 */
function appliesTo(rule: PermissionRule, use: Use, command: SimpleCommand | undefined): boolean {
  if (rule.effect === "deny") return false
  if (rule.effect === "ask") return touches(rule, use) !== "no"
  const { tool, name, paths = [], incomplete } = use.request
  if (rule.tool !== "any" && rule.tool !== tool) return false
  if (rule.name !== undefined && rule.name !== name) return false
  if (incomplete && (rule.command !== undefined || rule.path !== undefined)) return false
  if (rule.command !== undefined && !allowsCommand(rule, rule.command, use, command)) return false
  const { path } = rule
  if (path === undefined) return true
  const searched = paths.length === 0 && (tool === "glob" || tool === "grep") ? ["."] : paths
  const inRule = (one: string) => matchesPath(path.split("/"), normalize(one).split("/"), { isDenial: false })
  return searched.length > 0 && searched.every((one) => one === path || (isInside(one) && inRule(one)))
}

function allowsCommand(
  { exact }: PermissionRule,
  wanted: string,
  use: Use,
  command: SimpleCommand | undefined,
): boolean {
  if (use.request.command?.trim() === wanted.trim()) return true
  return !exact && command !== undefined && coversCommand(command, wanted)
}
