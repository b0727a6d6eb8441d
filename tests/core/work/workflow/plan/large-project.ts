/** Features of a fictional shop. All have the same kinds of files, so most words of a request occur in many files. */
const FEATURES = [
  ..."invoice order customer product parcel return discount account role login notification newsletter report search".split(
    " ",
  ),
  ..."setting upload audit webhook tax payment subscription inventory supplier review message calendar task comment".split(
    " ",
  ),
  ..."label refund warehouse currency language theme export import backup device contract ticket survey voucher".split(
    " ",
  ),
]
const VERBS = ["list", "find", "create", "update", "archive", "count", "validate", "format"]

/** Returns the files of a large project. Only a few files concern any single subject. */
export function largeProject(count = 1000): Record<string, string> {
  const files: Record<string, string> = { ...specialFiles(), ...rootFiles() }
  for (let round = 0; Object.keys(files).length < count; round++) {
    for (const [at, feature] of FEATURES.entries()) {
      for (const [path, text] of Object.entries(filesOf(feature, at, round))) {
        if (Object.keys(files).length < count) files[path] ??= text
      }
    }
  }
  return files
}

function filesOf(feature: string, at: number, round: number): Record<string, string> {
  const part =
    round === 0
      ? ""
      : `-${["archive", "batch", "import", "legacy", "mobile", "partner"][round % 6]}${round > 6 ? round : ""}`
  const Name = pascal(`${feature}${part}`)
  const other = FEATURES[(at * 7 + round * 3 + 5) % FEATURES.length] ?? "order"
  const another = FEATURES[(at * 11 + round + 9) % FEATURES.length] ?? "order"
  const server = `src/server/${feature}s`
  const web = `src/web/${feature}s`
  return {
    [`${server}/${feature}${part}-store.ts`]: storeOf(Name, feature, other),
    [`${server}/${feature}${part}-routes.ts`]: routesOf(Name, `${feature}${part}`, other),
    [`${server}/${feature}${part}-rules.ts`]: rulesOf(Name, feature, other, another),
    [`${server}/${feature}${part}-schema.ts`]: schemaOf(Name, feature),
    [`tests/server/${feature}s/${feature}${part}-rules.test.ts`]: testOf(Name, feature, `${feature}${part}-rules`),
    [`${web}/${feature}${part}-page.tsx`]: pageOf(Name, feature, other, part),
    [`${web}/${feature}${part}-form.tsx`]: formOf(Name, feature, another),
    [`${web}/${feature}${part}-row.tsx`]: rowOf(Name, feature),
  }
}

function storeOf(Name: string, feature: string, other: string): string {
  const functions = VERBS.slice(0, 6).map(
    (verb) => `/** Handles ${verb} for the ${feature}s of a tenant, newest first. */
export async function ${verb}${Name}s(tenant: string, limit = 50): Promise<unknown[]> {
  const rows = await query("select * from ${feature}s where tenant = ? limit ?", [tenant, limit])
  return rows.filter((row) => row.state !== "deleted")
}
`,
  )
  return `import { query } from "../database.ts"
import { log } from "../log.ts"

// The ${other}s refer to these rows by their id, so a row is never removed.
${functions.join("\n")}
export function note${Name}(id: string): void {
  log("${feature} changed", { id })
}
`
}

function routesOf(Name: string, file: string, other: string): string {
  return `import { Router } from "../router.ts"
import { list${Name}s, create${Name}s, update${Name}s } from "./${file}-store.ts"
import { validate${Name} } from "./${file}-rules.ts"

export const ${Name}Routes = new Router()
  .get("/api/${file}s", async ({ tenant, query }) => list${Name}s(tenant, Number(query.limit ?? 50)))
  .post("/api/${file}s", async ({ tenant, body }) => {
    const problem = validate${Name}(body)
    if (problem) return { status: 422, body: { error: problem } }
    return create${Name}s(tenant, 1)
  })
  .put("/api/${file}s/:id", async ({ tenant }) => update${Name}s(tenant, 1))
// A ${other} may be sent along; it is ignored here.
`
}

function rulesOf(Name: string, feature: string, other: string, another: string): string {
  const limits = [1, 2, 3, 4].map(
    (step) => `export function ${feature}Limit${step}Of${Name}(amount: number): number {
  // Amounts are in cents. A customer with more than ${step * 10} open ${other}s gets a lower limit.
  if (amount > ${step * 1000}) return amount - ${step * 100}
  return Math.max(0, amount)
}
`,
  )
  return `import { isKnown${pascal(other)} } from "../common/known.ts"

/** Returns why a ${feature} can't be saved, or undefined if it can. */
export function validate${Name}(value: { name?: string; ${another}Id?: string }): string | undefined {
  if (!value.name) return "The ${feature} needs a name."
  if (value.name.length > 200) return "The name of the ${feature} is too long."
  if (value.${another}Id && !isKnown${pascal(other)}(value.${another}Id)) return "There is no such ${another}."
  return undefined
}

${limits.join("\n")}`
}

function schemaOf(Name: string, feature: string): string {
  const fields = ["id", "tenant", "name", "state", "createdAt", "updatedAt", "total", "note"]
  return `/** A ${feature} as the API sends it. */
export interface ${Name} {
${fields.map((field) => `  /** The ${field} of the ${feature}. */\n  ${field}: string`).join("\n")}
}
`
}

function testOf(Name: string, feature: string, file: string): string {
  return `import assert from "node:assert"
import { test } from "node:test"
import { validate${Name} } from "../../../src/server/${feature}s/${file}.ts"

test("a ${feature} needs a name", () => {
  assert.equal(validate${Name}({}), "The ${feature} needs a name.")
  assert.equal(validate${Name}({ name: "a" }), undefined)
})
`
}

function pageOf(Name: string, feature: string, other: string, part: string): string {
  return `import { useRows } from "../common/use-rows.ts"
import { ${Name}Row } from "./${feature}${part}-row.tsx"
import { ${Name}Form } from "./${feature}${part}-form.tsx"

export function ${Name}Page() {
  const { rows, isLoading, reload } = useRows("/api/${feature}${part}s")
  if (isLoading) return <p>Loading the ${feature}s of the page…</p>
  return (
    <section aria-label="${pascal(feature)}s">
      <h1>${pascal(feature)}s</h1>
      {rows.length === 0 ? <p>You have no ${feature}s yet. Add the first with the button.</p> : null}
      <ul>{rows.map((row) => <${Name}Row key={row.id} row={row} />)}</ul>
      <a href="/${other}s">Go to the ${other}s</a>
      <${Name}Form onSaved={reload} />
    </section>
  )
}
`
}

function formOf(Name: string, feature: string, another: string): string {
  return `import { useState } from "react"
import { save } from "../common/save.ts"

export function ${Name}Form({ onSaved }: { onSaved: () => void }) {
  const [name, setName] = useState("")
  const [error, setError] = useState<string>()
  async function submit() {
    const problem = await save("/api/${feature}s", { name })
    if (problem) setError(problem)
    else onSaved()
  }
  return (
    <form onSubmit={submit}>
      <label>Name of the ${feature}<input value={name} onChange={(event) => setName(event.target.value)} /></label>
      <label>Belongs to ${another}<input name="${another}" /></label>
      {error ? <p role="alert">{error}</p> : null}
      <button type="submit">Save the ${feature}</button>
    </form>
  )
}
`
}

function rowOf(Name: string, feature: string): string {
  return `export function ${Name}Row({ row }: { row: { id: string; name: string; total: string } }) {
  return (
    <li>
      <a href={"/${feature}s/" + row.id}>{row.name}</a>
      <span>{row.total}</span>
    </li>
  )
}
`
}

/** Returns the files that the test's requests are about. */
function specialFiles(): Record<string, string> {
  return {
    "src/server/invoices/late-fee.ts": `import { daysBetween } from "../common/dates.ts"

/** Fee in cents for an invoice that is paid too late: two percent a month. */
export function calculateLateFee(totalCents: number, due: Date, paid: Date): number {
  const months = Math.floor(daysBetween(due, paid) / 30)
  return months <= 0 ? 0 : totalCents * 0.02 * months
}
`,
    "tests/server/invoices/late-fee.test.ts": `import assert from "node:assert"
import { test } from "node:test"
import { calculateLateFee } from "../../../src/server/invoices/late-fee.ts"

const due = new Date("2026-01-01")

test("the fee is two percent a month", () => {
  assert.equal(calculateLateFee(10_000, due, new Date("2026-02-01")), 200)
  assert.equal(calculateLateFee(10_000, due, due), 0)
})
`,
    "src/server/invoices/dunning.ts": `import { calculateLateFee } from "./late-fee.ts"

/** Adds the fee to what a customer owes. */
export function amountDue(totalCents: number, due: Date, now: Date): number {
  return totalCents + calculateLateFee(totalCents, due, now)
}
`,
    "src/web/parcels/tracking-panel.tsx": `export function TrackingPanel({ steps }: { steps: string[] }) {
  if (steps.length === 0)
    return (
      <p>
        Nothing is on its way
        to you at the moment.
      </p>
    )
  return <ol>{steps.map((step) => <li key={step}>{step}</li>)}</ol>
}
`,
    "src/web/discounts/percentage-field.tsx": `export function PercentageField({ value, onChange }: { value: number; onChange: (value: number) => void }) {
  return <input type="number" value={value} onChange={(event) => onChange(Number(event.target.value))} />
}
`,
    "src/server/notifications/quiet-hours.ts": `/** True if nobody wants to be disturbed at this hour. */
export function isQuiet(hour: number): boolean {
  return hour >= 22 || hour < 7
}
`,
    "src/server/notifications/reminder-schedule.ts": `import { isQuiet } from "./quiet-hours.ts"

/** Returns when a reminder is sent: at once, or in the morning. */
export function scheduleReminder(now: Date): Date {
  if (!isQuiet(now.getHours())) return now
  const next = new Date(now)
  next.setHours(7, 0, 0, 0)
  return next
}
`,
  }
}

function rootFiles(): Record<string, string> {
  const known = FEATURES.map(
    (feature) => `export const isKnown${pascal(feature)} = (id: string) => id.startsWith("${feature}_")\n`,
  )
  return {
    "package.json": `${JSON.stringify({ name: "shop", type: "module", scripts: { test: "node --test" } }, null, 2)}\n`,
    "README.md": `# Shop\n\nA shop with ${FEATURES.map((feature) => `${feature}s`).join(", ")}.\n`,
    "package-lock.json": `{\n${'  "calculateLateFee": "invoice reminder discount",\n'.repeat(3000)}  "lockfileVersion": 3\n}\n`,
    "vendor/charts/charts.js": `${"// calculateLateFee draws an invoice with a reminder and a discount.\n".repeat(400)}`,
    "src/web/common/widgets.min.js": `${"var a=function(){return calculateLateFee};".repeat(500)}\n`,
    "src/server/database.ts":
      "export async function query(_sql: string, _values: unknown[]): Promise<{ state: string }[]> {\n  return []\n}\n",
    "src/server/log.ts": "export function log(_text: string, _facts: object): void {}\n",
    "src/server/router.ts": `export class Router {
  get(_path: string, _handler: unknown): this {
    return this
  }
  post(_path: string, _handler: unknown): this {
    return this
  }
  put(_path: string, _handler: unknown): this {
    return this
  }
}
`,
    "src/server/common/known.ts": known.join(""),
    "src/server/common/dates.ts":
      "export function daysBetween(from: Date, to: Date): number {\n  return Math.floor((to.getTime() - from.getTime()) / 86_400_000)\n}\n",
    "src/web/common/use-rows.ts":
      "export function useRows(_address: string): { rows: any[]; isLoading: boolean; reload: () => void } {\n  return { rows: [], isLoading: false, reload: () => {} }\n}\n",
    "src/web/common/save.ts":
      "export async function save(_address: string, _value: unknown): Promise<string | undefined> {\n  return undefined\n}\n",
  }
}

function pascal(name: string): string {
  return name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())
}
