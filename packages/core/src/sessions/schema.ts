import * as z from "zod"
import { Repository } from "../agents/tasks/schema.ts"
import { WorktreeName } from "../files/worktrees/names-schema.ts"
import { Saving } from "../files/worktrees/schema.ts"
import { ONE_LINE } from "../people/access/schema.ts"
import { Picture } from "../work/gate/schema.ts"
import { RunKind } from "../work/runs/kinds.ts"
import { RunStatus } from "../work/runs/schema.ts"

/** Busy: something runs. Needs input: something waits. Else how the newest run ended; idle if it was stopped, or never was. */
export const SessionStatus = z.enum(["idle", "busy", "needs_input", "done", "error"])
export type SessionStatus = z.infer<typeof SessionStatus>

/** A run in short, as its session shows it. */
export const SessionRun = z
  .object({
    run_id: z.string(),
    kind: RunKind,
    status: RunStatus,
    cancel_requested: z.boolean(),
    model: z.string(),
    prompt: z.string().describe("The first line of what it was asked, cut to 80 characters"),
    created_at: z.iso.datetime(),
    first_seq: z.int().positive(),
    last_seq: z.int().positive().nullable().describe("Null while it isn't over"),
  })
  .meta({ id: "SessionRun" })
export type SessionRun = z.infer<typeof SessionRun>

/** A session as the API shows it. */
export const Session = z
  .object({
    id: z.string().describe("The workspace_id of /workspace and /v1/runs"),
    name: z.string().describe("As it was named, else as its first plan calls the project, else what was asked first"),
    pinned: z.boolean().describe("Listed before all others"),
    kind: z.enum(["build", "agent", "chat", "team"]).describe("What its newest run is"),
    status: SessionStatus,
    active: z.boolean().describe("Whether a run isn't over"),
    paused: z.boolean().describe("Whether a run waits for a time, or for somebody who resumes it"),
    resumable: z.boolean().describe("Whether nothing runs, and its last work can be gone on with"),
    created_at: z.iso.datetime(),
    last_activity: z.iso.datetime(),
    expires_at: z.iso.datetime().describe("When it and its files are deleted unless somebody uses it before"),
    first_seq: z.int().positive(),
    latest_seq: z.int().positive(),
    workspace_version: z.int().nonnegative().describe("0 before the first file"),
    file_count: z.int().nonnegative().nullable().describe("Null where nobody counted"),
    active_run: z.union([SessionRun, z.null()]),
    last_run: z.union([SessionRun, z.null()]).describe("The newest, the active one included"),
    repository: z.string().nullable().describe("What its agents work in; null for its own files"),
    project_path: z.string().nullable().describe("The same"),
    task_description: z
      .string()
      .nullable()
      .describe("The first line of its agents' newest task; null before the first"),
    coding_account: z.string().nullable().describe("The account of that task; null for the server's own keys"),
    has_worktree: z.boolean(),
    has_changes: z.boolean().describe("Whether its worktree has anything to merge, as a runner last told"),
    unmerged_worktrees: z
      .array(WorktreeName)
      .describe("Worktrees with changes that aren't merged, which deleting the session removes"),
    saving: Saving.optional().describe(
      "An agent's files that are still being saved among its own; absent where none are",
    ),
    progress: z
      .object({ step: z.int().nonnegative(), total: z.int().nonnegative() })
      .nullable()
      .describe("Of the active run: steps finished, of how many; null before it has planned"),
    picture: z
      .union([Picture.extend({ version: z.int().nonnegative().describe("Of the files") }), z.null()])
      .describe("What its page looks like, a PNG among its artifacts; null where no check's browser has opened one"),
  })
  .meta({ id: "Session" })
export type Session = z.infer<typeof Session>

export const SessionList = z
  .object({
    sessions: z.array(Session),
    total: z.int().nonnegative().describe("On all pages"),
    next: z.string().nullable().describe("The `before` of the next page; null if this was the last"),
  })
  .meta({ id: "SessionList" })
export type SessionList = z.infer<typeof SessionList>

export const FoundMessages = z
  .object({
    messages: z.array(
      z.object({
        session_id: z.string(),
        session_name: z.string(),
        part: z.enum(["prompt", "chat", "agent", "team"]).describe("To what or whom it was said, or by whom"),
        agent: z.string().nullable().describe("The name of the agent that was told it or said it"),
        by: z.enum(["person", "model"]),
        seq: z.int().positive(),
        ts: z.string(),
        excerpt: z.string().describe("What stands around the words"),
      }),
    ),
    next: z
      .string()
      .nullable()
      .describe(
        "The `before` with which the search goes on, among sessions that rested longer; null if all were searched",
      ),
  })
  .meta({ id: "FoundMessages" })
export type FoundMessages = z.infer<typeof FoundMessages>

const SessionName = z.string().trim().max(100).regex(ONE_LINE, "A name must be a single line of text.")

/** A session that is asked for. */
export const NewSession = z
  .object({
    name: SessionName.nullish(),
    repository: Repository.nullish().describe("What its agents work in; else the session's own files"),
    project_path: Repository.nullish().describe("The same"),
  })
  .meta({ id: "NewSession" })

/** Changes to a session's entry of the list; absent fields stay. */
export const SessionChange = z
  .object({
    name: SessionName.nullable().optional().describe("Null or empty: as its plan calls the project"),
    pinned: z.boolean().optional(),
  })
  .meta({ id: "SessionChange" })

/** The answer to a request to wake the paused runs. */
export const ResumeAnswer = z
  .object({ session_id: z.string(), resumed: z.boolean(), message: z.string() })
  .meta({ id: "ResumeAnswer" })
export type ResumeAnswer = z.infer<typeof ResumeAnswer>

/** The answer to a request to stop all active runs. */
export const CancelAnswer = z
  .object({ session_id: z.string(), cancel_requested: z.boolean(), message: z.string() })
  .meta({ id: "CancelAnswer" })
export type CancelAnswer = z.infer<typeof CancelAnswer>

/** The project's own server, as people look at it. */
const ServerPreview = z
  .object({
    command: z
      .string()
      .nullable()
      .describe(
        "The command that starts it; null for the one that the files of the session's repository declare, if any",
      ),
    status: z.enum(["none", "requested", "starting", "ready", "stopping"]),
    version: z.int().nonnegative().nullable().describe("The version of the files that runs, or is started"),
    url: z.string().nullable().describe("On an origin of its own; null while it isn't ready"),
    reason: z.string().nullable().describe("Why it can't be started here, for people; null if it can"),
  })
  .meta({ id: "ServerPreview" })

/** The address at which a browser shows a session's files as a web page. */
export const SessionPreview = z
  .object({
    available: z.boolean(),
    reason: z.string().nullable().describe("Why there is none, for people; null if there is one"),
    url: z.string().nullable().describe("Away from the studio and the API; a secret, as are the files"),
    root: z.string().nullable().describe("The address of the folder of all its files"),
    opaque: z
      .boolean()
      .describe("Whether the page has no origin: it stores nothing, and messages from it have the origin `null`"),
    entry: z.string().nullable().describe("The path of the page that it begins with, if the files have one"),
    version: z.int().nonnegative().describe("Of the workspace; 0 before the first file"),
    server: z.union([ServerPreview, z.null()]).describe("The project's own server; null where it has none to start"),
  })
  .meta({ id: "SessionPreview" })
export type SessionPreview = z.infer<typeof SessionPreview>

/** An event as a session tells it, whole. What else it has depends on its type; types that one doesn't know are kept. */
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

/** Every event from `from_seq` to `to_seq`, of the types that were asked for. */
export const EventPage = z
  .object({
    session_id: z.string(),
    events: z.array(ApiEvent),
    from_seq: z.int().positive().describe("The page before ends here: `before_seq`"),
    to_seq: z.int().nonnegative().describe("The next page begins after this: `since_seq`"),
    first_seq: z.int().positive().describe("Where the log begins"),
    latest_seq: z.int().positive().describe("Where the log ended when it was read"),
  })
  .meta({ id: "EventPage" })
export type EventPage = z.infer<typeof EventPage>
