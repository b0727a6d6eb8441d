import type { Clock } from "@switchyard/core/time"
import type { Connection } from "../server/connection.ts"
import type { RetryPolicy } from "../server/retry.ts"
import { type AccountRequests, createAccountRequests } from "./account.ts"
import { type AgentRequests, createAgentRequests } from "./agents.ts"
import { type BakeOffRequests, createBakeOffRequests } from "./bake-offs.ts"
import { type ChatRequests, createChatRequests } from "./chat.ts"
import { createModelRequests, type ModelRequests } from "./models.ts"
import { createRequests } from "./requests.ts"
import { createRunRequests, type RunRequests } from "./runs.ts"
import { createSessionRequests, type SessionRequests } from "./sessions.ts"
import { createTeamRequests, type TeamRequests } from "./teams.ts"
import { createTerminalRequests, type TerminalRequests } from "./terminals.ts"
import { createWorkspaceRequests, type WorkspaceRequests } from "./workspaces.ts"

/** All requests to the server's API. Each is retried while the server can't be reached, within the retry policy. */
export interface Api
  extends RunRequests,
    WorkspaceRequests,
    SessionRequests,
    TerminalRequests,
    AgentRequests,
    ChatRequests,
    TeamRequests,
    BakeOffRequests,
    ModelRequests,
    AccountRequests {}

export function createApi(deps: { connection: Connection; retries: RetryPolicy; clock: Clock }): Api {
  const requests = createRequests(deps)
  return {
    ...createRunRequests(requests),
    ...createWorkspaceRequests(requests),
    ...createSessionRequests(requests),
    ...createTerminalRequests(requests),
    ...createAgentRequests(requests),
    ...createChatRequests(requests),
    ...createTeamRequests(requests),
    ...createBakeOffRequests(requests),
    ...createModelRequests(requests),
    ...createAccountRequests(requests),
  }
}
