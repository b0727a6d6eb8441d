import * as z from "zod"

/** A file of a log-in has no more; none of any CLI is so large. */
export const LOGIN_BYTES = 64 * 1024

const Files = z.record(z.string(), z.string())

/** The log-in as the agent's program has renewed it, and the revision from which it did. */
const Refreshed = z.object({ files: Files, revision: z.string() })

const about = {
  run_id: z.string().min(1).max(100),
  /** The account's name. */
  account: z.string().min(1).max(100),
  /** A name for this use of the log-in. */
  holder: z.string().min(1).max(100),
}

/** The request of a runner about the log-in of an account of one of its session's runs. */
export const LoginRequest = z.discriminatedUnion("act", [
  /** Takes it for a program, if nobody else has it. */
  z.object({ act: z.literal("take"), ...about }),
  /** Keeps it, and stores what has become of it. */
  z.object({ act: z.literal("keep"), ...about, refreshed: Refreshed.optional() }),
  /** Gives it back, in the same way. */
  z.object({ act: z.literal("release"), ...about, refreshed: Refreshed.optional() }),
])
export type LoginRequest = z.infer<typeof LoginRequest>

export const LoginAnswer = z.discriminatedUnion("state", [
  /** The log-in that is stored now, with its files for who has just taken it. */
  z.object({ state: z.literal("held"), revision: z.string(), files: Files.optional() }),
  /** Another task has it, until this time at least if its runner doesn't come back. */
  z.object({ state: z.literal("busy"), until: z.iso.datetime() }),
  /** The account has no log-in any more, or not for this run. */
  z.object({ state: z.literal("gone") }),
])
export type LoginAnswer = z.infer<typeof LoginAnswer>
