import * as z from "zod"
import { UsageCounts } from "../../models/schema.ts"

/** Agent of chat turns. */
export const CHAT_AGENT = "chat"

/** Agent of summaries of pages added outside the conversation. */
export const PAGE_AGENT = "pages"

/** Agent of runs that change a chat or its files as a whole, such as a rewind. A session has one at a time. */
export const MOMENT_AGENT = "moments"

/** Agent of readings of a repository's files, which block nothing else. */
export const READING_AGENT = "readings"

/** Suffix of a stopped answer. */
export const STOPPED = "\n\n[stopped]"

export const ChatMode = z
  .enum(["edit", "review"])
  .describe("`edit` applies an answer's changes; `review` never applies any")
export type ChatMode = z.infer<typeof ChatMode>

/** Id of a request and its turn, from the client or the server. */
export const RequestId = z
  .string()
  .regex(/^\d{10,16}-[a-zA-Z0-9]{4,32}$/, "A request id is `{epoch_ms}-{random_alphanumeric}`.")

/** A request to commit the files. With a null message, a small model writes it. */
export const ChatCommit = z.object({ message: z.string().nullable() })
export type ChatCommit = z.infer<typeof ChatCommit>

/** Input of a turn's run. The question is in `chat_asked`, which is written together with the run. */
export const ChatInput = z.object({ request_id: RequestId, words: z.string() })
export type ChatInput = z.infer<typeof ChatInput>

/** Input of a run that summarises a page of a conversation. The page is in `chat_page_added`. */
export const PageInput = z.object({ chat_id: z.string(), url: z.string() })
export type PageInput = z.infer<typeof PageInput>

/** Input of a run that rewinds a conversation and the files of its repository. */
export const RewindInput = z.object({
  chat_id: z.string(),
  to_seq: z.int().nonnegative().describe("Last event that is kept"),
})
export type RewindInput = z.infer<typeof RewindInput>

/** Input of a run that starts a session with another session's conversation and files. */
export const ForkInput = z.object({
  chat_id: z.string(),
  from: z.object({
    session_id: z.string(),
    name: z.string(),
    to_seq: z.int().nonnegative().describe("Last event that is copied"),
  }),
})
export type ForkInput = z.infer<typeof ForkInput>

/** Input of a run that reads or changes the files of its session's repository for the chat. */
export const FilesTask = z.discriminatedUnion("task", [
  z.object({ task: z.literal("read") }),
  z.object({ task: z.literal("review"), base: z.string().nullable(), tip: z.string().nullable() }),
  z.object({ task: z.literal("reset") }),
  z.object({ task: z.literal("undo"), request_id: RequestId }),
])
export type FilesTask = z.infer<typeof FilesTask>

/** The change of a chat that completes a change of its repository's files. */
export const FilesChange = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("rewind"),
    chat_id: z.string(),
    to_seq: z.int().nonnegative(),
    manifest: z.string().describe("Manifest of the restored files"),
    files: z.int().nonnegative(),
  }),
  z.object({ kind: z.literal("reset") }),
  z.object({ kind: z.literal("undo"), chat_id: z.string(), request_id: RequestId, files: z.array(z.string()) }),
])
export type FilesChange = z.infer<typeof FilesChange>

/** Limits of images in a message. */
export const MAX_IMAGES = 5
export const MAX_IMAGE_BYTES = 5 * 1024 * 1024

/** An image of a message, stored as an artifact. */
export const ChatImage = z.object({ path: z.string(), media_type: z.string(), size: z.int().nonnegative() })
export type ChatImage = z.infer<typeof ChatImage>

const EditStatus = z.enum(["applied", "already_applied", "validated", "failed", "skipped", "not_in_context"])
const EditErrorType = z.enum([
  "anchor_not_found",
  "ambiguous_anchor",
  "file_not_found",
  "write_error",
  "validation_error",
])

/** A page in a message, as read for the model. */
export const ChatPage = z.object({
  url: z.string(),
  title: z.string(),
  text: z.string(),
  error: z.string().nullable().describe("Why the page could not be read"),
  summary: z.string().optional().describe("Summary of a long text by the provider's small model, shown instead"),
})
export type ChatPage = z.infer<typeof ChatPage>

/** The result of one edit block of an answer. */
export const ChatEdit = z.object({
  file_path: z.string(),
  status: EditStatus,
  message: z.string(),
  error_type: EditErrorType.nullable(),
  is_create: z.boolean(),
  old_text: z.string().describe("Lines to replace"),
  new_text: z.string().describe("Replacement lines"),
  line: z.int().positive().nullable().describe("First line in the file; null if nothing was applied"),
  faults: z
    .array(z.string())
    .optional()
    .describe("Definite new faults of the file after all of the answer's edits; only on the last edit of the file"),
})
export type ChatEdit = z.infer<typeof ChatEdit>

/** A file that an answer changed, with hashes before and after. Null if there was no file. */
export const ChangedFile = z.object({
  path: z.string(),
  before: z.string().nullable(),
  after: z.string(),
})
export type ChangedFile = z.infer<typeof ChangedFile>

/** Tokens of a turn: the provider's counts, and estimates for missing ones. */
export const TurnUsage = UsageCounts.extend({
  estimated_input: z.number().nullable().describe("Estimate, if the provider reported no input"),
  estimated_output: z.number().nullable().describe("Estimate, if the provider reported no output"),
})
export type TurnUsage = z.infer<typeof TurnUsage>

const ErrorInfo = z.object({
  type: z.string(),
  message: z.string(),
  hint: z.string(),
  retry_after: z.number().nullable().describe("Seconds"),
  model: z.string(),
})

/** The result of a turn. */
export const TurnResult = z
  .object({
    response: z.string(),
    token_usage: TurnUsage,
    edit_blocks: z.array(z.object({ file: z.string(), is_create: z.boolean() })),
    shell_commands: z.array(z.string()).describe("Suggested in the answer; never run"),
    passed: z.array(z.string()),
    failed: z.array(z.object({ file: z.string(), error: z.string() })),
    skipped: z.array(z.string()),
    counts: z.object({
      passed: z.int(),
      already_applied: z.int(),
      failed: z.int(),
      skipped: z.int(),
      not_in_context: z.int(),
      unreadable: z
        .int()
        .optional()
        .describe("Edits without a file or in another format, if any; they have no results"),
    }),
    files_modified: z.array(z.string()),
    files_created: z.array(z.string()),
    files_auto_added: z.array(z.string()).describe("Selected because the answer wanted to edit them"),
    edit_results: z.array(ChatEdit),
    cancelled: z.boolean(),
    error: z.string().nullable(),
    error_info: ErrorInfo.nullable(),
    binary_files: z.array(z.string()),
    invalid_files: z.array(z.string()),
    shed_files: z.array(z.string()).describe("Left out because the prompt would have been too long"),
    finish_reason: z.string().nullable(),
    url_context: z.array(z.string()).describe("Addresses that were read for this turn"),
    retry_prompt: z
      .string()
      .nullable()
      .describe(
        "Suggested message that requests failed edits again, or asks to fix new faults; never sent automatically",
      ),
    cost_usd: z.number().nullable().optional().describe("List price of the answer; null if unknown"),
    workspace_version: z.int().nonnegative(),
    notice: z.string().nullable().describe("Notice about the turn for people"),
  })
  .meta({ id: "ChatTurnResult" })
export type TurnResult = z.infer<typeof TurnResult>

/** A result without the answer and its edits, which have their own events. */
export const TurnSummary = TurnResult.omit({ response: true, edit_results: true, token_usage: true, cancelled: true })
export type TurnSummary = z.infer<typeof TurnSummary>

/** Tokens of all turns of a session. */
export const ChatTotals = z.object({
  turns: z.int(),
  prompt: z.number(),
  completion: z.number(),
  cache_read: z.number(),
  cache_write: z.number(),
  estimated_turns: z.int().describe("Turns without tokens reported by the provider"),
  cost_usd: z.number().describe("List price of all turns with a known price"),
  unpriced_turns: z.int().describe("Turns without a known price"),
})
export type ChatTotals = z.infer<typeof ChatTotals>

/** The changes under review, as they were when the review began. */
export const ChatReview = z
  .object({
    base: z.string().nullable().describe("Branch, tag or commit; null for the start of the work"),
    tip: z.string().nullable().describe("Branch, tag or commit; null for the worktree's files"),
    base_commit: z.string().describe("Common ancestor of both"),
    tip_commit: z.string(),
    summary: z.string(),
  })
  .meta({ id: "ChatReview" })
export type ChatReview = z.infer<typeof ChatReview>

/** A message of a conversation for people. */
export const ChatMessage = z
  .object({
    seq: z.int().positive().describe("Position in the session's log"),
    end_seq: z.int().positive().describe("Last event of the message, the target for a rewind or fork"),
    ts: z.string(),
    request_id: z.string().nullable().describe("Turn of the message"),
    role: z.enum(["user", "assistant"]),
    content: z.string(),
    system_event: z.boolean().describe("True for an event such as a commit; the model reads it as a message"),
    files: z.array(z.string()),
    images: z.array(ChatImage),
    mode: ChatMode,
    result: TurnResult.nullable().describe("Result of a settled answer"),
    version: z.int().nonnegative().describe("Version of the files after the message"),
    undone: z.boolean().optional().describe("True if the edits of the answer were undone"),
  })
  .meta({ id: "ChatMessage" })
export type ChatMessage = z.infer<typeof ChatMessage>

/** Shortening of a conversation for the model, which no longer reads earlier messages. */
export const ChatCompaction = z
  .object({
    seq: z.int().positive(),
    ts: z.string(),
    case: z.enum(["truncate", "summarize"]).describe("`truncate` omits messages about another topic"),
    kept_from: z.int().positive().describe("First message that the model still reads unchanged"),
    summary: z.string().describe("Summary that replaces earlier messages"),
    tokens_before: z.number(),
    tokens_after: z.number(),
  })
  .meta({ id: "ChatCompaction" })
export type ChatCompaction = z.infer<typeof ChatCompaction>

/** A branch that a rewind abandoned. */
export const ChatBranch = z
  .object({
    seq: z.int().positive().describe("Event of the rewind"),
    ts: z.string(),
    to_seq: z.int().nonnegative().describe("Event from which the conversation continued"),
    left_seq: z.int().nonnegative().describe("Last event of the branch; rewind to it to return"),
    message_count: z.int(),
    preview: z.string().describe("First message of the branch"),
  })
  .meta({ id: "ChatBranch" })
export type ChatBranch = z.infer<typeof ChatBranch>
