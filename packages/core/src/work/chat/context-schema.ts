import * as z from "zod"

const Tier = z.enum(["L0", "L1", "L2", "L3", "active"])

/** Part of the context, with its tier. */
export const PlacedItem = z.object({
  key: z.string(),
  hash: z.string(),
  tokens: z.number(),
  tier: Tier,
  n: z.int(),
  hidden: z.boolean(),
  edits: z.int().optional().describe("Number of times a file was edited while shown"),
  after: z.int().optional().describe("Number of the last message before a file's current text was first shown"),
  role: z.enum(["user", "assistant"]).optional().describe("Role, if the part is a message"),
  text: z.string().optional().describe("Text of a file's block in the code map, resent unchanged"),
})

const Move = z.object({ key: z.string(), from: Tier, to: Tier })

const Contents = z.object({
  type: z.enum(["file", "symbol", "history"]),
  count: z.int(),
  tokens: z.number(),
  items: z.array(z.object({ key: z.string(), tokens: z.number(), n: z.int() })),
})

/** Number of tokens in each part of the context. */
const Breakdown = z.object({
  system: z.number(),
  symbol_map: z.number(),
  files: z.number(),
  urls: z.number(),
  history: z.number(),
})

/** Context shown to the model, by tier. All token counts are estimates. */
export const ChatContext = z
  .object({
    tiers: z.array(
      z.object({
        tier: Tier,
        tokens: z.number(),
        cached: z.boolean(),
        threshold: z.number().nullable().describe("Count that moves a part up a tier"),
        contents: z.array(Contents),
      }),
    ),
    total_tokens: z.number(),
    breakdown: Breakdown.optional().describe("Tokens by purpose, excluding the file list and the message"),
    history_tokens: z.number(),
    history_budget: z.number(),
    unmapped_files: z
      .int()
      .optional()
      .describe("Number of code files missing from the map because they aren't parsed yet or don't fit"),
    rebuilt: z
      .array(z.object({ tier: Tier, before: z.int(), after: z.int() }))
      .optional()
      .describe("In the first turn after a rebuild, the number of parts per tier before and after it"),
    promotions: z.array(Move),
    demotions: z.array(Move),
  })
  .meta({ id: "ChatContext" })
export type ChatContext = z.infer<typeof ChatContext>
