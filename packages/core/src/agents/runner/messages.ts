import * as z from "zod"
import { AddedAgent } from "../clis/added-schema.ts"
import { MockSettings } from "../clis/mock-settings.ts"
import { LeftLogin, LoginAnswer, LoginRequest } from "./login-schema.ts"

const RunnerAccount = z.object({
  api_key: z.string().nullable(),
  base_url: z.string().nullable(),
  /**
   * Name of the account. Only set if the account uses its agent's own login. The runner requests the login separately.
   */
  login: z.string().optional(),
  /** Models of Amazon Bedrock to use with the runner's credentials, if there is no key. */
  bedrock: z.object({ models: z.array(z.string()), region: z.string() }).optional(),
  /** Name of the account's home folder. The name never changes. */
  home: z.string().regex(/^[\w.-]{1,128}$/),
  /** Limits simulated by a mock agent. */
  mock: MockSettings.optional(),
  /** Settings of a program that the operator added. */
  added: AddedAgent.optional(),
})

/** A run to execute. The message can be sent repeatedly, because only one claim succeeds. */
export const RunMessage = z.object({
  type: z.literal("run"),
  run_id: z.string(),
  expected_generation: z.int().nonnegative(),
  account: RunnerAccount,
  /** Accounts that may take over the run, by name. */
  fallbacks: z.record(z.string(), RunnerAccount).optional(),
})

/**
 * Messages from the launcher to a runner, one JSON object per line. They aren't passed in the environment, because
 * other processes can read the environment.
 */
export const ToRunner = z.discriminatedUnion("type", [
  /** First line, which configures the runner. */
  z.object({
    type: z.literal("start"),
    sid: z.string(),
    /** Key that encrypts data for this session's runners. Runners without it get no repository credentials. */
    key: z.base64().optional(),
    /** Folder that contains records, blobs, homes and repositories. */
    data_folder: z.string(),
    /** Services that store records and blobs instead of `data_folder`. */
    services: z
      .object({ table: z.string().optional(), bucket: z.string().optional(), path_style: z.boolean() })
      .default({ path_style: false }),
    /** True if agents may work in the user's own repositories on this machine. */
    local: z.boolean(),
    /** Hosts that agents may reach in addition to public hosts. */
    allowed_hosts: z.array(z.string()).default(["*"]),
    /** Time without work after which the runner parks. */
    idle_ms: z.int().positive().default(300_000),
    /** Maximum time that an agent waits for an answer. After that, it is stopped until the answer arrives. */
    park_after_ms: z.int().positive().optional(),
    /** Retention period of the session and its preserved work. */
    retention_ms: z.number().positive().optional(),
    /** Maximum time that changes may exist only on the runner's disk. */
    save_every_ms: z.int().positive().optional(),
    /** Time limit for a git command, if it differs from the default. */
    git_within_ms: z.int().positive().optional(),
    verbose_errors: z.boolean().default(false),
    /** Logins that earlier runners of this session took and didn't give back. */
    left_logins: z.array(LeftLogin).default([]),
    /** Folders to search for agents' programs before the PATH. */
    programs: z.array(z.string()).default([]),
  }),
  RunMessage,
  /** Another session is waiting for this runner's slot. The runner exits as soon as it is idle. */
  z.object({ type: z.literal("yield") }),
  /** A log has new events, so the runner doesn't have to wait for its next poll. */
  z.object({ type: z.literal("wake"), log: z.string() }),
  /** Answer to a login request. `answer` is absent if logins are unavailable. */
  z.object({ type: z.literal("login"), id: z.int(), answer: LoginAnswer.optional() }),
])
export type ToRunner = z.infer<typeof ToRunner>

/**
 * Messages from a runner to its launcher. Except for login requests, they are only hints, because the log is
 * authoritative.
 */
export const FromRunner = z.discriminatedUnion("type", [
  /** The runner serves the session, and reads the inbox of this generation. */
  z.object({ type: z.literal("claimed"), generation: z.int().positive() }),
  /**
   * The runner knows about this run. If the runner ends without accepting a run that was sent, the run must be sent
   * again.
   */
  z.object({ type: z.literal("accepted"), run_id: z.string() }),
  z.object({ type: z.literal("wake"), log: z.string() }),
  /** Socket of the project's server. Null once the server has ended. */
  z.object({ type: z.literal("preview"), socket: z.string().nullable() }),
  /**
   * A run has changed. The server must update the run's due hint, its launch and the caller's key, which are stored
   * outside the session.
   */
  z.object({ type: z.literal("reconcile"), run_id: z.string() }),
  /**
   * Login request. The launcher answers it, because logins are encrypted and runners can't decrypt them. The answer has
   * the same ID.
   */
  z.object({ type: z.literal("login"), id: z.int(), request: LoginRequest }),
])
export type FromRunner = z.infer<typeof FromRunner>
