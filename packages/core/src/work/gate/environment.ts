import type { ProjectFiles } from "./check.ts"
import { findChecks } from "./find-checks.ts"
import { isAtLeast } from "./node-project.ts"
import {
  type CheckLimits,
  PROCESS_MEMORY_BYTES,
  type RepositoryChecks,
  SERVER_ERROR_STATUS,
  START_LIMIT_SECONDS,
  USUAL_LIMIT_SECONDS,
} from "./schema.ts"

/** The machine that runs checks. */
export interface CheckMachine {
  /** Operating system and its version. */
  system: string
  /** Installed languages and build tools by program, with their versions if known. */
  programs: { [program: string]: string | null }
}

/** Returns the machine that runs checks, or undefined if it is unknown. */
export type ReadCheckMachine = () => Promise<CheckMachine | undefined>

export interface EnvironmentFacts {
  /** Undefined if the machine that runs checks is unknown. */
  machine: CheckMachine | undefined
  /** Commands and limits set by a person. */
  commands: RepositoryChecks | undefined
  /** Date of the work, such as `2026-01-31`. */
  today: string
}

/**
 * Describes to a model how its result will be run, including the limits that the check enforces. The date comes last,
 * so that everything before it stays the same from day to day and can be cached.
 */
export function environmentSection({ machine, commands = {}, today }: EnvironmentFacts): string {
  const { start = START_LIMIT_SECONDS } = commands.limits_seconds ?? {}
  const lines = [
    ...(machine ? [`System: ${machine.system}. Installed: ${installed(machine)}. Count on nothing else.`] : []),
    `Commands, on a clean copy: ${commandsText(commands)}. A project without one of these skips it.`,
    `Time limits: ${limitsText(commands.limits_seconds)}. Memory: ${PROCESS_MEMORY_BYTES / 2 ** 30} GB a process.`,
    `Network: ${commands.install === undefined ? "only the install reaches package registries" : "none"}. Builds, tests and the started program reach nothing but 127.0.0.1, and the page's browser no other site.`,
    "Install scripts of packages never run. A package that compiles or downloads something when installed doesn't work, so use one only if the request names it.",
    `Start: within ${start} s, the program answers \`GET /\` on the port in PORT with a status below ${SERVER_ERROR_STATUS}, keeps running, or exits with code 0. Its first page loads without errors.`,
    `Data: unless the request names a database, use ${database(machine)}. No database server is running.`,
    `Today is ${today}.`,
  ]
  return ["The finished project is checked in this environment:", ...lines.map((line) => `- ${line}`)].join("\n")
}

/** First version of Node that offers `node:sqlite` without a flag. */
const SQLITE_SINCE = "22.13.0"

function database(machine: CheckMachine | undefined): string {
  const node = machine?.programs.node
  return node && isAtLeast(node, SQLITE_SINCE) ? "`node:sqlite` (no flag needed) or a file" : "a file"
}

const NAMES: Record<string, string> = { node: "Node", python3: "Python", go: "Go", cargo: "Rust", java: "Java" }

function installed({ programs }: CheckMachine): string {
  const named = Object.entries(programs).map(([program, version]) =>
    [NAMES[program] ?? program, ...(version === null ? [] : [version])].join(" "),
  )
  return named.length > 0 ? named.join(", ") : "no language or build tool"
}

/** A sample package that has every script, used to find the commands for a Node project. */
const PACKAGE = JSON.stringify({
  scripts: { build: "x", lint: "x", test: "x", start: "x" },
  dependencies: { x: "1" },
})

/**
 * Describes the commands for a Node project, including those set by a person, and mentions the rule for other
 * languages.
 */
function commandsText(commands: RepositoryChecks): string {
  const checks = findChecks(oneFile("package.json", PACKAGE), commands)
  const named = checks.map(({ command, set }) => `\`${command}\`${set ? " (set by the user)" : ""}`)
  return `${named.join(", ")}, or the usual ones of another language`
}

function oneFile(path: string, text: string): ProjectFiles {
  return { has: (other) => other === path, text: (other) => (other === path ? text : undefined), paths: () => [path] }
}

function limitsText({ start: _, ...limits }: CheckLimits = {}): string {
  const own = Object.entries(limits).map(([name, seconds]) => `${name} ${seconds} s`)
  return [...own, `${own.length > 0 ? "every other command" : "each command"} ${USUAL_LIMIT_SECONDS} s`].join(", ")
}
