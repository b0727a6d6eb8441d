import * as z from "zod"
import { UsageCounts } from "../../models/schema.ts"

/** The agent that turns of a chat belong to. */
export const CHAT_AGENT = "chat"

/** The agent that summaries of pages belong to which a person adds beside the conversation. */
export const PAGE_AGENT = "pages"

/** The agent that runs belong to which change a chat or its files as a whole, such as a rewind: a session has one at a time. */
export const MOMENT_AGENT = "moments"

/** The agent that readings of a repository's files belong to, which keep nothing else waiting. */
export const READING_AGENT = "readings"

/** The suffix of an answer that was stopped on its way. */
export const STOPPED = "\n\n[stopped]"

export const ChatMode = z
  .enum(["edit", "review"])
  .describe("edit: what an answer changes is applied. review: nothing is ever applied")
export type ChatMode = z.infer<typeof ChatMode>

/** The request's id, which names its turn: given by the client, or made by the server. */
export const RequestId = z
  .string()
  .regex(/^\d{10,16}-[a-zA-Z0-9]{4,32}$/, "A request id is `{epoch_ms}-{random_alphanumeric}`.")

/** A request to commit the files; with a null message, a small model writes it. */
export const ChatCommit = z.object({ message: z.string().nullable() })
export type ChatCommit = z.infer<typeof ChatCommit>

/** The input of a turn's run. What was asked is in `chat_asked`, which is written together with the run. */
export const ChatInput = z.object({ request_id: RequestId, words: z.string() })
export type ChatInput = z.infer<typeof ChatInput>

/** The input of a run that summarises a page of a conversation. The page itself is in `chat_page_added`. */
export const PageInput = z.object({ chat_id: z.string(), url: z.string() })
export type PageInput = z.infer<typeof PageInput>

/** The input of a run that takes a conversation back, and the files of its repository with it. */
export const RewindInput = z.object({
  chat_id: z.string(),
  to_seq: z.int().nonnegative().describe("The event after which everything is undone"),
})
export type RewindInput = z.infer<typeof RewindInput>

/** The input of a run that begins a session with the conversation and the files of another one's moment. */
export const ForkInput = z.object({
  chat_id: z.string(),
  from: z.object({
    session_id: z.string(),
    name: z.string(),
    to_seq: z.int().nonnegative().describe("The event after which everything is left out"),
  }),
})
export type ForkInput = z.infer<typeof ForkInput>

/** The input of a run that reads the files of its session's repository, or does something else with them for the chat. */
export const FilesTask = z.discriminatedUnion("task", [
  z.object({ task: z.literal("read") }),
  z.object({ task: z.literal("review"), base: z.string().nullable(), tip: z.string().nullable() }),
  z.object({ task: z.literal("reset") }),
  z.object({ task: z.literal("undo"), request_id: RequestId }),
])
export type FilesTask = z.infer<typeof FilesTask>

/** The change of a chat with which a change of its repository's files ends. */
export const FilesChange = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("rewind"),
    chat_id: z.string(),
    to_seq: z.int().nonnegative(),
    manifest: z.string().describe("The files as they will be"),
    files: z.int().nonnegative(),
  }),
  z.object({ kind: z.literal("reset") }),
  z.object({ kind: z.literal("undo"), chat_id: z.string(), request_id: RequestId, files: z.array(z.string()) }),
])
export type FilesChange = z.infer<typeof FilesChange>

/** The suffixes of images that models read. */
export const MAX_IMAGES = 5
export const MAX_IMAGE_BYTES = 5 * 1024 * 1024

/** An image of a message, by its artifact. */
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

/** A page that a message named, as it was read for the model. */
export const ChatPage = z.object({
  url: z.string(),
  title: z.string(),
  text: z.string(),
  error: z.string().nullable().describe("Why it could not be read"),
  summary: z
    .string()
    .optional()
    .describe("What the model is shown in place of a long text, by the provider's small model"),
})
export type ChatPage = z.infer<typeof ChatPage>

/** The result of one edit block of an answer. */
export const ChatEdit = z.object({
  file_path: z.string(),
  status: EditStatus,
  message: z.string(),
  error_type: EditErrorType.nullable(),
  is_create: z.boolean(),
  old_text: z.string().describe("The lines that were to be replaced"),
  new_text: z.string().describe("The lines that took their place"),
  line: z.int().positive().nullable().describe("Where the lines begin in the file; null where nothing was applied"),
  faults: z
    .array(z.string())
    .optional()
    .describe("What is certainly wrong with the file since the answer's edits of it, of which this is the last"),
})
export type ChatEdit = z.infer<typeof ChatEdit>

/** A file that an answer changed, by the hashes of its bytes; null where there was no file. */
export const ChangedFile = z.object({
  path: z.string(),
  before: z.string().nullable(),
  after: z.string(),
})
export type ChangedFile = z.infer<typeof ChangedFile>

/** Tokens of a turn: what the provider counted, with estimates beside what it did not. */
export const TurnUsage = UsageCounts.extend({
  estimated_input: z.number().nullable().describe("An estimate, where the provider reported no input"),
  estimated_output: z.number().nullable().describe("An estimate, where the provider reported no output"),
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
        .describe("Edits that name no file or are of another form, if any: no result tells of them"),
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
    url_context: z.array(z.string()).describe("The addresses that were read for this turn"),
    retry_prompt: z
      .string()
      .nullable()
      .describe("A message that asks for the failed edits again, or to mend what is wrong since; never sent by itself"),
    cost_usd: z.number().nullable().optional().describe("The list price of the answer; null where it is not known"),
    workspace_version: z.int().nonnegative(),
    notice: z.string().nullable().describe("What a person should know about the turn"),
  })
  .meta({ id: "ChatTurnResult" })
export type TurnResult = z.infer<typeof TurnResult>

/** The part of a result that stands beside the answer and its edits, which have events of their own. */
export const TurnSummary = TurnResult.omit({ response: true, edit_results: true, token_usage: true, cancelled: true })
export type TurnSummary = z.infer<typeof TurnSummary>

/** Tokens of all turns of a session. */
export const ChatTotals = z.object({
  turns: z.int(),
  prompt: z.number(),
  completion: z.number(),
  cache_read: z.number(),
  cache_write: z.number(),
  estimated_turns: z.int().describe("The turns whose tokens their provider did not report"),
  cost_usd: z.number().describe("The list price of the turns where it is known"),
  unpriced_turns: z.int().describe("The turns where it is not"),
})
export type ChatTotals = z.infer<typeof ChatTotals>

/** The changes that are reviewed, as they were when the review began. */
export const ChatReview = z
  .object({
    base: z.string().nullable().describe("The branch, tag or commit that was named; null for where the work began"),
    tip: z.string().nullable().describe("The same; null for the worktree's files"),
    base_commit: z.string().describe("Where both parted"),
    tip_commit: z.string(),
    summary: z.string(),
  })
  .meta({ id: "ChatReview" })
export type ChatReview = z.infer<typeof ChatReview>

/** A message of a conversation, as people read it. */
export const ChatMessage = z
  .object({
    seq: z.int().positive().describe("Where it stands in the session's log"),
    end_seq: z.int().positive().describe("The last event that belongs to it: rewind or fork after that"),
    ts: z.string(),
    request_id: z.string().nullable().describe("The turn that it belongs to"),
    role: z.enum(["user", "assistant"]),
    content: z.string(),
    system_event: z.boolean().describe("Something that happened, such as a commit; the model reads it as a message"),
    files: z.array(z.string()),
    images: z.array(ChatImage),
    mode: ChatMode,
    result: TurnResult.nullable().describe("Of an answer that is settled"),
    version: z.int().nonnegative().describe("The version of the files after it"),
    undone: z.boolean().optional().describe("Whether the edits of the answer were undone"),
  })
  .meta({ id: "ChatMessage" })
export type ChatMessage = z.infer<typeof ChatMessage>

/** The shortening of a conversation for the model, which no longer reads the messages before it. */
export const ChatCompaction = z
  .object({
    seq: z.int().positive(),
    ts: z.string(),
    case: z.enum(["truncate", "summarize"]).describe("truncate: what is left out was about something else"),
    kept_from: z.int().positive().describe("The first message that the model still reads as it is"),
    summary: z.string().describe("What it reads in place of those before"),
    tokens_before: z.number(),
    tokens_after: z.number(),
  })
  .meta({ id: "ChatCompaction" })
export type ChatCompaction = z.infer<typeof ChatCompaction>

/** A way that a conversation left when it was rewound. */
export const ChatBranch = z
  .object({
    seq: z.int().positive().describe("The rewind"),
    ts: z.string(),
    to_seq: z.int().nonnegative().describe("Where the conversation went on"),
    left_seq: z.int().nonnegative().describe("The end of the way that was left: rewind to it to return"),
    message_count: z.int(),
    preview: z.string().describe("The first message of the way that was left"),
  })
  .meta({ id: "ChatBranch" })
export type ChatBranch = z.infer<typeof ChatBranch>
