import type { Operation, Operations } from "@switchyard/client/operations"
import { locate, type Reads, type RequestOf } from "@switchyard/client/request"
import type { EventType } from "@switchyard/core/events"
import type { TreeNode } from "@switchyard/core/files/workspaces/schema"
import { PullRequest } from "@switchyard/core/files/worktrees/pull-request-schema"
import { CreatedToken, Me, type NewToken, type Token } from "@switchyard/core/people/access/schema"
import { GitHost, type NewGitHost } from "@switchyard/core/people/git-hosts/schema"
import type { UsageQuery } from "@switchyard/core/people/usage/schema"
import type { Clock } from "@switchyard/core/time"
import { Selection } from "@switchyard/core/work/chat/request-schema"
import type { CheckCommands } from "@switchyard/core/work/gate/schema"
import { Board, Team } from "@switchyard/core/work/teams/request-schema"
import * as z from "zod"
import { type Connection, type ServerRequest, unlessCut } from "./connection.ts"
import { Refused } from "./errors.ts"
import {
  Agent,
  AgentList,
  type AgentReply,
  Chat,
  ChatTurn,
  EventPage,
  GitHostList,
  Link,
  ModelList,
  OpenedShell,
  type OpenedTerminal,
  PendingCommand,
  Preparing,
  ProviderList,
  type Question,
  QuestionList,
  Reply,
  Run,
  type RunEvent,
  RunList,
  Sent,
  SentMessage,
  ServerStatus,
  Session,
  SessionEvents,
  SessionList,
  SetCommands,
  TerminalList,
  TokenList,
  Tree,
  UsageReport,
  Worktree,
} from "./responses.ts"
import type { RetryPolicy } from "./retry.ts"

export type RunInput = Operations["POST /v1/runs"]["body"]
type AnswerBody = Operations["POST /api/v1/sessions/{id}/questions/{question}/answer"]["body"]
export type AnswerChoice = AnswerBody["choice"]

type Asked = ServerRequest & { waitMs?: number }
/** A request as the API's description has it. */
type Call<O extends Operation> = RequestOf<O> & Pick<Asked, "headers" | "signal" | "waitMs">

interface Waiting {
  signal: AbortSignal
}

/** The server's API. Each call is retried while the server can't be reached, within the retry policy. */
export interface Api {
  /** Starts one run, however often the request is retried: the idempotency key identifies it. */
  startRun(input: RunInput, options: Waiting & { idempotencyKey: string }): Promise<Run>
  /** The run, once it has ended or `waitSeconds` have passed. */
  run(runId: string, options: Waiting & { waitSeconds?: number }): Promise<Run>
  runs(options: Waiting & { limit: number }): Promise<Run[]>
  cancelRun(runId: string, options: Waiting): Promise<Run>
  /** The run that goes on: the same one if it was parked, else a new one. Starts one, however often it is retried. */
  resumeRun(runId: string, options: Waiting & { model?: string; idempotencyKey: string }): Promise<Run>
  /** Starts a check of a workspace's files. */
  checkFiles(workspaceId: string, options: Waiting & { consent: boolean }): Promise<Run>
  /** Sets commands for the checks of a workspace; an empty one is found again. Others stay as they are. */
  setCheckCommands(workspaceId: string, commands: CheckCommands, options: Waiting): Promise<void>
  eventsAfter(runId: string, since: number, options: Waiting): Promise<z.infer<typeof EventPage>>
  tree(workspaceId: string, options: Waiting): Promise<TreeNode[]>
  /** Throws `session_not_found` for an unknown workspace. A request for its files would create it. */
  checkWorkspace(workspaceId: string, options: Waiting): Promise<void>
  session(sessionId: string, options: Waiting): Promise<z.infer<typeof Session>>
  /** Opens a session. If the reply is lost, a session without files stays. */
  openSession(input: Operations["POST /api/v1/sessions"]["body"], options: Waiting): Promise<z.infer<typeof Session>>
  /** One page of the sessions; `before` is the `next` of the page before. */
  sessions(options: Waiting & { before?: string }): Promise<z.infer<typeof SessionList>>
  /** All events of a session that are of these types, as far as its log goes now. */
  sessionEvents(sessionId: string, options: Waiting & { types: EventType[] }): AsyncGenerator<RunEvent>
  /** A session's worktree; `branch` is null if there is none. */
  worktree(sessionId: string, options: Waiting): Promise<z.infer<typeof Worktree>>
  /** Resolves once all files of an agent's work are saved in the session. */
  filesSaved(sessionId: string, options: Waiting): Promise<void>
  /** A temporary URL of the workspace's zip, which takes no credentials. Waits until the zip is built. */
  downloadUrl(workspaceId: string, options: Waiting): Promise<URL>
  /** A session's terminals, in the order in which they were opened. */
  terminals(sessionId: string, options: Waiting): Promise<OpenedTerminal[]>
  /** Opens a shell in a worktree, and resolves to its terminal. If the reply is lost, a shell stays that nobody looks at. */
  openShell(
    sessionId: string,
    shell: { worktree?: string | undefined; rows: number; cols: number },
    options: Waiting,
  ): Promise<string>
  /** Sends input; a retry after a lost reply has no effect. */
  typeInto(
    sessionId: string,
    pty: string,
    input: { client: string; client_seq: number; data: string },
    options: Waiting,
  ): Promise<void>
  resize(
    sessionId: string,
    pty: string,
    size: { client: string; rows: number; cols: number; take: boolean },
    options: Waiting,
  ): Promise<void>
  /** The questions of agents, in all sessions. */
  questions(options: Waiting): Promise<Question[]>
  /** Throws `question_answered` where somebody else was first. */
  answer(asked: { sessionId: string; questionId: string }, answer: AnswerBody, options: Waiting): Promise<void>
  /** The agents of a session, `main` first. */
  agents(sessionId: string, options: Waiting): Promise<Agent[]>
  addAgent(
    sessionId: string,
    agent: Operations["POST /api/v1/sessions/{id}/agents"]["body"],
    options: Waiting,
  ): Promise<void>
  closeAgent(sessionId: string, agent: string, options: Waiting): Promise<void>
  /** Sends a message to an agent, by its id or its name; with its `message_id`, a retry counts once. */
  say(
    to: { sessionId: string; agent: string },
    message: Operations["POST /api/v1/sessions/{id}/agents/{agent}/messages"]["body"],
    options: Waiting,
  ): Promise<z.infer<typeof SentMessage>>
  /** The agent's last words, once it is idle, or its status after `waitSeconds`. */
  reply(of: { sessionId: string; agent: string }, options: Waiting & { waitSeconds: number }): Promise<AgentReply>
  /** The chat over a session's files, with its newest messages. */
  chat(sessionId: string, options: Waiting): Promise<Chat>
  /** Starts a turn of the chat; with its `request_id`, a retry is the same turn. Throws `run_active` while another goes on. */
  askChat(
    sessionId: string,
    turn: Operations["POST /api/v1/sessions/{id}/chat"]["body"],
    options: Waiting,
  ): Promise<ChatTurn>
  /** Stops a turn. Throws `not_found` for one that has ended. */
  stopTurn(of: { sessionId: string; requestId: string }, options: Waiting): Promise<void>
  /** Begins a new conversation in a session. */
  newChat(sessionId: string, options: Waiting): Promise<void>
  /** Selects the files that the model is shown in full. */
  selectFiles(sessionId: string, files: string[], options: Waiting): Promise<z.infer<typeof Selection>>
  serverStatus(options: Waiting): Promise<z.infer<typeof ServerStatus>>
  modelProviders(options: Waiting): Promise<ProviderList>
  /** The models that a provider lists. Throws `not_found` for an unknown one. */
  models(provider: string, options: Waiting): Promise<ModelList>
  /** The usage of the caller's runs. Throws `validation_error` for days and names that there aren't. */
  usage(query: Partial<UsageQuery>, options: Waiting): Promise<UsageReport>
  me(options: Waiting): Promise<Me>
  /** Creates a token. If the reply is lost, the token stays in the list without an owner of its secret. */
  createToken(input: NewToken, options: Waiting): Promise<CreatedToken>
  tokens(options: Waiting): Promise<Token[]>
  revokeToken(tokenId: string, options: Waiting): Promise<void>
  /** Opens a pull request for a worktree's branch, or brings the open one up to date. */
  openPullRequest(
    of: { sessionId: string; worktree: string | undefined },
    request: Operations["POST /api/v1/sessions/{id}/worktree/pull-request"]["body"],
    options: Waiting,
  ): Promise<PullRequest>
  /** Gives a goal to a team: to one, however often the request is retried. */
  startTeam(
    goal: Operations["POST /api/v1/teams"]["body"],
    options: Waiting & { idempotencyKey: string },
  ): Promise<Team>
  board(teamId: string, options: Waiting): Promise<Board>
  /** Writes to a team. A retry after a lost reply may be a second message. */
  sayToTeam(
    teamId: string,
    message: Operations["POST /api/v1/teams/{id}/send"]["body"],
    options: Waiting,
  ): Promise<Board>
  pauseTeam(teamId: string, options: Waiting): Promise<Board>
  resumeTeam(teamId: string, options: Waiting): Promise<Board>
  stopTeam(teamId: string, options: Waiting): Promise<Board>
  /** Adds the token for a host, or replaces it. */
  putGitHost(host: string, settings: NewGitHost, options: Waiting): Promise<GitHost>
  gitHosts(options: Waiting): Promise<GitHost[]>
  removeGitHost(host: string, options: Waiting): Promise<void>
}

interface ApiDeps {
  connection: Connection
  retries: RetryPolicy
  clock: Clock
}

const ANSWER_MS = 30_000
const SAVED_POLL_MS = 1000

export function createApi({ connection, retries, clock }: ApiDeps): Api {
  const ask = <O extends Operation, T>(operation: O, schema: z.ZodType<T> & Reads<O, T>, call: Call<O>): Promise<T> => {
    const { body, headers, signal, waitMs } = call
    return follow(schema, { ...locate(operation, call), body, headers, signal, waitMs })
  }

  const session: Api["session"] = (id, { signal }) =>
    ask("GET /api/v1/sessions/{id}", Session, { path: { id }, signal })

  async function follow<T>(schema: z.ZodType<T>, request: Asked): Promise<T> {
    const once = async () => {
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(ANSWER_MS + (request.waitMs ?? 0))])
      // Our own deadline counts as a network failure; only the caller's signal ends the retries.
      const answer = async () => (await connection.send({ ...request, signal })).json()
      return unlessCut(answer, "The server sent no valid response", request)
    }
    const parsed = schema.safeParse(await retries.retry(once, request))
    if (parsed.success) return parsed.data
    throw new Refused(
      200,
      "unexpected_answer",
      `The server's response to ${request.path} has an unexpected format. It may be another version.`,
    )
  }

  return {
    startRun: (body, { idempotencyKey, signal }) =>
      ask("POST /v1/runs", Run, { body, headers: { "idempotency-key": idempotencyKey }, signal }),

    run: (runId, { waitSeconds = 0, signal }) =>
      ask("GET /v1/runs/{id}", Run, {
        path: { id: runId },
        query: { wait: waitSeconds || undefined },
        signal,
        waitMs: waitSeconds * 1000,
      }),

    runs: async ({ limit, signal }) => (await ask("GET /v1/runs", RunList, { query: { limit }, signal })).runs,

    cancelRun: (runId, { signal }) => ask("POST /v1/runs/{id}/cancel", Run, { path: { id: runId }, signal }),

    resumeRun: (runId, { model, idempotencyKey, signal }) =>
      ask("POST /v1/runs/{id}/resume", Run, {
        path: { id: runId },
        query: { model },
        headers: { "idempotency-key": idempotencyKey },
        signal,
      }),

    checkFiles: (id, { consent, signal }) =>
      ask("POST /api/v1/sessions/{id}/checks", Run, { path: { id }, body: { consent }, signal }),

    async setCheckCommands(id, commands, { signal }) {
      const path = { id }
      const { set } = await ask("GET /api/v1/sessions/{id}/checks/commands", SetCommands, { path, signal })
      const named = Object.entries({ ...set, ...commands }).filter(([, command]) => command !== "")
      const body = Object.fromEntries(named)
      await ask("PUT /api/v1/sessions/{id}/checks/commands", SetCommands, { path, body, signal })
    },

    eventsAfter: (runId, since, { signal }) =>
      ask("GET /v1/runs/{id}/events", EventPage, {
        path: { id: runId },
        query: { since_seq: String(since) },
        headers: { accept: "application/json" },
        signal,
      }),

    tree: async (workspaceId, { signal }) =>
      (await ask("GET /workspace/tree", Tree, { query: { workspace_id: workspaceId }, signal })).nodes,

    async checkWorkspace(workspaceId, { signal }) {
      await ask("GET /api/v1/sessions/{id}", z.unknown(), { path: { id: workspaceId }, signal })
    },

    session,

    openSession: (body, { signal }) => ask("POST /api/v1/sessions", Session, { body, signal }),

    sessions: ({ before, signal }) => ask("GET /api/v1/sessions", SessionList, { query: { before }, signal }),

    async *sessionEvents(id, { types, signal }) {
      for (let since = 0; ; ) {
        const query = { since_seq: since, event_types: types.join(",") }
        const page = await ask("GET /api/v1/sessions/{id}/events", SessionEvents, { path: { id }, query, signal })
        yield* page.events
        if (page.to_seq >= page.latest_seq) return
        since = page.to_seq
      }
    },

    worktree: (id, { signal }) => ask("GET /api/v1/sessions/{id}/worktree", Worktree, { path: { id }, signal }),

    async filesSaved(sessionId, { signal }) {
      while ((await session(sessionId, { signal })).saving) await clock.sleep(SAVED_POLL_MS, { signal })
    },

    async downloadUrl(workspaceId, { signal }) {
      const LinkOrNot = z.union([Link, Preparing])
      const query = { workspace_id: workspaceId, link: true }
      let link = await ask("GET /workspace/download", LinkOrNot, { query, signal })
      while ("status_url" in link) {
        await clock.sleep(link.retry_after_seconds * 1000, { signal })
        link = await follow(LinkOrNot, { path: link.status_url, signal })
      }
      return connection.resolve(link.url)
    },

    terminals: async (sessionId, { signal }) => {
      return (await ask("GET /api/v1/sessions/{id}/terminals", TerminalList, { path: { id: sessionId }, signal }))
        .terminals
    },

    async openShell(id, { worktree, ...body }, { signal }) {
      const operation = "POST /api/v1/sessions/{id}/worktree/shell"
      const Answer = z.union([OpenedShell, PendingCommand])
      let answer = await ask(operation, Answer, { path: { id }, query: { worktree }, body, signal, waitMs: ANSWER_MS })
      while ("links" in answer) answer = await follow(Answer, { path: answer.links.result, signal, waitMs: ANSWER_MS })
      return answer.pty
    },

    async typeInto(sessionId, pty, body, { signal }) {
      const path = { id: sessionId, pty }
      await ask("POST /api/v1/sessions/{id}/terminals/{pty}/input", Sent, { path, body, signal })
    },

    questions: async ({ signal }) => (await ask("GET /api/v1/questions", QuestionList, { signal })).questions,

    async answer({ sessionId, questionId }, body, { signal }) {
      const path = { id: sessionId, question: questionId }
      await ask("POST /api/v1/sessions/{id}/questions/{question}/answer", Sent, { path, body, signal })
    },

    async resize(sessionId, pty, body, { signal }) {
      const path = { id: sessionId, pty }
      await ask("POST /api/v1/sessions/{id}/terminals/{pty}/resize", Sent, { path, body, signal })
    },

    agents: async (id, { signal }) =>
      (await ask("GET /api/v1/sessions/{id}/agents", AgentList, { path: { id }, signal })).agents,

    async addAgent(id, body, { signal }) {
      await ask("POST /api/v1/sessions/{id}/agents", Agent, { path: { id }, body, signal })
    },

    async closeAgent(id, agent, { signal }) {
      await ask("DELETE /api/v1/sessions/{id}/agents/{agent}", Agent, { path: { id, agent }, signal })
    },

    say: ({ sessionId, agent }, body, { signal }) => {
      const path = { id: sessionId, agent }
      return ask("POST /api/v1/sessions/{id}/agents/{agent}/messages", SentMessage, { path, body, signal })
    },

    reply: ({ sessionId, agent }, { waitSeconds, signal }) =>
      ask("GET /api/v1/sessions/{id}/agents/{agent}/wait", Reply, {
        path: { id: sessionId, agent },
        query: { seconds: waitSeconds },
        signal,
        waitMs: waitSeconds * 1000,
      }),

    chat: (id, { signal }) => ask("GET /api/v1/sessions/{id}/chat", Chat, { path: { id }, query: {}, signal }),

    askChat: (id, body, { signal }) => ask("POST /api/v1/sessions/{id}/chat", ChatTurn, { path: { id }, body, signal }),

    async stopTurn({ sessionId, requestId }, { signal }) {
      const path = { id: sessionId, request: requestId }
      await ask("POST /api/v1/sessions/{id}/chat/{request}/cancel", z.unknown(), { path, signal })
    },

    async newChat(id, { signal }) {
      await ask("POST /api/v1/sessions/{id}/chat/new", z.unknown(), { path: { id }, signal })
    },

    selectFiles: (id, files, { signal }) =>
      ask("PUT /api/v1/sessions/{id}/chat/selection", Selection.loose(), { path: { id }, body: { files }, signal }),

    serverStatus: ({ signal }) => ask("GET /status", ServerStatus, { signal }),

    modelProviders: ({ signal }) => ask("GET /v1/models", ProviderList, { signal }),

    models: (provider, { signal }) => ask("GET /v1/models/{provider}", ModelList, { path: { provider }, signal }),

    usage: (query, { signal }) => ask("GET /api/v1/usage", UsageReport, { query, signal }),

    me: ({ signal }) => ask("GET /v1/me", Me, { signal }),

    createToken: (body, { signal }) => ask("POST /v1/tokens", CreatedToken, { body, signal }),

    tokens: async ({ signal }) => (await ask("GET /v1/tokens", TokenList, { signal })).tokens,

    async revokeToken(tokenId, { signal }) {
      await ask("DELETE /v1/tokens/{id}", z.unknown(), { path: { id: tokenId }, signal })
    },

    openPullRequest: ({ sessionId: id, worktree }, body, { signal }) =>
      ask("POST /api/v1/sessions/{id}/worktree/pull-request", PullRequest, {
        ...{ path: { id }, query: { worktree }, body, signal },
      }),

    startTeam: (body, { idempotencyKey, signal }) =>
      ask("POST /api/v1/teams", Team, { body, headers: { "idempotency-key": idempotencyKey }, signal }),

    board: (id, { signal }) => ask("GET /api/v1/teams/{id}/board", Board, { path: { id }, signal }),

    sayToTeam: (id, body, { signal }) => ask("POST /api/v1/teams/{id}/send", Board, { path: { id }, body, signal }),

    pauseTeam: (id, { signal }) => ask("POST /api/v1/teams/{id}/pause", Board, { path: { id }, signal }),

    resumeTeam: (id, { signal }) => ask("POST /api/v1/teams/{id}/resume", Board, { path: { id }, signal }),

    stopTeam: (id, { signal }) => ask("POST /api/v1/teams/{id}/stop", Board, { path: { id }, signal }),

    putGitHost: (host, body, { signal }) =>
      ask("PUT /api/v1/git-hosts/{host}", GitHost, { path: { host }, body, signal }),

    gitHosts: async ({ signal }) => (await ask("GET /api/v1/git-hosts", GitHostList, { signal })).git_hosts,

    async removeGitHost(host, { signal }) {
      await ask("DELETE /api/v1/git-hosts/{host}", z.unknown(), { path: { host }, signal })
    },
  }
}
