/** Task of the agent shown, its repository, and its changes. */
export const TASK = "Add a --json flag to the list command, with tests"

export const before: Record<string, string> = {
  "src/list.ts": `import { readItems } from "./store.ts"

/** Prints every item, one a line. */
export async function list(out: (line: string) => void) {
  for (const item of await readItems()) {
    out(\`\${item.done ? "x" : " "} \${item.title}\`)
  }
}
`,
  "src/main.ts": `import { list } from "./list.ts"

const [command] = process.argv.slice(2)
if (command === "list") await list(console.log)
`,
  "README.md": `# tool

    tool list
`,
}

export const after: Record<string, string> = {
  "src/list.ts": `import { readItems } from "./store.ts"

/** Prints every item, one a line, or all of them as JSON. */
export async function list(out: (line: string) => void, { json = false } = {}) {
  const items = await readItems()
  if (json) return out(JSON.stringify(items))
  for (const item of items) {
    out(\`\${item.done ? "x" : " "} \${item.title}\`)
  }
}
`,
  "src/main.ts": `import { parseArgs } from "node:util"
import { list } from "./list.ts"

const { positionals, values } = parseArgs({ allowPositionals: true, options: { json: { type: "boolean" } } })
if (positionals[0] === "list") await list(console.log, values)
`,
  "tests/list.test.ts": `import { expect, it } from "vitest"
import { list } from "../src/list.ts"

it("prints its items as JSON", async () => {
  const lines: string[] = []
  await list((line) => lines.push(line), { json: true })
  expect(JSON.parse(lines.join(""))).toEqual([{ title: "milk", done: false }])
})
`,
}
