import {
  AcceptedMessage,
  Agent as KnownAgent,
  AgentReply as KnownReply,
} from "@switchyard/core/agents/conversations/agent-schema"
import { Consent } from "@switchyard/core/agents/conversations/consent-schema"
import { ListedNativeSession, TerminalCommand } from "@switchyard/core/agents/native-sessions/schema"
import { Question as KnownQuestion } from "@switchyard/core/agents/questions/schema"
import { LogEvent } from "@switchyard/core/events"
import { TreeNode } from "@switchyard/core/files/workspaces/schema"
import { Unresolved } from "@switchyard/core/files/worktrees/schema"
import { ListedModel, ModelProviderView } from "@switchyard/core/models/schema"
import { Token } from "@switchyard/core/people/access/schema"
import { AccountView, Provider } from "@switchyard/core/people/accounts/schema"
import { BudgetStatus, OwnerBudgets, WorkBudgetStatus } from "@switchyard/core/people/budget/schema"
import { ListedGitHook } from "@switchyard/core/people/git-hooks/schema"
import { GitHost } from "@switchyard/core/people/git-hosts/schema"
import { UsageReport as KnownUsageReport } from "@switchyard/core/people/usage/schema"
import { StartedTurn } from "@switchyard/core/work/chat/request-schema"
import { CheckCommands } from "@switchyard/core/work/gate/schema"
import { Run as KnownRun, RunStatus } from "@switchyard/core/work/runs/schema"
import * as z from "zod"

// IDs become part of paths, directory names and commands that people copy, so accept only safe characters.
const Id = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/)

/** A run. Keeps unknown fields from the server. */
export const Run = KnownRun.loose().extend({
  run_id: Id,
  workspace_id: Id,
  // Older servers don't send these fields.
  verdict: KnownRun.shape.verdict.default(null),
  warning: KnownRun.shape.warning.default(null),
  cost: KnownRun.shape.cost.default(null),
  waiting_before: KnownRun.shape.waiting_before.default(null),
  agent_id: KnownRun.shape.agent_id.default("main"),
  worktree: KnownRun.shape.worktree.default(null),
})
export type Run = z.infer<typeof Run>

/** An event as received. Its type may be unknown. Unknown fields are kept. */
export type RunEvent = z.infer<typeof LogEvent>

/** True if this status means that the run has ended. */
export function isEnded(status: RunStatus): boolean {
  return status === "completed" || status === "failed" || status === "cancelled"
}

export const RunList = z.looseObject({ runs: z.array(Run), next: z.string().nullable() })
export const EventPage = z.looseObject({ events: z.array(LogEvent), latest_seq: z.number(), status: RunStatus })
export const Session = z.looseObject({
  id: Id,
  name: z.string(),
  last_activity: z.string(),
  saving: z.unknown().optional(),
  repository: z.string().nullish(),
})
export const SessionList = z.looseObject({ sessions: z.array(Session), next: z.string().nullable() })
export const SessionEvents = z.looseObject({ events: z.array(LogEvent), to_seq: z.number(), latest_seq: z.number() })
export const Worktree = z.looseObject({
  branch: z.string().nullable(),
  has_changes: z.boolean(),
  unresolved: Unresolved.optional(),
})
export const Tree = z.looseObject({ nodes: z.array(TreeNode) })
export const Link = z.object({ url: z.string() })
export const SetCommands = z.object({ set: CheckCommands })
// Accept only paths on this server, because the request contains our token.
const StatusPath = z.string().regex(/^\/workspace\/archives\/[\w/?=&%.-]+$/)
export const Preparing = z.object({ status_url: StatusPath, retry_after_seconds: z.number().min(0).max(60) })
export const AgentProviders = z.looseObject({ providers: z.array(Provider) })
export const AccountList = z.looseObject({ accounts: z.array(AccountView) })
export const GitHookList = z.looseObject({ git_hooks: z.array(ListedGitHook) })
export const ConsentList = z.looseObject({ consents: z.array(Consent) })
// Accept any agent, because a newer server may have more of them.
export const NativeSessionList = z.looseObject({
  sessions: z.array(ListedNativeSession.loose().extend({ agent: z.string() })),
})
export const CommandForTerminal = TerminalCommand.loose().extend({ agent: z.string() })
export const GitHostList = z.looseObject({ git_hosts: z.array(GitHost) })
export const PreferredInterface = z.looseObject({ ui_mode: z.string() })
export const TokenList = z.looseObject({ tokens: z.array(Token) })
// Accept any provider ID, because a newer server may have more providers.
export const ProviderList = z.looseObject({
  default_model: z.string(),
  providers: z.array(ModelProviderView.loose().extend({ id: z.string(), key: z.string() })),
})
export const ModelList = z.looseObject({ models: z.array(ListedModel.loose()), complete: z.boolean() })
export const UsageReport = KnownUsageReport.loose()
export type UsageReport = z.infer<typeof UsageReport>
export type ProviderList = z.infer<typeof ProviderList>
export type ModelList = z.infer<typeof ModelList>
export const ServerStatus = z.looseObject({ status: z.string(), version: z.string(), uptime_seconds: z.number() })

export const TerminalList = z.looseObject({
  terminals: z.array(z.looseObject({ pty: Id, kind: z.string(), open: z.boolean() })),
})
export const OpenedShell = z.object({ pty: Id })
const ResultPath = z.string().regex(/^\/api\/v1\/sessions\/[\w/.-]+$/)
export const PendingCommand = z.object({ links: z.object({ result: ResultPath }) })
export const Sent = z.looseObject({ success: z.literal(true) })
export const QuestionList = z.looseObject({
  questions: z.array(
    KnownQuestion.loose().extend({ question_id: Id, session_id: Id, agent_name: z.string().optional() }),
  ),
})
export type Question = z.infer<typeof QuestionList>["questions"][number]
// Accept unknown kinds and fields, because a newer server may have more of them.
export const Agent = KnownAgent.loose().extend({ kind: z.string(), status: z.string(), cli: z.string().nullable() })
export type Agent = z.infer<typeof Agent>
export const AgentList = z.looseObject({ agents: z.array(Agent) })
export const SentMessage = AcceptedMessage.loose()
export const Reply = KnownReply.loose().extend({ status: z.string() })
export type AgentReply = z.infer<typeof Reply>
export const Chat = z.looseObject({
  selected_files: z.array(z.string()),
  messages: z.array(
    z.looseObject({ seq: z.int(), role: z.string(), content: z.string(), system_event: z.boolean().default(false) }),
  ),
  restoring: z.looseObject({ kind: z.string(), error: z.string().nullable() }).nullable().default(null),
  reading: z.looseObject({ error: z.string().nullable() }).nullable().default(null),
  review: z.looseObject({ summary: z.string() }).nullable().default(null),
  in_flight: z.looseObject({ request_id: z.string(), run_id: Id }).nullable(),
  model: z.string(),
})
export type Chat = z.infer<typeof Chat>
export const ChatTurn = StartedTurn.loose().extend({ run_id: Id })
export type ChatTurn = Pick<z.infer<typeof ChatTurn>, "request_id" | "run_id">

/** A budget. Keeps unknown fields from the server. */
export const Budget = BudgetStatus.loose()
export const Owners = OwnerBudgets.loose()
export const WorkBudget = WorkBudgetStatus.loose()
