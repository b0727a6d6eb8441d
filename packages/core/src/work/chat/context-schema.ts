import * as z from "zod"

const Tier = z.enum(["L0", "L1", "L2", "L3", "active"])

/** The place of a part of the context. */
export const PlacedItem = z.object({
  key: z.string(),
  hash: z.string(),
  tokens: z.number(),
  tier: Tier,
  n: z.int(),
  hidden: z.boolean(),
  edits: z.int().optional().describe("The number of times that a file was edited while it was shown"),
  role: z.enum(["user", "assistant"]).optional().describe("Of a message"),
  text: z.string().optional().describe("Of a file's block in the map: as it was sent, for it is sent so again"),
})
export type PlacedItem = z.infer<typeof PlacedItem>

const Move = z.object({ key: z.string(), from: Tier, to: Tier })

const Contents = z.object({
  type: z.enum(["file", "symbol", "history"]),
  count: z.int(),
  tokens: z.number(),
  items: z.array(z.object({ key: z.string(), tokens: z.number(), n: z.int() })),
})

/** The tokens of the context by what they are for. */
const Breakdown = z.object({
  system: z.number(),
  symbol_map: z.number(),
  files: z.number(),
  urls: z.number(),
  history: z.number(),
})

/** The context that the model was shown, by how stable its parts are. All tokens are estimates. */
export const ChatContext = z
  .object({
    tiers: z.array(
      z.object({
        tier: Tier,
        tokens: z.number(),
        cached: z.boolean(),
        threshold: z.number().nullable().describe("The count from which a part goes on to the tier above"),
        contents: z.array(Contents),
      }),
    ),
    total_tokens: z.number(),
    breakdown: Breakdown.optional().describe(
      "The same by what they are for, but for the list of files and the message",
    ),
    history_tokens: z.number(),
    history_budget: z.number(),
    unmapped_files: z.int().optional().describe("Files of code that the map doesn't show yet, or has no room for"),
    rebuilt: z
      .array(z.object({ tier: Tier, before: z.int(), after: z.int() }))
      .optional()
      .describe("In the first turn after a rebuild: the number of parts in each tier before it and since"),
    promotions: z.array(Move),
    demotions: z.array(Move),
  })
  .meta({ id: "ChatContext" })
export type ChatContext = z.infer<typeof ChatContext>
