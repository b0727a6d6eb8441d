import * as z from "zod"
import { ImageRef } from "../../files/images/schema.ts"
import { event, runEvent } from "../../kernel/define-event.ts"
import { large } from "../../log/event.ts"
import { ChatContext, PlacedItem } from "./context-schema.ts"
import {
  ChangedFile,
  ChatCommit,
  ChatEdit,
  ChatMessage,
  ChatMode,
  ChatPage,
  ChatReview,
  FilesChange,
  TurnSummary,
  TurnUsage,
} from "./schema.ts"

const inTurn = { request_id: z.string(), chat_id: z.string() }

/** Events of a session's chat. */
export const chatEvents = [
  event("chat_opened", "A conversation was started, or an earlier one was reopened.", {
    chat_id: z.string(),
  }),
  event("chat_selection_changed", "The selection of files shown to the model in full changed.", {
    files: z.array(z.string()),
  }),
  event("chat_files_read", "The files of the repository's worktree were read for the chat.", {
    manifest: z.string(),
    files: z.int().nonnegative(),
    branch: z.string().nullable(),
    commit: z.string().nullable(),
  }),
  runEvent("chat_asked", "A person sent a message about the files.", {
    ...inTurn,
    content: large(z.string()),
    files: z.array(z.string()),
    images: z.array(ImageRef),
    urls: z.array(z.string()),
    excluded_urls: z.array(z.string()),
    mode: ChatMode,
    commit: ChatCommit.optional().describe("Present if the turn only commits the files, without asking a model"),
    workspace_version: z.int().nonnegative(),
    system_extra: z.string().optional().describe("Additional instructions from the owner or the session"),
  }),
  runEvent("chat_pages_read", "The pages linked in a message were read, or couldn't be read.", {
    ...inTurn,
    pages: large(z.array(ChatPage)),
  }),
  runEvent("chat_context_prepared", "The parts of this turn's context were assigned to tiers.", {
    ...inTurn,
    items: large(z.array(PlacedItem)),
    figures: large(ChatContext),
  }),
  runEvent("chat_files_added", "An answer edits files that the model hadn't seen, so it continues with them.", {
    ...inTurn,
    files: z.array(z.string()),
    content: large(z.string()).describe("The answer so far"),
    usage: TurnUsage,
  }),
  runEvent("chat_answered", "The model's answer is complete or was stopped.", {
    ...inTurn,
    content: large(z.string()),
    cancelled: z.boolean(),
    finish_reason: z.string().nullable(),
    usage: TurnUsage,
    shown_version: z.int().nonnegative().describe("Version of the files shown to the model"),
    shown_manifest: z.string().nullable(),
    shed_files: z.array(z.string()).describe("Selected files that didn't fit"),
    added_files: z.array(z.string()).optional().describe("Files added because the answer edited them unseen"),
    continued_at: z.int().optional().describe("Index in the content of the part written with these files"),
  }),
  runEvent(
    "chat_edits_applied",
    "The edits in an answer were applied or rejected, each with its own status, in one step.",
    {
      ...inTurn,
      edits: large(z.array(ChatEdit)),
      commit: z.string().nullable().optional().describe("Commit that contains the edits, in a repository"),
      commit_message: z.string().optional(),
      files: large(z.array(ChangedFile)).optional().describe("Changed files, for undo"),
    },
  ),
  runEvent("chat_committed", "The files were committed: in a repository, or as the version that a reset restores.", {
    ...inTurn,
    message: z.string(),
    version: z.int().nonnegative(),
    manifest: z.string().nullable(),
    commit: z.string().nullable().describe("Null outside a repository"),
  }),
  event("chat_edits_undone", "The edits in an answer were undone as a whole.", {
    chat_id: z.string(),
    request_id: z.string().describe("Turn of the answer"),
    files: z.array(z.string()),
    commit: z.string().nullable().describe("Commit that undoes the edits, in a repository"),
  }),
  runEvent("chat_turn_settled", "A turn is complete. The event contains its result.", {
    ...inTurn,
    summary: large(TurnSummary),
    usage: TurnUsage,
    cost_usd: z.number().nullable().optional().describe("List price of the answer, if known"),
    files: z.array(z.string()).describe("Files selected after the turn"),
  }),
  runEvent("chat_compaction_started", "The older part of the conversation is being summarised.", { ...inTurn }),
  runEvent("chat_compacted", "The model now sees a summary instead of the conversation before `kept_from`.", {
    ...inTurn,
    case: z.enum(["truncate", "summarize", "none"]),
    kept_from: z.int().positive().describe("`seq` of the first message kept unchanged"),
    summary: large(z.string()),
    messages_before: z.int(),
    messages_after: z.int(),
    tokens_before: z.int(),
    tokens_after: z.int(),
  }),
  event("chat_rewound", "The conversation and, if requested, the files were restored to an earlier point.", {
    chat_id: z.string(),
    to_seq: z.int().nonnegative().describe("Last event kept; later events remain in the log"),
    files: z.boolean().describe("True if the files were restored too"),
  }),
  runEvent("chat_rewind_requested", "A rewind of the conversation and the repository's files was requested.", {
    chat_id: z.string(),
    to_seq: z.int().nonnegative(),
  }),
  runEvent("chat_fork_requested", "The session starts as a copy of another session's conversation and files.", {
    chat_id: z.string(),
    from: z.object({ session_id: z.string(), to_seq: z.int().nonnegative() }),
  }),
  runEvent("chat_files_requested", "The chat requested to read or change the repository's files.", {
    task: z.enum(["read", "review", "reset", "undo"]),
  }),
  event("chat_write_started", "The repository's files are being changed for the chat.", {
    command_id: z.string().describe("ID of the worktree command"),
    change: FilesChange,
  }),
  event("chat_write_ended", "Changing the files ended. If it failed, the chat is unchanged as well.", {
    command_id: z.string(),
    reason: z.string().nullable().describe("Why nothing was changed; null on success"),
  }),
  event("chat_message_copied", "A message was copied from the session that this one was forked from.", {
    chat_id: z.string(),
    from: z.object({ session_id: z.string(), seq: z.int() }),
    message: large(ChatMessage),
  }),
  event("chat_page_added", "A person added a page to the model's context.", {
    chat_id: z.string(),
    page: large(ChatPage),
  }),
  runEvent("chat_page_summarized", "A page added by a person was summarised, and the model sees the summary instead.", {
    chat_id: z.string(),
    url: z.string(),
    summary: large(z.string()),
  }),
  event("chat_page_forgotten", "A page was removed from the model's context.", {
    chat_id: z.string(),
    url: z.string(),
  }),
  event("chat_context_rebuilt", "The next turn rebuilds the context from scratch.", {
    chat_id: z.string(),
  }),
  event("chat_review_started", "A review started. The model sees these changes, and no edits are applied.", {
    ...ChatReview.shape,
    changes: large(z.string()).describe("Changes as shown to the model"),
  }),
  event("chat_review_ended", "The review ended. Edits are applied again.", {}),
  event("chat_system_extra_set", "The session's additional instructions for the model changed.", {
    system_extra: z.string().nullable().describe("Null to use the owner's"),
  }),
  event("chat_noted", "Something happened to the files. The model is informed with the next message.", {
    chat_id: z.string(),
    text: z.string(),
  }),
] as const
