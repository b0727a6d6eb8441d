import { writeFile } from "node:fs/promises"
import { seeded } from "../../../faults/random.ts"
import { actAtRandom, newTokens, tidy } from "./any-work.ts"
import { tokensIn } from "./found-tokens.ts"

// An agent's command. Acts in its worktree as the seed decides, and records the contents that must not be lost from
// then on.
const [seed = "0", lib = "", isTidy, record = ""] = process.argv.slice(2)
const actor = { tree: process.cwd(), lib: lib || undefined, token: newTokens(process.pid) }
await actAtRandom(actor, seeded(Number(seed)))
if (isTidy === "tidy") await tidy(actor)
await writeFile(record, JSON.stringify([...(await tokensIn(actor.tree))]))
