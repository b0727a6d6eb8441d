import * as z from "zod"
import { CliId } from "../clis/schema.ts"

/** A file of a log-in has no more; none of any CLI is so large. */
export const LOGIN_BYTES = 64 * 1024

const Files = z.record(z.string(), z.string())

/** The log-in as the agent's program has renewed it, and the revision from which it did. */
const Refreshed = z.object({ files: Files, revision: z.string() })

const about = {
  run_id: z.string().min(1).max(100),
  /** The account's name. */
  account: z.string().min(1).max(100),
  /** A name for this use of the log-in, which nobody else can guess. */
  holder: z.string().min(1).max(100),
}

/** The program whose home a log-in is laid into, and the user whose home that is. */
export const LoginHome = z.object({
  cli: CliId,
  worktree: z.string().min(1).max(200),
  repository: z.enum(["own", "machine"]),
})
export type LoginHome = z.infer<typeof LoginHome>

const again = {
  ...about,
  /** The account's id, as in the answer to who took the log-in. */
  id: z.string().min(1).max(100),
  refreshed: Refreshed.optional(),
}

/** The input of a run that logs in with an agent's own program, in a terminal, for an account. */
export const LoginInput = z.object({ account: z.string(), agent: CliId })
export type LoginInput = z.infer<typeof LoginInput>

/** The request of a runner about the log-in of an account of one of its session's runs. */
export const LoginRequest = z.discriminatedUnion("act", [
  /** Takes it for a program, if nobody else has it. */
  z.object({ act: z.literal("take"), ...about, home: LoginHome }),
  /** Keeps it, and stores what has become of it. */
  z.object({ act: z.literal("keep"), ...again }),
  /** Gives it back, in the same way, once it is gone from the home. */
  z.object({ act: z.literal("release"), ...again }),
  /** Gives the account the one that a program has just made, in the run that was to do so. */
  z.object({ act: z.literal("give"), run_id: about.run_id, account: about.account, files: Files }),
])
export type LoginRequest = z.infer<typeof LoginRequest>

/** A log-in that a runner took and never gave back, with the revision that was stored of it last. */
export const LeftLogin = z.object({ ...about, id: z.string(), home: LoginHome, revision: z.string() })
export type LeftLogin = z.infer<typeof LeftLogin>

export const LoginAnswer = z.discriminatedUnion("state", [
  /** The log-in that is stored now, with its files for who has just taken it. */
  z.object({ state: z.literal("held"), id: z.string(), revision: z.string(), files: Files.optional() }),
  /** Another task has it, until this time at least if its runner doesn't come back. */
  z.object({ state: z.literal("busy"), until: z.iso.datetime() }),
  /** The account has the log-in that was given. */
  z.object({ state: z.literal("given") }),
  /** The account has no log-in any more. */
  z.object({ state: z.literal("gone") }),
  /** It isn't for this run, or the run is over. */
  z.object({ state: z.literal("refused") }),
])
export type LoginAnswer = z.infer<typeof LoginAnswer>
