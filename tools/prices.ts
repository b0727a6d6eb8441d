// Updates the list prices of models from LiteLLM's public price list: `node tools/prices.ts`, optionally followed by the
// address or path of another copy, and `--as-of` with its date.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { priceList } from "@switchyard/core/models/price-list"
import { mergePrices, priceModule, readPrices } from "./prices/price-list.ts"

const SOURCE = "https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    "as-of": { type: "string", default: new Date().toISOString().slice(0, 10) },
    to: { type: "string", default: join(import.meta.dirname, "../packages/core/src/models/price-list.ts") },
  },
})
const [source = SOURCE] = positionals
const list = mergePrices(priceList, readPrices(JSON.parse(await read(source)), values["as-of"]))
writeFileSync(values.to, priceModule(list, values["as-of"]))
for (const [provider, prices] of Object.entries(list))
  console.log(`${provider}: ${Object.keys(prices ?? {}).length} models`)

async function read(from: string): Promise<string> {
  if (!/^https?:/.test(from)) return readFileSync(from, "utf8")
  const response = await fetch(from)
  if (!response.ok) throw new Error(`${from} answered ${response.status}.`)
  return response.text()
}
