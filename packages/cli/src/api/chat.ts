import type { Operations } from "@switchyard/client/operations"
import { ChatFiles, Selection } from "@switchyard/core/work/chat/request-schema"
import { SymbolMap } from "@switchyard/core/work/chat/symbols-schema"
import * as z from "zod"
import type { Requests, Waiting } from "./requests.ts"
import { Chat, ChatTurn } from "./responses.ts"

/** Requests for the chat over the files of a session. */
export interface ChatRequests {
  /** Returns the chat over a session's files, with its newest messages. */
  chat(sessionId: string, options: Waiting): Promise<Chat>
  /**
   * Starts a turn of the chat. Retries with the same `request_id` return the same turn. Throws `run_active` during
   * another turn.
   */
  askChat(
    sessionId: string,
    turn: Operations["POST /api/v1/sessions/{id}/chat"]["body"],
    options: Waiting,
  ): Promise<ChatTurn>
  /** Stops a turn. Throws `not_found` if it has ended. */
  stopTurn(of: { sessionId: string; requestId: string }, options: Waiting): Promise<void>
  /** Starts a new conversation in a session. */
  newChat(sessionId: string, options: Waiting): Promise<void>
  /**
   * Rewinds the conversation and the files to an event. Returns true if that is done, and false if a run continues it,
   * as in a repository.
   */
  rewindChat(sessionId: string, toSeq: number, options: Waiting): Promise<boolean>
  /** Lists the chat's files; in a repository as they were last read. */
  chatFiles(sessionId: string, options: Waiting): Promise<z.infer<typeof ChatFiles>>
  /** Starts reading the files of a session's repository. */
  readFiles(sessionId: string, options: Waiting): Promise<void>
  /** Starts the turn that commits the files. Without a message, a small model writes it. */
  commitFiles(
    sessionId: string,
    commit: Operations["POST /api/v1/sessions/{id}/chat/commit"]["body"],
    options: Waiting,
  ): Promise<ChatTurn>
  /**
   * Resets the files to the last commit. Returns true if that is done, and false if a run continues it, as in a
   * repository.
   */
  resetFiles(sessionId: string, options: Waiting): Promise<boolean>
  /** Starts a review of the changes in the repository since `base`. Throws `invalid_request` without a repository. */
  beginReview(
    sessionId: string,
    of: Operations["POST /api/v1/sessions/{id}/chat/review"]["body"],
    options: Waiting,
  ): Promise<void>
  /** Ends the review, if there is one. */
  endReview(sessionId: string, options: Waiting): Promise<void>
  /** Adds a page to the context. Throws `invalid_request` if the page can't be read. */
  addPage(
    sessionId: string,
    page: Operations["POST /api/v1/sessions/{id}/chat/urls"]["body"],
    options: Waiting,
  ): Promise<{ title: string; notice: string | null }>
  /** Removes a page from the context. */
  forgetPage(sessionId: string, url: string, options: Waiting): Promise<void>
  /** Rebuilds the context for the next turn. */
  rebuildContext(sessionId: string, options: Waiting): Promise<void>
  /** Returns the symbol map of the chat's code, as prompts contain it. */
  symbolMap(sessionId: string, options: Waiting): Promise<z.infer<typeof SymbolMap>>
  /** Selects the files that the model reads in full. */
  selectFiles(sessionId: string, files: string[], options: Waiting): Promise<z.infer<typeof Selection>>
}

/** Answer to a request that starts a run in a repository. */
const Begun = z.looseObject({ run_id: z.string().optional() })

export function createChatRequests({ ask }: Requests): ChatRequests {
  return {
    chat: (id, { signal }) => ask("GET /api/v1/sessions/{id}/chat", Chat, { path: { id }, query: {}, signal }),

    askChat: (id, body, { signal }) => ask("POST /api/v1/sessions/{id}/chat", ChatTurn, { path: { id }, body, signal }),

    async stopTurn({ sessionId, requestId }, { signal }) {
      const path = { id: sessionId, request: requestId }
      await ask("POST /api/v1/sessions/{id}/chat/{request}/cancel", z.unknown(), { path, signal })
    },

    async newChat(id, { signal }) {
      await ask("POST /api/v1/sessions/{id}/chat/new", z.unknown(), { path: { id }, signal })
    },

    async rewindChat(id, toSeq, { signal }) {
      const body = { to_seq: toSeq, files: true }
      const { run_id } = await ask("POST /api/v1/sessions/{id}/chat/rewind", Begun, { path: { id }, body, signal })
      return run_id === undefined
    },

    chatFiles: (id, { signal }) =>
      ask("GET /api/v1/sessions/{id}/chat/files", ChatFiles.loose(), { path: { id }, signal }),

    async readFiles(id, { signal }) {
      await ask("POST /api/v1/sessions/{id}/chat/files", z.unknown(), { path: { id }, signal })
    },

    commitFiles: (id, body, { signal }) =>
      ask("POST /api/v1/sessions/{id}/chat/commit", ChatTurn, { path: { id }, body, signal }),

    async resetFiles(id, { signal }) {
      const body = { confirm: true as const }
      const { run_id } = await ask("POST /api/v1/sessions/{id}/chat/reset", Begun, { path: { id }, body, signal })
      return run_id === undefined
    },

    async beginReview(id, body, { signal }) {
      await ask("POST /api/v1/sessions/{id}/chat/review", z.unknown(), { path: { id }, body, signal })
    },

    async endReview(id, { signal }) {
      await ask("DELETE /api/v1/sessions/{id}/chat/review", z.unknown(), { path: { id }, signal })
    },

    addPage: (id, body, { signal }) =>
      ask("POST /api/v1/sessions/{id}/chat/urls", z.looseObject({ title: z.string(), notice: z.string().nullable() }), {
        ...{ path: { id }, body, signal },
      }),

    async forgetPage(id, url, { signal }) {
      await ask("DELETE /api/v1/sessions/{id}/chat/urls", z.unknown(), { path: { id }, query: { url }, signal })
    },

    async rebuildContext(id, { signal }) {
      await ask("POST /api/v1/sessions/{id}/chat/context/rebuild", z.unknown(), { path: { id }, signal })
    },

    symbolMap: (id, { signal }) =>
      ask("GET /api/v1/sessions/{id}/symbols/map", SymbolMap.loose(), {
        ...{ path: { id }, query: { variant: "editor" }, signal },
      }),

    selectFiles: (id, files, { signal }) =>
      ask("PUT /api/v1/sessions/{id}/chat/selection", Selection.loose(), { path: { id }, body: { files }, signal }),
  }
}
