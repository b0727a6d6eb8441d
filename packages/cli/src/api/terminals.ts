import * as z from "zod"
import { ANSWER_MS, type Requests, type Waiting } from "./requests.ts"
import { OpenedShell, type OpenedTerminal, PendingCommand, Sent, TerminalList } from "./responses.ts"

/** Requests for the terminals of a session. */
export interface TerminalRequests {
  /** Lists a session's terminals, oldest first. */
  terminals(sessionId: string, options: Waiting): Promise<OpenedTerminal[]>
  /** Opens a shell in a worktree, and returns its terminal. If the reply is lost, an unused shell remains. */
  openShell(
    sessionId: string,
    shell: { worktree?: string | undefined; rows: number; cols: number },
    options: Waiting,
  ): Promise<string>
  /** Sends input. A retry after a lost reply has no effect. */
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
}

export function createTerminalRequests({ ask, follow }: Requests): TerminalRequests {
  return {
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

    async resize(sessionId, pty, body, { signal }) {
      const path = { id: sessionId, pty }
      await ask("POST /api/v1/sessions/{id}/terminals/{pty}/resize", Sent, { path, body, signal })
    },
  }
}
