import * as z from "zod"
import { charLimit } from "../../text-limits-schema.ts"
import {
  ChatBranch,
  ChatCompaction,
  ChatMessage,
  ChatMode,
  ChatReview,
  ChatTotals,
  MAX_IMAGES,
  RequestId,
} from "./schema.ts"

export const NewChatTurn = z
  .object({
    request_id: RequestId.optional().describe("The same one sent again is the same turn; made where it is left out"),
    message: z.string().max(...charLimit("prompt")),
    files: z.array(z.string().max(1024)).max(1000).optional().describe("The selection; without it, the present one"),
    images: z
      .array(z.string())
      .max(MAX_IMAGES)
      .default([])
      .describe("PNG, JPEG, GIF or WebP as data URIs of up to 5 MB, or the `path` of an upload"),
    urls: z.array(z.url()).max(20).default([]).describe("Addresses whose fetched content is shown to the model"),
    excluded_urls: z.array(z.string()).max(50).default([]).describe("Addresses in the message that are not fetched"),
    model: z.string().max(200).nullish(),
    mode: ChatMode.default("edit"),
    api_key: z.string().max(500).nullish(),
  })
  .meta({ id: "NewChatTurn" })
export type NewChatTurn = z.infer<typeof NewChatTurn>

export const StartedTurn = z
  .object({ status: z.literal("started"), request_id: z.string(), run_id: z.string() })
  .meta({ id: "StartedChatTurn" })
export type StartedTurn = z.infer<typeof StartedTurn>

export const StartedChatRun = z
  .object({ status: z.literal("started"), run_id: z.string().describe("The run that does it") })
  .meta({ id: "StartedChatRun" })
export type StartedChatRun = z.infer<typeof StartedChatRun>

/** A turn that is under way. */
const TurnInFlight = z.object({
  request_id: z.string(),
  run_id: z.string(),
  content: z.string().describe("The answer so far"),
})

export const ChatView = z
  .object({
    chat_id: z.string().nullable().describe("The conversation; null before its first message"),
    selected_files: z.array(z.string()),
    messages: z.array(ChatMessage).describe("The newest, in their order"),
    before: z.int().nullable().describe("To be given as `before` for what came earlier; null where nothing did"),
    branches: z.array(ChatBranch),
    compaction: ChatCompaction.nullable().describe(
      "The newest summary in place of early messages; null where there is none",
    ),
    in_flight: TurnInFlight.nullable(),
    model: z.string(),
    mode: ChatMode,
    system_extra: z
      .string()
      .nullable()
      .describe("What the model is told in this session beside the product's own instructions; null for the owner's"),
    restoring: z
      .object({
        kind: z.enum(["rewind", "fork", "review", "reset", "undo"]),
        run_id: z.string(),
        error: z.string().nullable().describe("Why it came to nothing; null while it is under way"),
      })
      .nullable()
      .describe("What is being done with a repository's files and the chat as a whole, or came to nothing"),
    reading: z
      .object({ run_id: z.string(), error: z.string().nullable().describe("Why it came to nothing") })
      .nullable()
      .describe("The reading of a repository's files that was asked for and is under way, or came to nothing"),
    review: ChatReview.nullable().describe("What is being reviewed; meanwhile no edit is applied"),
    totals: ChatTotals,
  })
  .meta({ id: "Chat" })
export type ChatView = z.infer<typeof ChatView>

export const ChatForecast = z
  .object({
    cached_tokens: z.number().describe("What the next turn can read from the provider's cache"),
    lost_tokens: z.number().describe("What the last turn left there, and the next one has to write anew"),
    changes: z.array(
      z.object({
        tier: z.enum(["L0", "L1", "L2", "L3"]),
        path: z.string(),
        reason: z.enum(["edited", "added", "removed", "moved"]),
      }),
    ),
    cost_usd: z.number().nullable().describe("Of writing those anew; null where the model's price is not known"),
  })
  .meta({ id: "ChatForecast" })
export type ChatForecast = z.infer<typeof ChatForecast>

export const ChatFiles = z
  .object({
    files: z.array(z.object({ path: z.string(), size: z.int().nonnegative(), binary: z.boolean() })),
    is_read: z
      .boolean()
      .describe("False for a repository's files that nobody has had read yet: the list is empty then"),
  })
  .meta({ id: "ChatFiles" })
export type ChatFiles = z.infer<typeof ChatFiles>

export const ChatInstructions = z
  .strictObject({
    system_extra: z
      .string()
      .max(8000)
      .nullable()
      .describe("What the model is told beside the product's own instructions; null for the owner's preference"),
  })
  .meta({ id: "ChatInstructions" })
export type ChatInstructions = z.infer<typeof ChatInstructions>

export const Selection = z
  .object({
    selected_files: z.array(z.string()),
    refused: z.array(z.object({ path: z.string(), reason: z.enum(["missing", "binary", "folder"]) })),
  })
  .meta({ id: "ChatSelection" })
export type Selection = z.infer<typeof Selection>

export const ChatSession = z
  .object({
    session_id: z.string(),
    timestamp: z.string().describe("Of its first message"),
    message_count: z.int(),
    preview: z.string().describe("The beginning of its first message"),
    first_role: z.string(),
    current: z.boolean().describe("Whether the next message belongs to it"),
  })
  .meta({ id: "ChatSession" })
export type ChatSession = z.infer<typeof ChatSession>

export const FoundMessage = ChatMessage.pick({ seq: true, ts: true, role: true, content: true, request_id: true })
  .extend({ session_id: z.string() })
  .meta({ id: "FoundChatMessage" })
export type FoundMessage = z.infer<typeof FoundMessage>
