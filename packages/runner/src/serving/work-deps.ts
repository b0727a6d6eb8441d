import type { AgentAccount } from "@switchyard/core/agents/clis/cli"
import type { HostPolicy } from "@switchyard/core/host-policy"
import type { SessionLogDeps } from "@switchyard/core/kernel/session-log"
import type { OwnerBudget } from "@switchyard/core/people/budget/owner-budget"
import type { Blobs } from "@switchyard/core/storage/blobs"
import type { Attachments } from "../agents/attachments.ts"
import type { Decisions } from "../agents/decisions.ts"
import type { TaskDeps } from "../agents/task.ts"
import type { PlaceDeps } from "../gate/place.ts"
import type { HostSetting } from "../network/agent-hosts.ts"
import type { Sandbox, WorktreeUser } from "../sandbox/sandbox.ts"
import type { ToolEndpoint } from "../tools/endpoint.ts"
import type { AskLogins } from "./host.ts"
import type { WorktreeServices } from "./worktree-services.ts"

export interface WorkDeps
  extends Omit<TaskDeps, "append" | "attachments" | "decisions" | "storeArtifact" | "user" | "admitProject">,
    SessionLogDeps {
  blobs: Blobs
  /** The means of running the project's own checks. */
  checks: PlaceDeps
  hosts: HostPolicy
  ownerBudget: Pick<OwnerBudget, "isSet">
  /** The hosts that agents may reach; undefined where that is whatever the machine's network leads to. */
  agentHosts: HostSetting | undefined
  attachments: Attachments
  decisions: Decisions
  /** Called when a run has begun, or no longer needs, to wait for people: that is listed outside the session. */
  askedSomething: (runId: string) => void
  worktrees: WorktreeServices
  /** Present if agents run as other users. */
  sandbox?: Sandbox
  tools: ToolEndpoint
  /** Called for a run whose agent has begun something that is seen to outside the session. */
  moved: (runId: string) => void
  /**
   * The credentials of a run's account, or of the one of this name that goes on with it, and its home for that user. `login` is the name of
   * an account that works with its agent's own log-in.
   */
  accountOf: (which: {
    runId: string
    user: WorktreeUser | undefined
    fallback: string | undefined
  }) => AgentAccount & { home: string; login: string | null }
  /** Asks for the log-ins of accounts. */
  logins: AskLogins
}
