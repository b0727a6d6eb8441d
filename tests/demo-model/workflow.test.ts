import { mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { delimiter, join } from "node:path"
import { demoExamples } from "@switchyard/core/models/demo-offer"
import type { PageElement } from "@switchyard/core/work/workflow/elements-schema"
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest"
import { openStudio, type Studio } from "../core/work/workflow/studio.ts"
import { someOf } from "../settings.ts"
import { demo, run, temporaryFolder, withServer, writeProject } from "./make-project.ts"
import { findNode20, NO_NODE_20 } from "./node-20.ts"

const folder = temporaryFolder()
afterAll(folder.remove)

const node20 = await findNode20()

let studio: Studio
beforeEach(async () => {
  studio = await openStudio()
})
afterEach(() => studio.close())

/** Prompts as people write them, with the text that the started result must serve or print. */
const buildable: [prompt: string, check: string | { args: string[]; prints: RegExp }][] = [
  ["Build me a to-do list with a due date and a priority, please", "<h1>To-do List</h1>"],
  ["I'd like a small web page where I can keep my notes", "<h1>Notes</h1>"],
  ["A click counter page called Laps, in teal", "<h1>Laps</h1>"],
  ["Make a pomodoro timer", "<h1>Timer</h1>"],
  ["A landing page for a coffee shop called Blue Door, in brown and cream", "<h1>Blue Door</h1>"],
  ["A quiz about capitals", "<h1>Capitals Quiz</h1>"],
  ["Create a REST API for spaceships with the fields owner, hull and class", '"GET /spaceships"'],
  ["Build a tiny URL shortener with tests", '"POST /links"'],
  ["A command-line word counter", { args: ["three small words"], prints: /^words: 3$/m }],
  ["A CLI tool for my contacts with a birthday", { args: ["add", "Ada"], prints: /Ada/ }],
  ["An expense tracker that shows the total", "<h1>Expense Tracker</h1>"],
  ["A calculator for the terminal", { args: ["2 * (3 + 4)"], prints: /^14$/m }],
]

const unbuildable = [
  "Build a Tetris",
  "A multiplayer chess game",
  "A chat app with websockets",
  "An online shop with a cart and Stripe payments",
  "A weather app that calls api.openweathermap.org",
  "A blog with comments and user accounts",
  "A Discord bot that greets people",
  "A to-do list in React with drag and drop",
  "A Rust web server for tasks",
  "Train a neural network on my photos",
  "A REST API for books on PostgreSQL",
  "Scrape https://news.example.com every hour and mail me a summary",
]

async function build(prompt: string, elements?: PageElement[]) {
  const runId = await studio.start({ user_prompt: prompt, ...(elements && { elements }) })
  await studio.execute(runId, demo)
  const { status } = await studio.run(runId)
  const warning = (await studio.eventsOf("run_completed")).find((event) => event.run_id === runId)?.warning
  const failed = (await studio.eventsOf("run_failed")).find((event) => event.run_id === runId)
  return { status, error: failed, ...(warning && { warning }) }
}

describe("a prompt of the demo's kinds", () => {
  const programs: [string, string | undefined][] = [
    ["this Node", process.execPath],
    ["Node 20", node20],
  ]

  describe.each(programs)("on %s", (name, program) => {
    it.for(someOf(buildable, 3))("is built, tested and started: %s", async ([prompt, check], { skip }) => {
      skip(program === undefined, NO_NODE_20)
      expect(await build(prompt)).toEqual({ status: "completed", error: undefined })
      const files = Object.entries(await studio.files()).map(([path, content]) => ({ path, content }))
      const project = join(folder.path, `${name} ${prompt}`.replaceAll(/\W+/g, "-"))
      writeProject(project, files)
      const env = environmentOf(program ?? "")

      expect(
        await run("npm", ["install", "--offline", "--no-audit", "--no-fund"], { cwd: project, env }),
      ).toMatchObject({
        code: 0,
      })
      const tested = await run("npm", ["test"], { cwd: project, env })
      expect(tested.code, tested.output).toBe(0)
      expect(tested.output).toMatch(/^(#|ℹ) pass [1-9]/m)
      if (typeof check === "object") {
        expect((await run("npm", ["start", "--silent"], { cwd: project, env })).code).toBe(0)
        const ended = await run("npm", ["start", "--silent", "--", ...check.args], { cwd: project, env })
        expect(ended).toEqual({ code: 0, output: expect.stringMatching(check.prints) })
        return
      }
      const { start } = JSON.parse(readFileSync(join(project, "package.json"), "utf8")).scripts
      await withServer(program ?? "", String(start).split(" ").slice(1), project, async (url) => {
        const response = await fetch(url)
        expect([response.status, await response.text()]).toEqual([200, expect.stringContaining(check)])
      })
    })
  })

  it.each(someOf(demoExamples, 3))("is what the studio offers: %s", async (prompt) => {
    expect((await build(prompt)).status).toBe("completed")
  })
})

describe("a prompt that the demo can't build", () => {
  it.each(someOf(unbuildable, 4))("ends as that, in words for people, and writes nothing: %s", async (prompt) => {
    const { status, error } = await build(prompt)
    expect(status).toBe("failed")
    expect(error?.message).toMatch(/^The demo can.*nothing was written.*It builds small apps by rule: to-do lists/)
    expect(error?.hint).toMatch(/GROQ_API_KEY.*OPENAI_API_KEY.*ANTHROPIC_API_KEY.*LOCAL_BASE_URL/)
    expect(await studio.files()).toEqual({})
  })
})

describe("a follow-up", () => {
  const first = "A to-do list"

  it.each([
    ["Add a due date", ["README.md", "index.html", "script.js"], /due: ?"date"|dueDate: "date"/],
    ["add a hull field", ["README.md", "index.html", "script.js"], /hull: "text"/],
    ["Make it teal", ["README.md", "styles.css"], /--accent: #0f6b67/],
    ["Use German texts", ["README.md", "index.html", "package.json", "script.js"], /Hinzufügen/],
    ['Rename it to "House Work"', ["README.md", "index.html", "package.json"], /<h1>House Work<\/h1>/],
    ["Add a sample item: Water the plants", ["README.md", "script.js"], /"Water the plants"/],
  ])("that it understands changes what it must and nothing else: %s", async (prompt, changed, holds) => {
    await build(first)
    const before = await studio.files()
    expect(await build(prompt)).toMatchObject({ status: "completed" })
    const after = await studio.files()
    expect(Object.keys(after)).toEqual(Object.keys(before))
    const paths = Object.keys(after).filter((path) => after[path] !== before[path])
    expect(paths.filter((path) => !changed.includes(path))).toEqual([])
    expect(Object.values(after).join("\n")).toMatch(holds)
    const project = join(folder.path, prompt.replaceAll(/\W+/g, "-"))
    writeProject(
      project,
      Object.entries(after).map(([path, content]) => ({ path, content })),
    )
    const tested = await run("npm", ["test"], { cwd: project, env: environmentOf(process.execPath) })
    expect(tested.code, tested.output).toBe(0)
  })

  it("keeps what a person has edited, and builds on the follow-up before", async () => {
    await build(first)
    const { "styles.css": styles = "" } = await studio.files()
    await studio.write({ "styles.css": `${styles}\n.mine {\n  color: red;\n}\n` })
    for (const prompt of ["Make it purple", "Make it pink", "Add a priority", "Add a due date"]) {
      expect(await build(prompt), prompt).toMatchObject({ status: "completed" })
    }
    const files = await studio.files()
    expect(files["styles.css"]).toMatch(/--accent: #a8326f[\s\S]*\.mine/)
    expect(files["script.js"]).toMatch(/title: "text",\n {2}priority: "text",\n {2}dueDate: "date",/)
  })

  it("about a selected element changes it, and later requests keep that", async () => {
    const heading = { tag: "h1", selector: "body > main > h1", page: "/", file: "index.html", line: 13 }
    const select = (text: string) => [{ ...heading, text, html: `<h1>${text}</h1>` }]
    await build(first)
    const { "styles.css": styles = "" } = await studio.files()
    await studio.write({ "styles.css": `${styles}\n.mine {\n  color: red;\n}\n` })
    const requests: [string, PageElement[]?][] = [
      ["make it say Tea & <b>", select("To-do List")],
      ["make it bigger", select("Tea &amp; &lt;b&gt;")],
      ["Make it purple"],
      ["Add a priority"],
      ["make it green", select("Tea &amp; &lt;b&gt;")],
      ["Use German texts"],
    ]
    for (const [prompt, elements] of requests) {
      expect(await build(prompt, elements), prompt).toEqual({ status: "completed", error: undefined })
    }
    const files = await studio.files()
    expect(files["index.html"]).toContain("<h1>Tea &amp; &lt;b&gt;</h1>")
    expect(files["index.html"]).toContain('id="field-priority"')
    const rule = "body > main > h1 {\n  color: light-dark(#1b6e3c, #86d9a3);\n  zoom: 1.25;\n}\n"
    expect(files["styles.css"]).toMatch(/--accent: #6a3fb5[\s\S]*\.mine/)
    expect(files["styles.css"]?.split(rule)).toHaveLength(2)
    expect(await build("make it dance", select("Tea &amp; &lt;b&gt;"))).toMatchObject({
      status: "completed",
      warning: expect.stringContaining("If you select an element"),
    })
    expect(await studio.files()).toEqual(files)
  })

  it.each([
    "Make it multiplayer",
    "Add user accounts",
    "Add a login with Google",
    "Use React instead",
    "Build a Tetris",
    "A calculator",
    "Make it teal and add drag and drop",
    "Add a field called id",
    "Fix the bug",
  ])("that it doesn't understand leaves the project untouched and says so: %s", async (prompt) => {
    await build(first)
    const before = await studio.files()
    const { status, warning } = await build(prompt)
    expect(status).toBe("completed")
    expect(warning).toMatch(/^The demo didn't change anything: .*GROQ_API_KEY/)
    expect(await studio.files()).toEqual(before)
  })

  it("leaves files alone that the demo didn't make", async () => {
    await studio.write({ "README.md": "# Mine\n", "main.py": "print(1)\n" })
    for (const prompt of ["A to-do list", "Add a due date"]) {
      expect((await build(prompt)).warning).toContain("only projects that it made itself")
    }
    expect(await studio.files()).toEqual({ "README.md": "# Mine\n", "main.py": "print(1)\n" })
  })

  it("goes on with the same prompt where a run was stopped on the way", async () => {
    await build(first)
    const files = await studio.files()
    await studio.close()
    studio = await openStudio()
    await studio.write({ "index.html": files["index.html"] ?? "", "styles.css": files["styles.css"] ?? "" })
    expect((await build(first)).status).toBe("completed")
    expect(await studio.files()).toEqual(files)
  })
})

/** Returns an environment in which `node` runs this program. */
function environmentOf(program: string): NodeJS.ProcessEnv {
  const bin = join(folder.path, "bin", program.replaceAll(/\W+/g, "-"))
  mkdirSync(bin, { recursive: true })
  try {
    symlinkSync(program, join(bin, "node"))
  } catch {}
  return { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` }
}
