import * as z from "zod"
import { event, runEvent } from "../../kernel/define-event.ts"
import { large } from "../../log/event.ts"
import { ChatContext, PlacedItem } from "./context-schema.ts"
import {
  ChangedFile,
  ChatCommit,
  ChatEdit,
  ChatImage,
  ChatMessage,
  ChatMode,
  ChatPage,
  ChatReview,
  FilesChange,
  TurnSummary,
  TurnUsage,
} from "./schema.ts"

const inTurn = { request_id: z.string(), chat_id: z.string() }

/** The conversation about a session's files. */
export const chatEvents = [
  event("chat_opened", "A conversation was begun, or an earlier one is continued.", {
    chat_id: z.string(),
  }),
  event("chat_selection_changed", "The files that the model is shown in full are others.", {
    files: z.array(z.string()),
  }),
  event("chat_files_read", "The files of the repository's worktree were read for the chat, all of them.", {
    manifest: z.string(),
    files: z.int().nonnegative(),
    branch: z.string().nullable(),
    commit: z.string().nullable(),
  }),
  runEvent("chat_asked", "A person asked something about the files.", {
    ...inTurn,
    content: large(z.string()),
    files: z.array(z.string()),
    images: z.array(ChatImage),
    urls: z.array(z.string()),
    excluded_urls: z.array(z.string()),
    mode: ChatMode,
    commit: ChatCommit.optional().describe(
      "Present where the files are to be committed, and no model is asked about them",
    ),
    workspace_version: z.int().nonnegative(),
    system_extra: z.string().optional().describe("The owner's or the session's addition to what the model is told"),
  }),
  runEvent("chat_pages_read", "The pages that a message names were read, or could not be.", {
    ...inTurn,
    pages: large(z.array(ChatPage)),
  }),
  runEvent("chat_context_prepared", "What the model is shown in this turn was decided: where each part of it stands.", {
    ...inTurn,
    items: large(z.array(PlacedItem)),
    figures: large(ChatContext),
  }),
  runEvent("chat_answered", "The model's answer is whole, or was stopped.", {
    ...inTurn,
    content: large(z.string()),
    cancelled: z.boolean(),
    finish_reason: z.string().nullable(),
    usage: TurnUsage,
    shown_version: z.int().nonnegative().describe("The version of the files that the model was shown"),
    shown_manifest: z.string().nullable(),
    shed_files: z.array(z.string()).describe("Selected files that were left out, for lack of room"),
  }),
  runEvent("chat_edits_applied", "The edits of an answer were applied, or refused, all together.", {
    ...inTurn,
    edits: large(z.array(ChatEdit)),
    commit: z.string().nullable().optional().describe("The commit that has them, in a repository"),
    commit_message: z.string().optional(),
    files: large(z.array(ChangedFile)).optional().describe("What it changed, to be undone"),
  }),
  runEvent("chat_committed", "The files were committed: in a repository, or as a version that a reset goes back to.", {
    ...inTurn,
    message: z.string(),
    version: z.int().nonnegative(),
    manifest: z.string().nullable(),
    commit: z.string().nullable().describe("In a repository"),
  }),
  event("chat_edits_undone", "The edits of an answer were taken back, all together.", {
    chat_id: z.string(),
    request_id: z.string().describe("The turn of the answer"),
    files: z.array(z.string()),
    commit: z.string().nullable().describe("The commit that takes them back, in a repository"),
  }),
  runEvent("chat_turn_settled", "A turn is complete: this is its result.", {
    ...inTurn,
    summary: large(TurnSummary),
    usage: TurnUsage,
    cost_usd: z.number().nullable().optional().describe("The list price of the answer, where it is known"),
    files: z.array(z.string()).describe("The files that are selected from here on"),
  }),
  runEvent("chat_compaction_started", "The beginning of the conversation is being summarised.", { ...inTurn }),
  runEvent("chat_compacted", "The model reads a summary in place of the conversation before `kept_from`.", {
    ...inTurn,
    case: z.enum(["truncate", "summarize", "none"]),
    kept_from: z.int().positive().describe("The seq of the first message that stays as it is"),
    summary: large(z.string()),
    messages_before: z.int(),
    messages_after: z.int(),
    tokens_before: z.int(),
    tokens_after: z.int(),
  }),
  event(
    "chat_rewound",
    "The conversation, and the files if they were asked for, are as they were at an earlier moment.",
    {
      chat_id: z.string(),
      to_seq: z.int().nonnegative().describe("The event after which everything is undone; it stays in the log"),
      files: z.boolean().describe("Whether the files were taken back, too"),
    },
  ),
  runEvent(
    "chat_rewind_requested",
    "Somebody asked for the conversation and the repository's files of an earlier moment.",
    {
      chat_id: z.string(),
      to_seq: z.int().nonnegative(),
    },
  ),
  runEvent(
    "chat_fork_requested",
    "The session is to begin with the conversation and the files of another one's moment.",
    {
      chat_id: z.string(),
      from: z.object({ session_id: z.string(), to_seq: z.int().nonnegative() }),
    },
  ),
  runEvent(
    "chat_files_requested",
    "Somebody asked for the files of the repository to be read, or for a change of them.",
    {
      task: z.enum(["read", "review", "reset", "undo"]),
    },
  ),
  event("chat_write_started", "The files of the repository are being changed for the chat.", {
    command_id: z.string().describe("The command to the worktree that does it"),
    change: FilesChange,
  }),
  event("chat_write_ended", "The files were changed, or could not be: the chat stays as it is, too, then.", {
    command_id: z.string(),
    reason: z.string().nullable().describe("Why nothing was changed; null if it was"),
  }),
  event("chat_message_copied", "A message of the session that this one was forked from.", {
    chat_id: z.string(),
    from: z.object({ session_id: z.string(), seq: z.int() }),
    message: large(ChatMessage),
  }),
  event("chat_page_added", "A person added a page to what the model is shown.", {
    chat_id: z.string(),
    page: large(ChatPage),
  }),
  runEvent("chat_page_summarized", "A page that a person added was summarised: the model is shown that in its place.", {
    chat_id: z.string(),
    url: z.string(),
    summary: large(z.string()),
  }),
  event("chat_page_forgotten", "A page is no longer part of what the model is shown.", {
    chat_id: z.string(),
    url: z.string(),
  }),
  event("chat_context_rebuilt", "The next turn deals the context out anew, as the first one did.", {
    chat_id: z.string(),
  }),
  event("chat_review_started", "The model is shown these changes with each message, and nothing is edited.", {
    ...ChatReview.shape,
    changes: large(z.string()).describe("As the model is shown them"),
  }),
  event("chat_review_ended", "The review is over: edits are applied again.", {}),
  event(
    "chat_system_extra_set",
    "What the model is told in this session beside the product's own instructions is another.",
    {
      system_extra: z.string().nullable().describe("Null for the owner's"),
    },
  ),
  event("chat_noted", "Something happened to the files that the model is told with the next message.", {
    chat_id: z.string(),
    text: z.string(),
  }),
] as const
