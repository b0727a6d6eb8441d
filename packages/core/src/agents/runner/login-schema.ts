import * as z from "zod"
import { CliId } from "../clis/clis.ts"

/** Maximum size of a login file. No CLI's login files are larger. */
export const LOGIN_BYTES = 64 * 1024

const Files = z.record(z.string(), z.string())

/** Login that the agent's program has renewed, and its revision before the renewal. */
const Refreshed = z.object({ files: Files, revision: z.string() })

const about = {
  run_id: z.string().min(1).max(100),
  account: z.string().min(1).max(100),
  /** Secret that identifies the task that uses the login. */
  holder: z.string().min(1).max(100),
}

/** Home folder that a login is written to, and the program that uses the login. */
export const LoginHome = z.object({
  cli: CliId,
  worktree: z.string().min(1).max(200),
  repository: z.enum(["own", "machine"]),
})
export type LoginHome = z.infer<typeof LoginHome>

const again = {
  ...about,
  /** Account ID from the answer to `take`. */
  id: z.string().min(1).max(100),
  refreshed: Refreshed.optional(),
}

/** Input of a login run. A person logs in to an account with the agent's own program, in a terminal. */
export const LoginInput = z.object({ account: z.string(), agent: CliId })
export type LoginInput = z.infer<typeof LoginInput>

/** A runner's request about the login of an account. A run in the runner's session must use this account. */
export const LoginRequest = z.discriminatedUnion("act", [
  /** Takes the login for a program, unless another task is using it. */
  z.object({ act: z.literal("take"), ...about, home: LoginHome }),
  /** Extends the lease. If the program has renewed the login, stores the new one. */
  z.object({ act: z.literal("keep"), ...again }),
  /**
   * Gives the login back after it has been removed from the home. If the program has renewed the login, stores the new
   * one.
   */
  z.object({ act: z.literal("release"), ...again }),
  /** Stores the new login that a program created in a login run. */
  z.object({ act: z.literal("give"), run_id: about.run_id, account: about.account, files: Files }),
])
export type LoginRequest = z.infer<typeof LoginRequest>

/** A login that a runner took and didn't give back, and the last revision that was stored. */
export const LeftLogin = z.object({ ...about, id: z.string(), home: LoginHome, revision: z.string() })
export type LeftLogin = z.infer<typeof LeftLogin>

export const LoginAnswer = z.discriminatedUnion("state", [
  /** The task has the login. The files are included if the task has just taken it. */
  z.object({ state: z.literal("held"), id: z.string(), revision: z.string(), files: Files.optional() }),
  /** Another task is using the login. If that task's runner is lost, the login stays busy at least until this time. */
  z.object({ state: z.literal("busy"), until: z.iso.datetime() }),
  /** The new login has been stored in the account. */
  z.object({ state: z.literal("given") }),
  /** The account no longer has a login. */
  z.object({ state: z.literal("gone") }),
  /** The login doesn't belong to this run, or the run has ended. */
  z.object({ state: z.literal("refused") }),
])
export type LoginAnswer = z.infer<typeof LoginAnswer>
