import type { Operations } from "@switchyard/client/operations"
import { ChatFiles, Selection } from "@switchyard/core/work/chat/request-schema"
import { SymbolMap } from "@switchyard/core/work/chat/symbols-schema"
import * as z from "zod"
import { Chat, ChatTurn } from "../responses.ts"
import type { Requests, Waiting } from "./requests.ts"

/** The chat over the files of a session. */
export interface ChatRequests {
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
  /** Takes the conversation and the files back to an event. Resolves to whether that is done: a repository takes longer. */
  rewindChat(sessionId: string, toSeq: number, options: Waiting): Promise<boolean>
  /** The files that a chat is about; those of a repository as they were last read. */
  chatFiles(sessionId: string, options: Waiting): Promise<z.infer<typeof ChatFiles>>
  /** Has the files of a session's repository read. Resolves once that has begun. */
  readFiles(sessionId: string, options: Waiting): Promise<void>
  /** Starts the turn that commits the files; without a message, a small model writes it. */
  commitFiles(
    sessionId: string,
    commit: Operations["POST /api/v1/sessions/{id}/chat/commit"]["body"],
    options: Waiting,
  ): Promise<ChatTurn>
  /** Takes the files back to the last commit. Resolves to whether that is done: a repository takes longer. */
  resetFiles(sessionId: string, options: Waiting): Promise<boolean>
  /**
   * Has the chat review what changed in the repository since `base`. Resolves once that has begun. Throws `invalid_request`
   * without a repository.
   */
  beginReview(
    sessionId: string,
    of: Operations["POST /api/v1/sessions/{id}/chat/review"]["body"],
    options: Waiting,
  ): Promise<void>
  /** Ends the review, if there is one. */
  endReview(sessionId: string, options: Waiting): Promise<void>
  /** Reads a page for the model. Throws `invalid_request` for one that can't be read. */
  addPage(
    sessionId: string,
    page: Operations["POST /api/v1/sessions/{id}/chat/urls"]["body"],
    options: Waiting,
  ): Promise<{ title: string; notice: string | null }>
  /** Shows the model a page no longer. */
  forgetPage(sessionId: string, url: string, options: Waiting): Promise<void>
  /** Has the next turn deal its context out anew. */
  rebuildContext(sessionId: string, options: Waiting): Promise<void>
  /** The map of the code that a chat is about, as a prompt has it. */
  symbolMap(sessionId: string, options: Waiting): Promise<z.infer<typeof SymbolMap>>
  /** Selects the files that the model is shown in full. */
  selectFiles(sessionId: string, files: string[], options: Waiting): Promise<z.infer<typeof Selection>>
}

/** The answer to what takes a run in a repository. */
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
