import type { routes as agentFiles } from "@switchyard/functions/routes/agents/agent-files"
import type { routes as agents } from "@switchyard/functions/routes/agents/agents"
import type { routes as answerLinks } from "@switchyard/functions/routes/agents/answer-links"
import type { routes as nativeSessions } from "@switchyard/functions/routes/agents/native-sessions"
import type { routes as questions } from "@switchyard/functions/routes/agents/questions"
import type { routes as handOver } from "@switchyard/functions/routes/agents/takeover"
import type { routes as tasks } from "@switchyard/functions/routes/agents/tasks"
import type { routes as terminals } from "@switchyard/functions/routes/agents/terminals"
import type { routes as chat } from "@switchyard/functions/routes/chat/chat"
import type { routes as chatCommits } from "@switchyard/functions/routes/chat/chat-commits"
import type { routes as chatContext } from "@switchyard/functions/routes/chat/chat-context"
import type { routes as chatConversations } from "@switchyard/functions/routes/chat/chat-conversations"
import type { routes as chatFiles } from "@switchyard/functions/routes/chat/chat-files"
import type { routes as chatReviews } from "@switchyard/functions/routes/chat/chat-reviews"
import type { routes as symbols } from "@switchyard/functions/routes/chat/symbols"
import type { routes as access } from "@switchyard/functions/routes/people/access"
import type { routes as accounts } from "@switchyard/functions/routes/people/accounts"
import type { routes as agentSetups } from "@switchyard/functions/routes/people/agent-setups"
import type { routes as consents } from "@switchyard/functions/routes/people/consents"
import type { routes as gitHooks } from "@switchyard/functions/routes/people/git-hooks"
import type { routes as gitHosts } from "@switchyard/functions/routes/people/git-hosts"
import type { routes as keys } from "@switchyard/functions/routes/people/keys"
import type { routes as usage } from "@switchyard/functions/routes/people/usage"
import type { routes as webhooks } from "@switchyard/functions/routes/people/webhooks"
import type { routes as bakeOffs } from "@switchyard/functions/routes/runs/bake-offs"
import type { routes as checks } from "@switchyard/functions/routes/runs/checks"
import type { routes as runs } from "@switchyard/functions/routes/runs/runs"
import type { routes as trains } from "@switchyard/functions/routes/runs/trains"
import type { routes as workBudgets } from "@switchyard/functions/routes/runs/work-budgets"
import type { routes as workflows } from "@switchyard/functions/routes/runs/workflows"
import type { routes as about } from "@switchyard/functions/routes/server/meta"
import type { routes as models } from "@switchyard/functions/routes/server/models"
import type { routes as apps } from "@switchyard/functions/routes/sessions/apps"
import type { routes as artifacts } from "@switchyard/functions/routes/sessions/artifacts"
import type { routes as previews } from "@switchyard/functions/routes/sessions/previews"
import type { routes as pushes } from "@switchyard/functions/routes/sessions/pushes"
import type { routes as sessionLog } from "@switchyard/functions/routes/sessions/session-events"
import type { routes as sessionRules } from "@switchyard/functions/routes/sessions/session-rules"
import type { routes as sessionLife } from "@switchyard/functions/routes/sessions/sessions"
import type { routes as streams } from "@switchyard/functions/routes/sessions/streams"
import type { routes as uploads } from "@switchyard/functions/routes/sessions/uploads"
import type { routes as versions } from "@switchyard/functions/routes/sessions/versions"
import type { routes as limitSettings } from "@switchyard/functions/routes/settings/limit-settings"
import type { routes as mockSettings } from "@switchyard/functions/routes/settings/mock-settings"
import type { routes as projects } from "@switchyard/functions/routes/settings/projects"
import type { routes as settings } from "@switchyard/functions/routes/settings/settings"
import type { routes as verificationSettings } from "@switchyard/functions/routes/settings/verification-settings"
import type { routes as teamBoard } from "@switchyard/functions/routes/teams/team-board"
import type { routes as teamFiles } from "@switchyard/functions/routes/teams/team-files"
import type { routes as teamTriggers } from "@switchyard/functions/routes/teams/team-triggers"
import type { routes as teamViews } from "@switchyard/functions/routes/teams/team-views"
import type { routes as teams } from "@switchyard/functions/routes/teams/teams"
import type { routes as archives } from "@switchyard/functions/routes/workspaces/archives"
import type { routes as workspace } from "@switchyard/functions/routes/workspaces/workspace"
import type { routes as sessions } from "@switchyard/functions/routes/workspaces/workspace-sessions"
import type { routes as worktrees } from "@switchyard/functions/routes/worktrees/worktree-endpoints"
import type * as z from "zod"

/** Types of the route definitions behind `/openapi.json`. A test compares this list with the API description. */
type Definitions =
  | typeof about
  | typeof access
  | typeof accounts
  | typeof agentFiles
  | typeof agents
  | typeof answerLinks
  | typeof apps
  | typeof archives
  | typeof artifacts
  | typeof chat
  | typeof chatCommits
  | typeof chatContext
  | typeof chatConversations
  | typeof chatFiles
  | typeof chatReviews
  | typeof checks
  | typeof gitHooks
  | typeof agentSetups
  | typeof consents
  | typeof gitHosts
  | typeof keys
  | typeof questions
  | typeof handOver
  | typeof mockSettings
  | typeof models
  | typeof nativeSessions
  | typeof previews
  | typeof pushes
  | typeof runs
  | typeof sessionLife
  | typeof sessionLog
  | typeof sessionRules
  | typeof sessions
  | typeof limitSettings
  | typeof verificationSettings
  | typeof projects
  | typeof settings
  | typeof streams
  | typeof symbols
  | typeof tasks
  | typeof teams
  | typeof teamTriggers
  | typeof teamViews
  | typeof teamBoard
  | typeof teamFiles
  | typeof terminals
  | typeof trains
  | typeof bakeOffs
  | typeof uploads
  | typeof versions
  | typeof usage
  | typeof workBudgets
  | typeof webhooks
  | typeof workflows
  | typeof workspace
  | typeof worktrees

type RoutesOf<D> = D extends unknown ? OneOf<D[keyof D]> : never
type OneOf<R> = R extends readonly (infer Alias)[] ? Alias : R
type Named<R> = R extends { method: infer M extends string; path: infer P extends string }
  ? // A route may have several paths.
    P extends string
    ? { operation: `${Uppercase<M>} ${P}`; route: R }
    : never
  : never

/** API operations by their names in `docs/api.md`, such as `GET /v1/runs/{id}`. */
export type Operations = {
  [O in Named<RoutesOf<Definitions>>["operation"]]: OperationOf<
    Extract<Named<RoutesOf<Definitions>>, { operation: O }>["route"]
  >
}
export type Operation = keyof Operations

interface OperationOf<R> {
  path: R extends { request: { params: infer S extends z.ZodType } } ? z.input<S> : undefined
  query: R extends { request: { query: infer S extends z.ZodType } } ? Query<S> : undefined
  headers: R extends { request: { headers: infer S extends z.ZodType } } ? z.input<S> : undefined
  body: R extends { request: { body: { content: { "application/json": { schema: infer S extends z.ZodType } } } } }
    ? z.input<S>
    : R extends { request: { body: { content: { "multipart/form-data": { schema: infer S extends z.ZodType } } } } }
      ? z.input<S>
      : undefined
  answer: R extends { responses: infer A } ? Answer<A> : undefined
}

/** Query parameters, with the types that they have after the server has parsed them, as in the API description. */
type Query<S extends z.ZodType> = { [K in keyof z.input<S>]: K extends keyof z.output<S> ? z.output<S>[K] : never }

/** Body of each successful response. */
type Answer<A> = {
  [S in Extract<keyof A, 200 | 201 | 202>]: A[S] extends {
    content: { "application/json": { schema: infer T extends z.ZodType } }
  }
    ? z.input<T>
    : never
}[Extract<keyof A, 200 | 201 | 202>]
