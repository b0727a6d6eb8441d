import { execFile } from "node:child_process"
import { mkdir, mkdtemp, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { incarnationBlobs } from "@switchyard/core/kernel/keys"
import { type ToolSpec, userTexts } from "@switchyard/core/models/provider"
import { estimateTokens } from "@switchyard/core/work/context/budgets"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest"
import * as z from "zod"
import { textAnswer, toolAnswer } from "../../../../fixtures/scripted-model.ts"
import { removeFolder } from "../../../../remove-folder.ts"
import { modelFor, planOf, subjectOf, tasksOf } from "../model.ts"
import { openStudio, type Studio } from "../studio.ts"
import { largeProject } from "./large-project.ts"

let studio: Studio
beforeEach(async () => {
  studio = await openStudio()
})
afterEach(() => studio.close())

/** Returns a module with a class of this many methods, about this many bytes long. */
function moduleOf(name: string, { methods, bytes }: { methods: number; bytes: number }): string {
  const body = Array.from({ length: methods }, (_, index) => `  method${index}() {}\n`).join("")
  const start = `export class ${name} {\n${body}}\n`
  return start + "// words\n".repeat(Math.ceil((bytes - start.length) / 9))
}

/** Returns the project as the planner's prompt shows it. The architect's prompt has the same bytes. */
async function shown(files: Record<string, string>): Promise<string> {
  await studio.write(files)
  const model = modelFor(["new.ts"])
  const runId = await studio.start()
  await studio.execute(runId, model)
  expect(await studio.run(runId)).toMatchObject({ status: "completed" })
  const [ofPlanner = "", ofArchitect = ""] = ["plan", "task_plan"].map((subject) => {
    const [message] = model.requests.find((request) => subjectOf(request) === subject)?.messages ?? []
    return message?.role === "user" ? userTexts(message).join("\n\n") : ""
  })
  const section =
    /The project has these files already\..*?(?=\n\n(?:User request|The plan|This run):?)/s.exec(ofPlanner)?.[0] ?? ""
  expect(ofArchitect).toContain(section)
  return section
}

describe("what planner and architect are shown of a project", () => {
  it("is everything that people wrote if it fits, and the names of the rest", async () => {
    const small = Object.fromEntries(
      Array.from({ length: 9 }, (_, index) => [
        `src/part-${index}.ts`,
        moduleOf(`Part${index}`, { methods: 1, bytes: 9_000 }),
      ]),
    )
    const section = await shown({
      ...small,
      "dist/app.js": "made()\n",
      "vendor/a/one.js": "x\n",
      "vendor/b/two.js": "x\n",
      "package-lock.json": `{\n "a": 1\n}${"\n".repeat(50_000)}`,
    })
    for (const [path, text] of Object.entries(small)) expect(section).toContain(`${path}:\n\`\`\`\n${text}\`\`\``)
    expect(section).toMatch(
      /\n\nBy name only, by folder:\nThird-party or generated: dist\/ \(1 file\), package-lock\.json, vendor\/ \(2 files\)$/,
    )
  })

  it("is the files whole that fit, what others declare, and of what declares nothing the name", async () => {
    const section = await shown({
      "src/large.ts": moduleOf("Large", { methods: 3, bytes: 60_000 }),
      "src/small.ts": moduleOf("Small", { methods: 3, bytes: 30_000 }),
      "words.txt": "words\n".repeat(9_000),
    })
    expect(section).toContain("src/small.ts:\n```\nexport class Small")
    expect(section).toContain(
      "src/large.ts (60.0 KB), only what it declares, by its lines:\n```\n1: export class Large\n  2: method0()\n  3: method1()\n  4: method2()\n```",
    )
    expect(section).toMatch(/\n\nBy name only, by folder:\nwords\.txt$/)
  })

  it("stays within its budget, with members in the outlines where there is room for those of all", async () => {
    const many = (methods: number) =>
      Object.fromEntries(
        Array.from({ length: 60 }, (_, index) => [
          `src/part-${index}.ts`,
          moduleOf(`Part${index}`, { methods, bytes: 8_000 }),
        ]),
      )
    const detailed = await shown(many(2))
    expect(detailed.match(/^ {2}2: method0\(\)$/gm)).toHaveLength(60 - 6)
    const flat = await shown(many(40))
    expect(flat).not.toContain("  2: method0()")
    expect(flat.match(/only what it declares/g)).toHaveLength(60 - 6)
    const functions = Array.from({ length: 30 }, (_, index) => `export function number${index}() {}\n`).join("")
    const cut = await shown(
      Object.fromEntries(Object.entries(many(40)).map(([path, text]) => [path, functions + text])),
    )
    const outlined = cut.match(/only what it declares/g) ?? []
    expect(outlined.length).toBeGreaterThan(10)
    expect(outlined.length).toBeLessThan(40)
    for (const section of [detailed, flat, cut]) expect(estimateTokens(section.length)).toBeLessThan(24_000)
  })

  it("is made of outlines that are made once, from each text", async () => {
    const text = moduleOf("Large", { methods: 3, bytes: 100_000 })
    await shown({ "a.ts": text, "copy.ts": text })
    const stored = await Array.fromAsync(studio.stores.blobs.list(`${incarnationBlobs(studio.sid, 1)}outlines/`))
    const blobs = stored.filter(({ key }) => !key.endsWith("/index.json"))
    expect(blobs).toHaveLength(1)
    const [{ key } = { key: "" }] = blobs
    await studio.stores.blobs.put(key, Buffer.from(JSON.stringify({ symbols: [], isCut: false })))
    expect(await shown({ "b.txt": "" })).toContain("By name only, by folder:\na.ts")
  })
})

describe("what the planner is shown of a project with a thousand files", () => {
  let large: Studio
  beforeAll(async () => {
    large = await openStudio()
    await large.write(largeProject())
  })
  afterAll(() => large.close())

  /** Runs a request, and returns the requests to the model. */
  async function requestsOf(user_prompt: string, turn?: Parameters<typeof modelFor>[1], status = "completed") {
    const model = modelFor(["new.ts"], turn)
    const runId = await large.start({ user_prompt })
    await large.execute(runId, model)
    expect(await large.run(runId)).toMatchObject({ status })
    return model.requests
  }

  it.each([
    ["a function's name", "calculateLateFee must return whole cents.", "src/server/invoices/late-fee.ts"],
    [
      "a text on a screen, across lines",
      'Add a link to the orders where it says "Nothing is on its way to you at the moment."',
      "src/web/parcels/tracking-panel.tsx",
    ],
    [
      "the end of a path",
      "In discounts/percentage-field.tsx, refuse more than 100.",
      "src/web/discounts/percentage-field.tsx",
    ],
    [
      "other forms of a feature's words, and what its file refers to",
      "Reminders are not scheduled on Sundays.",
      "src/server/notifications/reminder-schedule.ts",
      "src/server/notifications/quiet-hours.ts",
    ],
    [
      "two of a feature's words",
      "Let people filter the vouchers on their page.",
      "src/web/vouchers/voucher-page.tsx",
      "src/server/vouchers/voucher-routes.ts",
    ],
  ])(
    "has the files of %s whole, and nothing that programs made, in at most 24,000 tokens",
    async (_, request, ...paths) => {
      // The run ends here, because this test only needs the planner's prompt.
      const [first] = await requestsOf(request, () => textAnswer("I have no plan."), "failed")
      const asked = JSON.stringify([first?.system, first?.messages, first?.tools?.map(toolText)])
      const [message] = first?.messages ?? []
      for (const path of paths) expect(message?.content).toContain(`\n${path}:\n\`\`\`\n`)
      expect(message?.content).not.toMatch(
        /^(?:package-lock\.json|vendor\/|src\/web\/common\/widgets\.min\.js).*:\n```/m,
      )
      expect(estimateTokens(asked.length)).toBeLessThanOrEqual(24_000)
    },
  )

  it("is enough to change the right two files of a thousand, and their test passes", async () => {
    const files = largeProject()
    const edits: Record<string, { search: string; replace: string }> = {
      "src/server/invoices/late-fee.ts": {
        search: "totalCents * 0.02 * months",
        replace: "Math.min(5_000, totalCents * 0.02 * months)",
      },
      "tests/server/invoices/late-fee.test.ts": {
        search: "  assert.equal(calculateLateFee(10_000, due, due), 0)\n",
        replace: '  assert.equal(calculateLateFee(9_000_000, due, new Date("2027-01-01")), 5_000)\n',
      },
    }
    const model = modelFor([], ({ output, messages: [first], ...request }) => {
      const subject = subjectOf({ ...request, output, messages: first ? [first] : [] })
      // Plans each file about the fee that is shown in full, under the path that is shown.
      const shown = [...(first?.content ?? "").matchAll(/^(\S*late-fee\S*):\n```\n/gm)].map(([, path = ""]) => path)
      if (subject === "plan") return textAnswer(JSON.stringify(planOf(shown)))
      if (subject === "task_plan") return textAnswer(JSON.stringify(tasksOf(Object.keys(edits))))
      return toolAnswer("edit_file", { path: subject, edits: [edits[subject]] })
    })
    const runId = await large.start({ user_prompt: "Cap the late fee of an invoice at 50 euros, and test that." })
    await large.execute(runId, model)
    expect(await large.run(runId)).toMatchObject({ status: "completed" })
    const after = await large.files()
    const changed = Object.keys(after).filter((path) => after[path] !== files[path])
    expect(changed.sort()).toEqual(Object.keys(edits))
    const folder = await mkdtemp(join(tmpdir(), "large-"))
    onTestFinished(() => removeFolder(folder, { kill: false }))
    for (const path of ["src/server/common/dates.ts", ...changed]) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), after[path] ?? "")
    }
    const { stdout } = await promisify(execFile)(process.execPath, ["--test"], { cwd: folder })
    expect(stdout).toMatch(/pass 1$/m)
  })

  it("is more once it has looked, and the coder has all names", async () => {
    const looks = [
      toolAnswer("search_files", { text: "next.setHours" }),
      toolAnswer("read_file", { path: "src/server/notifications/reminder-schedule.ts", first_line: 1, last_line: 2 }),
      textAnswer("I have seen enough."),
    ]
    const requests = await requestsOf("Make it better.", ({ output }) => (output ? undefined : looks.shift()))
    expect(requests.map(subjectOf)).toEqual(["plan", "plan", "plan", "plan", "task_plan", "new.ts"])
    const [, , , planned, , coder] = requests.map(({ messages: [first] }) =>
      first?.role === "user" ? first : undefined,
    )
    expect(requests[3]?.tools).toBeUndefined()
    expect(planned?.content).toContain("src/server/notifications/reminder-schedule.ts:7: next.setHours(7, 0, 0, 0)")
    expect(planned?.content).toContain("import { isQuiet }")
    expect(coder?.prefix?.[0]).toMatch(/^src\/server\/notifications\/: .*quiet-hours\.ts, reminder-schedule\.ts$/m)
  })

  it("doesn't depend on tools that a model can't use", async () => {
    const slips = [
      toolAnswer("open_file", { name: "late-fee.ts" }),
      ...Array.from({ length: 5 }, () => toolAnswer("read_file", { path: "nowhere.ts" })),
    ]
    const requests = await requestsOf("Make it better.", ({ output }) => (output ? undefined : slips.shift()))
    expect(requests.map(({ output }) => output?.name ?? "")).toEqual([...Array(6).fill(""), "plan", "task_plan", ""])
  })

  it("ends with what the tools may return, however much the model reads", async () => {
    const reads = Array.from({ length: 5 }, () => toolAnswer("read_file", { path: "package-lock.json" }))
    const requests = await requestsOf("Make it better.", ({ output }) => (output ? undefined : reads.shift()))
    const results = (requests[5]?.messages ?? []).filter(({ role }) => role === "tool").map(({ content }) => content)
    expect(results).toHaveLength(5)
    expect(results.at(-1)).toBe("There is no room for more. Answer now.")
    expect(estimateTokens(results.join("").length)).toBeLessThan(12_200)
  })
})

function toolText({ name, description, parameters }: ToolSpec) {
  return [name, description, z.toJSONSchema(parameters as z.ZodType)]
}
