import { execFile } from "node:child_process"
import { tmpdir } from "node:os"
import { promisify } from "node:util"
import { AppError } from "@switchyard/core/errors"
import type { ProgramUser } from "../processes/agent-user.ts"
import type { Supervisor } from "../processes/supervisor.ts"
import { bubblewrapCommand } from "./bubblewrap.ts"
import type { ConfinedPlace } from "./confined-place.ts"
import { seatbeltCommand } from "./seatbelt.ts"

export interface Command {
  file: string
  args: string[]
}

/** Confines programs to some of the machine's files, using the sandbox that the machine supports. */
export interface Confinement {
  /** Sandbox that is used. Undefined if there is none. */
  means?: "bubblewrap" | "sandbox-exec"
  /**
   * Builds the command that runs a program in the sandbox. Throws `agents_unavailable` if a sandbox is required but
   * missing.
   */
  confine(place: ConfinedPlace, program: Command): Command
}

/** `auto` confines programs if the machine supports it. `require` refuses to run them if the machine doesn't. */
export const CONFINEMENT_MODES = ["off", "auto", "require"] as const
export type ConfinementMode = (typeof CONFINEMENT_MODES)[number]

/**
 * Parses the setting for agents. By default, agents that run as separate users are confined. Agents that run as the
 * runner's user aren't, because their tools may be anywhere in that user's home.
 */
export function confinementMode(setting: string | undefined, user: ProgramUser | undefined): ConfinementMode {
  const mode = CONFINEMENT_MODES.find((each) => each === setting)
  if (setting && !mode) throw new Error(`SWITCHYARD_AGENT_SANDBOX must be off, auto or require, not ${setting}.`)
  return mode ?? (user ? "auto" : "off")
}

/** Parses the setting for project code. By default, this code is confined, because it is unreviewed. */
export function checkConfinementMode(setting: string | undefined, user: ProgramUser | undefined): ConfinementMode {
  return setting ? confinementMode(setting, user) : "auto"
}

export interface ConfinementOptions {
  mode: ConfinementMode
  /** Paths of bubblewrap, and of Perl, which the sandbox also needs. */
  bwrap: string | undefined
  perl: string | undefined
  user?: ProgramUser
  supervisor?: Supervisor | undefined
}

/**
 * Opens the machine's sandbox after a test run. The test is necessary because a system may have the program but forbid
 * the namespaces that it needs.
 */
export async function openConfinement(options: ConfinementOptions): Promise<Confinement> {
  const { mode, user, supervisor } = options
  if (mode === "off") return { confine: (_, program) => program }
  const means = meansOf(options)
  if (means && (await works(means.confine, { user, supervisor }))) return means
  return {
    confine(_, program) {
      if (mode === "auto") return program
      throw new AppError(
        "agents_unavailable",
        "Agents may run only in a sandbox here, but this machine doesn't support one.",
      )
    },
  }
}

function meansOf({ bwrap, perl }: ConfinementOptions): Confinement | undefined {
  if (process.platform === "darwin") return { means: "sandbox-exec", confine: seatbeltCommand }
  if (bwrap === undefined || perl === undefined) return undefined
  return { means: "bubblewrap", confine: (place, program) => bubblewrapCommand({ bwrap, perl }, place, program) }
}

/** Returns true if a program that does nothing can run in the same sandbox as an agent's program. */
async function works(
  confine: Confinement["confine"],
  { user, supervisor }: Pick<ConfinementOptions, "user" | "supervisor">,
): Promise<boolean> {
  const place = { cwd: "/", writable: [tmpdir()], readable: [] }
  const confined = confine(place, { file: "/bin/sh", args: ["-c", "exec true"] })
  const { file, args } = supervisor?.command({ mark: "trial.0", user }, confined.file, confined.args) ?? confined
  const own = supervisor || !user ? {} : { uid: user.uid, gid: user.gid }
  return promisify(execFile)(file, args, { ...own, cwd: "/", env: { PERL_BADLANG: "0" } }).then(
    () => true,
    () => false,
  )
}
