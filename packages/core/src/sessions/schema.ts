import * as z from "zod"
import { Repository } from "../agents/tasks/schema.ts"
import { WorktreeName } from "../files/worktrees/names-schema.ts"
import { Saving } from "../files/worktrees/schema.ts"
import { ONE_LINE } from "../people/access/schema.ts"
import { Picture } from "../work/gate/schema.ts"
import { RunKind } from "../work/runs/kinds.ts"
import { RunStatus } from "../work/runs/schema.ts"

/**
 * Status of a session. `busy`: a run is active. `waiting`: a run resumes on its own at `waits_until`. `needs_input`: a
 * run waits for a person. Otherwise, the outcome of the newest run, or `idle` if that run was stopped or there is none.
 */
export const SessionStatus = z.enum(["idle", "busy", "waiting", "needs_input", "done", "error"])
export type SessionStatus = z.infer<typeof SessionStatus>

/** Column of a session on the studio's board. See `boardColumn` for the rules. */
export const BoardColumn = z.enum(["needs_you", "working", "review", "done"])
export type BoardColumn = z.infer<typeof BoardColumn>

/** Summary of a run, as shown with its session. */
export const SessionRun = z
  .object({
    run_id: z.string(),
    kind: RunKind,
    status: RunStatus,
    cancel_requested: z.boolean(),
    model: z.string(),
    prompt: z.string().describe("First line of its request, truncated to 80 characters"),
    created_at: z.iso.datetime(),
    first_seq: z.int().positive(),
    last_seq: z.int().positive().nullable().describe("Null until the run ends"),
  })
  .meta({ id: "SessionRun" })
export type SessionRun = z.infer<typeof SessionRun>

/** Session as shown in the API. */
export const Session = z
  .object({
    id: z.string().describe("Same as workspace_id in /workspace and /v1/runs"),
    name: z.string().describe("Given name, or else the project name of the first plan, or else the first request"),
    pinned: z.boolean().describe("Listed before all unpinned sessions"),
    archived: z.boolean().describe("Hidden from lists, unless they ask for archived sessions"),
    column: BoardColumn.describe(
      "Column on the studio's board: waiting for a person, working, finished with a result that no person has opened, or none of these",
    ),
    kind: z.enum(["build", "agent", "chat", "team"]).describe("Kind of its newest run"),
    status: SessionStatus,
    open_questions: z.int().nonnegative().describe("Number of agents' questions without an answer"),
    question: z
      .object({ question_id: z.string(), title: z.string().describe("The question in one line") })
      .nullable()
      .describe("The open question that was asked first; null if there is none"),
    active: z.boolean().describe("True while a run is active"),
    paused: z.boolean().describe("True if a run is waiting for a certain time, or for a person to resume it"),
    resumable: z
      .boolean()
      .describe("True if a paused run can continue at once, or if no run is active and the last work can be continued"),
    waits_until: z.iso
      .datetime()
      .nullable()
      .describe("When a paused run continues by itself, for example after its account's limit resets; otherwise null"),
    created_at: z.iso.datetime(),
    last_activity: z.iso.datetime(),
    expires_at: z.iso
      .datetime()
      .describe("When the session and its files will be deleted if it isn't used before then"),
    first_seq: z.int().positive(),
    latest_seq: z.int().positive(),
    workspace_version: z.int().nonnegative().describe("0 before the first file"),
    file_count: z.int().nonnegative().nullable().describe("Null if unknown"),
    active_run: z.union([SessionRun, z.null()]),
    last_run: z.union([SessionRun, z.null()]).describe("Newest run, including the active one"),
    repository: z.string().nullable().describe("Repository that the agents work in; null for the session's own files"),
    project_path: z.string().nullable().describe("Same as repository"),
    task_description: z
      .string()
      .nullable()
      .describe("First line of the agents' newest task; null before the first task"),
    coding_account: z.string().nullable().describe("Account of that task; null for the server's own keys"),
    agent: z.string().nullable().describe("Name of the program that works on that task; null without one"),
    checks: z
      .enum(["passed", "failed", "not_run"])
      .describe("Result of the newest check or verification of the last run"),
    cost_usd: z.number().nullable().describe("Estimated model cost of all its runs; null if none is known"),
    changes: z
      .object({
        files: z.int().nonnegative(),
        additions: z.int().nonnegative(),
        deletions: z.int().nonnegative(),
      })
      .nullable()
      .describe("Size of the changes in its worktrees, as last reported by a runner; null if unknown"),
    has_worktree: z.boolean(),
    has_changes: z.boolean().describe("True if its worktree has changes to merge, as last reported by a runner"),
    unmerged_worktrees: z
      .array(WorktreeName)
      .describe("Worktrees with unmerged changes, which are removed if the session is deleted"),
    saving: Saving.optional().describe(
      "An agent's files that are still being saved to the session; absent if there are none",
    ),
    progress: z
      .object({ step: z.int().nonnegative(), total: z.int().nonnegative() })
      .nullable()
      .describe("Finished and total steps of the active run; null before it has a plan"),
    picture: z
      .union([Picture.extend({ version: z.int().nonnegative().describe("Version of the files") }), z.null()])
      .describe("Screenshot of its page, stored as a PNG artifact; null if no check has opened a page"),
  })
  .meta({ id: "Session" })
export type Session = z.infer<typeof Session>

export const SessionList = z
  .object({
    sessions: z.array(Session),
    total: z.int().nonnegative().describe("Number of sessions across all pages"),
    next: z.string().nullable().describe("Value of `before` for the next page; null on the last page"),
    open_questions: z.int().nonnegative().describe("Number of open questions in all of your sessions"),
  })
  .meta({ id: "SessionList" })
export type SessionList = z.infer<typeof SessionList>

export const FoundMessages = z
  .object({
    messages: z.array(
      z.object({
        session_id: z.string(),
        session_name: z.string(),
        part: z.enum(["prompt", "chat", "agent", "team"]).describe("Conversation that the message belongs to"),
        agent: z.string().nullable().describe("Name of the agent that received or wrote it"),
        by: z.enum(["person", "model"]),
        seq: z.int().positive(),
        ts: z.string(),
        excerpt: z.string().describe("Text around the match"),
      }),
    ),
    next: z
      .string()
      .nullable()
      .describe(
        "Value of `before` that continues the search in less recently active sessions; null if all were searched",
      ),
  })
  .meta({ id: "FoundMessages" })
export type FoundMessages = z.infer<typeof FoundMessages>

const SessionName = z.string().trim().max(100).regex(ONE_LINE, "A name must be a single line of text.")

export const NewSession = z
  .object({
    name: SessionName.nullish(),
    repository: Repository.nullish().describe(
      "Repository that the agents work in; defaults to the session's own files",
    ),
    project_path: Repository.nullish().describe("Same as repository"),
  })
  .meta({ id: "NewSession" })

/** Changes to a session in the list. Absent fields keep their value. */
export const SessionChange = z
  .object({
    name: SessionName.nullable().optional().describe("Null or empty restores the default name"),
    pinned: z.boolean().optional(),
    archived: z.boolean().optional(),
    viewed: z.literal(true).optional().describe("Records that a person has seen the last run's result"),
  })
  .meta({ id: "SessionChange" })

/** Response to a request to resume paused runs. */
export const ResumeAnswer = z
  .object({ session_id: z.string(), resumed: z.boolean(), message: z.string() })
  .meta({ id: "ResumeAnswer" })
export type ResumeAnswer = z.infer<typeof ResumeAnswer>

/** Response to a request to stop all active runs. */
export const CancelAnswer = z
  .object({ session_id: z.string(), cancel_requested: z.boolean(), message: z.string() })
  .meta({ id: "CancelAnswer" })
export type CancelAnswer = z.infer<typeof CancelAnswer>

/** Preview of the project's own server. */
const ServerPreview = z
  .object({
    command: z
      .string()
      .nullable()
      .describe("Command that starts the server; null for the command declared in the repository, if any"),
    status: z.enum(["none", "requested", "starting", "ready", "stopping"]),
    version: z.int().nonnegative().nullable().describe("Version of the files that is running or starting"),
    url: z.string().nullable().describe("Address on its own origin; null until it is ready"),
    reason: z.string().nullable().describe("Explanation if it can't be started here; otherwise null"),
  })
  .meta({ id: "ServerPreview" })

/** Web address that shows a session's files as a page. */
export const SessionPreview = z
  .object({
    available: z.boolean(),
    reason: z.string().nullable().describe("Explanation if there is no preview; otherwise null"),
    url: z
      .string()
      .nullable()
      .describe("Address on a different origin from the studio and the API; as secret as the files"),
    root: z.string().nullable().describe("Address of the folder with all files"),
    opaque: z
      .boolean()
      .describe("True if the page has no origin: it can't store data, and its messages have the origin `null`"),
    entry: z.string().nullable().describe("Path of the first page, if there is one"),
    built: z.boolean().describe("True if the page is the output of a build, stored by a check"),
    needs_build: z
      .boolean()
      .describe("True if browsers can't run the page before a build, and no output of this version is stored"),
    version: z.int().nonnegative().describe("Version of the workspace; 0 before the first file"),
    server: z.union([ServerPreview, z.null()]).describe("The project's own server; null if it has none"),
  })
  .meta({ id: "SessionPreview" })
export type SessionPreview = z.infer<typeof SessionPreview>

/**
 * Complete event as shown in the API. The additional fields depend on the type. Clients should keep events of unknown
 * types.
 */
export const ApiEvent = z
  .looseObject({
    event_id: z.string(),
    seq: z.int().positive(),
    ts: z.iso.datetime(),
    type: z.string(),
    session_id: z.string(),
    run_id: z.string().optional(),
    agent_id: z.string().optional(),
  })
  .meta({ id: "SessionEvent" })
export type ApiEvent = z.infer<typeof ApiEvent>

/** All events from `from_seq` to `to_seq` that have a requested type. */
export const EventPage = z
  .object({
    session_id: z.string(),
    events: z.array(ApiEvent),
    from_seq: z.int().positive().describe("First event of the page; pass it as `before_seq` for the previous page"),
    to_seq: z.int().nonnegative().describe("Last event of the page; pass it as `since_seq` for the next page"),
    first_seq: z.int().positive().describe("First event of the log"),
    latest_seq: z.int().positive().describe("Last event of the log when it was read"),
  })
  .meta({ id: "EventPage" })
export type EventPage = z.infer<typeof EventPage>
