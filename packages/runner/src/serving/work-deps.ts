import type { AgentAccount } from "@switchyard/core/agents/clis/cli"
import type { SessionLogDeps } from "@switchyard/core/kernel/session-log"
import type { AwsAccess } from "@switchyard/core/models/aws-access"
import type { HostPolicy } from "@switchyard/core/network/host-policy"
import type { OwnerBudget } from "@switchyard/core/people/budget/owner-budget"
import type { Blobs } from "@switchyard/core/storage/blobs"
import type { Attachments } from "../agents/attachments.ts"
import type { Decisions } from "../agents/decisions.ts"
import type { TaskDeps } from "../agents/task.ts"
import type { WorkdirDeps } from "../gate/workdir.ts"
import type { HostSetting } from "../network/agent-hosts.ts"
import type { Sandbox, WorktreeUser } from "../sandbox/sandbox.ts"
import type { ToolEndpoint } from "../tools/endpoint.ts"
import type { AskLogins } from "./host.ts"
import type { WorktreeServices } from "./worktree-services.ts"

export interface WorkDeps
  extends Omit<TaskDeps, "append" | "attachments" | "decisions" | "storeArtifact" | "user" | "admitProject">,
    SessionLogDeps {
  blobs: Blobs
  /** Dependencies for running the project's own checks. */
  checks: WorkdirDeps
  hosts: HostPolicy
  ownerBudget: Pick<OwnerBudget, "isSet">
  /** Hosts that agents may reach. Undefined if agents have unfiltered access to the machine's network. */
  agentHosts: HostSetting | undefined
  attachments: Attachments
  decisions: Decisions
  /** Called when a run starts or stops waiting for people, because a list outside the session shows such runs. */
  askedSomething: (runId: string) => void
  worktrees: WorktreeServices
  sandbox?: Sandbox
  tools: ToolEndpoint
  /**
   * Called when the server must reconcile a run, for example because a tool has changed the state of the run's team.
   */
  moved: (runId: string) => void
  /**
   * Returns the credentials and the home of the run's account, or of the fallback account that continues the run.
   * `login` is the name of an account that uses its CLI's own login.
   */
  accountOf: (which: {
    runId: string
    user: WorktreeUser | undefined
    fallback: string | undefined
  }) => AgentAccount & { home: string; login: string | null }
  logins: AskLogins
  /** Returns the session's AWS credentials, which sign agents' requests to Bedrock. Only on hosts in AWS. */
  awsCredentials?: AwsAccess["credentials"] | undefined
}
