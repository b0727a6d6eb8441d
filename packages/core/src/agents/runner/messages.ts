import * as z from "zod"
import { MockSettings } from "../clis/mock-settings.ts"
import { LeftLogin, LoginAnswer, LoginRequest } from "./login-schema.ts"

const RunnerAccount = z.object({
  api_key: z.string().nullable(),
  base_url: z.string().nullable(),
  /** Name of the account. Only set if the account uses its agent's own login, which the runner requests separately. */
  login: z.string().optional(),
  /** Name of the account's home folder. The name never changes. */
  home: z.string().regex(/^[\w.-]{1,128}$/),
  /** Limits simulated by a mock agent. */
  mock: MockSettings.optional(),
})

/** A run to execute. Sending it repeatedly is safe, because only one claim succeeds. */
export const RunMessage = z.object({
  type: z.literal("run"),
  run_id: z.string(),
  expected_generation: z.int().nonnegative(),
  account: RunnerAccount,
  /** Accounts that may take over, by name. */
  fallbacks: z.record(z.string(), RunnerAccount).optional(),
})

/**
 * Messages from the launcher to a runner, one JSON object per line. They aren't passed in the environment, because
 * other processes can read it.
 */
export const ToRunner = z.discriminatedUnion("type", [
  /** First line, which configures the runner. */
  z.object({
    type: z.literal("start"),
    sid: z.string(),
    /** Key for data sealed for this session's runners. Without it, the runners get no repository credentials. */
    key: z.base64().optional(),
    /** Folder of records, blobs, homes and repositories. */
    data_folder: z.string(),
    /** Services that store records and blobs in place of `data_folder`. */
    services: z
      .object({ table: z.string().optional(), bucket: z.string().optional(), path_style: z.boolean() })
      .default({ path_style: false }),
    /** True if agents may work in people's own repositories on this machine. */
    local: z.boolean(),
    /** Hosts that may be reached in addition to public ones. */
    allowed_hosts: z.array(z.string()).default(["*"]),
    /** Idle time before the runner parks. */
    idle_ms: z.int().positive().default(300_000),
    /** Maximum time that an agent waits for an answer. After that, the agent is stopped until the answer arrives. */
    park_after_ms: z.int().positive().optional(),
    /** Retention period of the session, which also applies to preserved work. */
    retention_ms: z.number().positive().optional(),
    /** Maximum time that changes may exist only on the runner's disk. */
    save_every_ms: z.int().positive().optional(),
    /** Time limit for a git command, if not the default. */
    git_within_ms: z.int().positive().optional(),
    verbose_errors: z.boolean().default(false),
    /** Logins that earlier runners of the session took and didn't give back. */
    left_logins: z.array(LeftLogin).default([]),
    /** Folders that are searched for agents' programs before the PATH. */
    programs: z.array(z.string()).default([]),
  }),
  RunMessage,
  /** Another session is waiting for the runner's slot, so the runner exits as soon as it is idle. */
  z.object({ type: z.literal("yield") }),
  /** A log has grown, so the runner doesn't have to wait for its next poll. */
  z.object({ type: z.literal("wake"), log: z.string() }),
  /** Answer to a login request. `answer` is absent if logins are unavailable. */
  z.object({ type: z.literal("login"), id: z.int(), answer: LoginAnswer.optional() }),
])
export type ToRunner = z.infer<typeof ToRunner>

/**
 * Messages from a runner to its launcher. All except login requests are only hints, because the log is authoritative.
 */
export const FromRunner = z.discriminatedUnion("type", [
  /** The runner serves the session and reads this inbox. */
  z.object({ type: z.literal("claimed"), generation: z.int().positive() }),
  /**
   * The runner knows about this run. If a run was sent but not accepted before the runner ended, it must be sent again.
   */
  z.object({ type: z.literal("accepted"), run_id: z.string() }),
  z.object({ type: z.literal("wake"), log: z.string() }),
  /** Socket of the project's server, or null after the server has ended. */
  z.object({ type: z.literal("preview"), socket: z.string().nullable() }),
  /**
   * A run has changed. The server updates the run's due hint, its launch and the caller's key, which are stored outside
   * the session.
   */
  z.object({ type: z.literal("reconcile"), run_id: z.string() }),
  /**
   * Login request. The launcher answers it, because logins are sealed and runners can't read them. The answer has the
   * same ID.
   */
  z.object({ type: z.literal("login"), id: z.int(), request: LoginRequest }),
])
export type FromRunner = z.infer<typeof FromRunner>
