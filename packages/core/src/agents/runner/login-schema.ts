import * as z from "zod"
import { CliId } from "../clis/clis.ts"

/** Maximum size of a login file. No CLI's login files are larger. */
export const LOGIN_BYTES = 64 * 1024

const Files = z.record(z.string(), z.string())

/** The login after the agent's program renewed it, and its revision before that. */
const Refreshed = z.object({ files: Files, revision: z.string() })

const about = {
  run_id: z.string().min(1).max(100),
  account: z.string().min(1).max(100),
  /** Secret that identifies this use of the login. */
  holder: z.string().min(1).max(100),
}

/** Home folder to which a login is written, and the program that uses the login. */
export const LoginHome = z.object({
  cli: CliId,
  worktree: z.string().min(1).max(200),
  repository: z.enum(["own", "machine"]),
})
export type LoginHome = z.infer<typeof LoginHome>

const again = {
  ...about,
  /** Account ID, from the answer to `take`. */
  id: z.string().min(1).max(100),
  refreshed: Refreshed.optional(),
}

/** Input of a run that logs in to an account, with the agent's own program in a terminal. */
export const LoginInput = z.object({ account: z.string(), agent: CliId })
export type LoginInput = z.infer<typeof LoginInput>

/** A runner's request about the login of an account that one of its session's runs uses. */
export const LoginRequest = z.discriminatedUnion("act", [
  /** Takes the login for a program, if no other task is using it. */
  z.object({ act: z.literal("take"), ...about, home: LoginHome }),
  /** Renews the lease. If the login was renewed, stores it. */
  z.object({ act: z.literal("keep"), ...again }),
  /** Gives the login back after it was removed from the home, and stores a renewed login. */
  z.object({ act: z.literal("release"), ...again }),
  /** Stores a new login in the account. A program created the login in its login run. */
  z.object({ act: z.literal("give"), run_id: about.run_id, account: about.account, files: Files }),
])
export type LoginRequest = z.infer<typeof LoginRequest>

/** A login that a runner took and didn't give back, and the revision that was stored last. */
export const LeftLogin = z.object({ ...about, id: z.string(), home: LoginHome, revision: z.string() })
export type LeftLogin = z.infer<typeof LeftLogin>

export const LoginAnswer = z.discriminatedUnion("state", [
  /** The stored login, with its files if it was just taken. */
  z.object({ state: z.literal("held"), id: z.string(), revision: z.string(), files: Files.optional() }),
  /**
   * Another task is using the login. If that task's runner is lost, the login remains busy at least until this time.
   */
  z.object({ state: z.literal("busy"), until: z.iso.datetime() }),
  /** The new login has been stored in the account. */
  z.object({ state: z.literal("given") }),
  /** The account no longer has a login. */
  z.object({ state: z.literal("gone") }),
  /** The login doesn't belong to this run, or the run has ended. */
  z.object({ state: z.literal("refused") }),
])
export type LoginAnswer = z.infer<typeof LoginAnswer>
