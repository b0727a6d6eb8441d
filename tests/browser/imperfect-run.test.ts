import { ModelError } from "@switchyard/core/models/errors"
import type { ModelProvider, ModelRequest } from "@switchyard/core/models/provider"
import type { Page } from "playwright-core"
import { afterEach, expect, it } from "vitest"
import { createScriptedProvider, type ScriptedAnswer, textAnswer, toolAnswer } from "../fixtures/scripted-model.ts"
import { cutCall, type Turn, times, write } from "../model-slips/play.ts"
import { openPlace, type Place } from "./harness/place.ts"
import { onRunScreen } from "./harness/screen.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

const FILES: Record<string, string> = {
  "package.json": '{ "name": "tea", "type": "module", "scripts": { "start": "node app.js" } }\n',
  "store.js": 'export const teas = ["Assam"]\n',
  "app.js": 'import { teas } from "./store.js"\n\nconsole.log(teas.join(", "))\n',
  "README.md": "# Tea\n\n`npm start` lists the teas.\n",
}

/**
 * A model whose first answers about a subject (`plan`, `task_plan`, a file) come from the test. Later ones are correct.
 */
interface Slipping extends ModelProvider {
  slip(subject: string, turns: Turn[]): void
}

function createSlipping(): Slipping {
  const slips = new Map<string, Turn[]>()
  const provider = createScriptedProvider((request) => {
    const subject = subjectOf(request)
    const turn = slips.get(subject)?.shift()
    return (typeof turn === "function" ? turn(request) : turn) ?? honest(subject)
  })
  return { ...provider, slip: (subject, turns) => void slips.set(subject, [...turns]) }
}

function subjectOf({ output, messages }: ModelRequest): string {
  const [first] = messages
  const text = first?.role === "user" ? JSON.stringify(first) : ""
  return output?.name ?? /(?:File|Repair): ([^\\"]+)\\n/.exec(text)?.[1] ?? "nothing"
}

function honest(subject: string): ScriptedAnswer {
  const paths = Object.keys(FILES)
  if (subject === "plan")
    return textAnswer(
      JSON.stringify({
        ...{ name: "Tea", description: "Lists teas.", techstack: "JavaScript", features: ["It lists teas."] },
        files: paths.map((path) => ({
          path,
          purpose: `The purpose of ${path}.`,
          depends_on: path === "app.js" ? ["store.js"] : [],
        })),
      }),
    )
  if (subject === "task_plan")
    return textAnswer(
      JSON.stringify({
        implementation_steps: paths.map((path) => ({ file_path: path, task_description: `Write ${path}.` })),
      }),
    )
  return write(subject, FILES[subject])
}

/** Returns the error of an overloaded provider: HTTP 529. */
const overloaded = () =>
  new ModelError("connection_error", "The provider is overloaded.", { status: 529, retryAfterMs: 1 })

/** Saves a screenshot in the folder `SHOTS`, if it is set. */
async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env.SHOTS
  if (folder) await page.screenshot({ path: `${folder}/${name}-${page.viewportSize()?.width}.png` })
}

inChromium("a run of a model that slips", ({ visit }) => {
  let place: Place
  afterEach(() => place?.[Symbol.asyncDispose]())

  it("tells each slip in words, and that all is well in the end", async () => {
    const model = createSlipping()
    model.slip("plan", [textAnswer("Which teas would you like?"), overloaded()])
    model.slip("package.json", [toolAnswer("write_file", { path: "package.json" }), overloaded()])
    model.slip("store.js", [
      cutCall("store.js"),
      textAnswer("I have written the file."),
      textAnswer(""),
      cutCall("store.js"),
    ])
    model.slip("app.js", [write("app.js", 'import { tea } from "./store.js"\n\nconsole.log(tea)\n')])
    place = await openPlace({ model })
    const id = await place.session({ built: true, prompt: "A list of teas." })
    for (const width of [1440, 390]) {
      await using visitor = await visit(`${place.url}/s/${id}/run?show=conversation`, { width })
      const { page } = visitor
      const screen = onRunScreen(page)
      await screen.finished()
      await until(() => screen.conversation.innerText()).toMatch(/No problems found[\s\S]*Done/)
      await shoot(page, "slips")
      const end = await screen.conversation.innerText()
      // The conversation draws only its visible part.
      await screen.conversation.hover()
      await page.mouse.wheel(0, -100_000)
      await until(() => screen.conversation.innerText()).toContain("A list of teas.")
      const told = `${await screen.conversation.innerText()}\n${end}`
      for (const line of SLIPS) expect(told).toContain(line)
      expect(told).toMatch(
        /Static check found 1 problem[\s\S]*store\.js has no export named "tea"[\s\S]*Fixed by the coder\./,
      )
      expect(told).toMatch(/No problems found in 4 files\. No code was run\.[\s\S]*Done/)
      expect(told).toContain("4 of 4 files")
      // The conversation shows no error codes and no tool messages meant for the model.
      expect(told).not.toMatch(/connection_error|ERROR|✖|max_tokens|not written|Failed/)
      await screen.show("Log")
      await until(() => screen.log.innerText()).toContain("Run complete")
      await screen.log.hover()
      await page.mouse.wheel(0, -100_000)
      await until(() => screen.log.innerText()).toMatch(/Model answer couldn't be used[\s\S]*JSON object/)
      expect(await screen.log.innerText()).not.toMatch(/ERROR|✖/)
      await shoot(page, "slips-log")
    }
  })

  it("says which files failed for good, and goes on from there when it is resumed", async () => {
    const model = createSlipping()
    model.slip("store.js", times(4, textAnswer("I have written the file.")))
    place = await openPlace({ model })
    const id = await place.session({ built: true, prompt: "A list of teas." })
    for (const width of [1440, 390]) {
      await using visitor = await visit(`${place.url}/s/${id}/run?show=conversation`, { width })
      const { page } = visitor
      const screen = onRunScreen(page)
      await screen.reach({ planner: "completed", architect: "completed", coder: "error" })
      const unused = "Rejected 4 responses for store.js: it saved nothing."
      await until(() => screen.conversation.innerText()).toContain(unused)
      const told = await screen.conversation.innerText()
      expect(told).toContain("Failed")
      expect(told).toContain("2 of 4 files · 2 failed")
      expect(told).toMatch(/2 of 4 files couldn't be written\.[\s\S]*app\.js: needs store\.js\./)
      expect(told).toContain("The files it wrote are kept. Resume the run")
      await shoot(page, "failed")
    }
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    const screen = onRunScreen(page)
    await page.getByRole("button", { name: "Resume" }).click()
    await screen.finished()
    await screen.show("Code")
    await until(screen.files).toEqual(Object.keys(FILES).sort())
    await until(() => screen.conversation.innerText()).toMatch(/4 of 4 files[\s\S]*No problems found[\s\S]*Done/)
    await shoot(page, "resumed")
    // The failed run stays as it was.
    await screen.conversation.hover()
    await page.mouse.wheel(0, -100_000)
    await until(() => screen.conversation.innerText()).toContain("2 of 4 files couldn't be written.")
    expect((await place.ask("GET", `/api/v1/sessions/${id}`)).last_run.status).toBe("completed")
  })
})

const SLIPS = [
  "Rejected a response for the plan: ",
  "The model provider couldn't be reached or is overloaded. Retried 2 times.",
  "Rejected a response for package.json: a call is missing content.",
  "Rejected 2 responses for store.js: it was cut off at the output limit.",
  "Rejected a response for store.js: it saved nothing.",
  "Rejected a response for store.js: it was empty.",
]
