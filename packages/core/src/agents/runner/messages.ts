import * as z from "zod"
import { MockSettings } from "../clis/mock-settings.ts"
import { LeftLogin, LoginAnswer, LoginRequest } from "./login-schema.ts"

const RunnerAccount = z.object({
  api_key: z.string().nullable(),
  base_url: z.string().nullable(),
  /** The name of the account, where it works with its agent's own log-in: the runner asks for that. */
  login: z.string().optional(),
  /** A folder name for the account's own home, the same for as long as the account lives. */
  home: z.string().regex(/^[\w.-]{1,128}$/),
  /** The limits that a mock agent simulates. */
  mock: MockSettings.optional(),
})

/** A run to execute, as often as one likes: the claim decides. */
export const RunMessage = z.object({
  type: z.literal("run"),
  run_id: z.string(),
  expected_generation: z.int().nonnegative(),
  account: RunnerAccount,
  /** The accounts that may go on with it, by their names. */
  fallbacks: z.record(z.string(), RunnerAccount).optional(),
})

/** Messages of the launcher to a runner, one JSON object a line. Not by its environment: that is for anyone to read. */
export const ToRunner = z.discriminatedUnion("type", [
  /** The first line. */
  z.object({
    type: z.literal("start"),
    sid: z.string(),
    /** The key to what is sealed for this session's runners; without it, they have no credentials for its repository. */
    key: z.base64().optional(),
    /** The folder of records, blobs, homes and repositories. */
    data_folder: z.string(),
    /** Whether people's own repositories on this machine may be worked in. */
    local: z.boolean(),
    /** The hosts that may be reached beside public ones. */
    allowed_hosts: z.array(z.string()).default(["*"]),
    /** The time without work after which it parks. */
    idle_ms: z.int().positive().default(300_000),
    /** The time without an answer after which an agent that asks is stopped until there is one. */
    park_after_ms: z.int().positive().optional(),
    /** Retention of the session, and so of kept work. */
    retention_ms: z.number().positive().optional(),
    /** The longest time for which changing work is only on the runner's own disk. */
    save_every_ms: z.int().positive().optional(),
    /** Limit of a git command, if not the usual one. */
    git_within_ms: z.int().positive().optional(),
    verbose_errors: z.boolean().default(false),
    /** The log-ins that earlier runners of the session took and never gave back. */
    left_logins: z.array(LeftLogin).default([]),
    /** Folders in which agents' programs may be, before those of the path. */
    programs: z.array(z.string()).default([]),
  }),
  RunMessage,
  /** Another session waits for its place: it leaves as soon as it has nothing to do. */
  z.object({ type: z.literal("yield") }),
  /** A log has grown: there is no need to wait for the next look. */
  z.object({ type: z.literal("wake"), log: z.string() }),
  /** The answer to a request about a log-in; absent where there can be none now. */
  z.object({ type: z.literal("login"), id: z.int(), answer: LoginAnswer.optional() }),
])
export type ToRunner = z.infer<typeof ToRunner>

/** Messages of a runner to its launcher. Hints, all but the requests about log-ins: the log has what counts. */
export const FromRunner = z.discriminatedUnion("type", [
  /** It serves the session: this is the inbox that it reads. */
  z.object({ type: z.literal("claimed"), generation: z.int().positive() }),
  /** It heard of this run. One that was sent and never accepted, when the runner has gone, must be sent again. */
  z.object({ type: z.literal("accepted"), run_id: z.string() }),
  z.object({ type: z.literal("wake"), log: z.string() }),
  /** The socket at which the project's own server is reached; null once it is gone. */
  z.object({ type: z.literal("preview"), socket: z.string().nullable() }),
  /** A run of its session has moved: its due hint, its launch and its caller's key are outside the session, and so the server's. */
  z.object({ type: z.literal("reconcile"), run_id: z.string() }),
  /** A request about a log-in, which is sealed where no runner can read. The answer has the same id. */
  z.object({ type: z.literal("login"), id: z.int(), request: LoginRequest }),
])
export type FromRunner = z.infer<typeof FromRunner>
