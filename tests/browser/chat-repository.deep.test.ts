import type { ModelRequest } from "@switchyard/core/models/provider"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type GitServer, serveGit } from "../fixtures/git-server.ts"
import { createScriptedProvider, textAnswer } from "../fixtures/scripted-model.ts"
import { makeRepository, type TestRepository } from "../functions/agents/repository.ts"
import { openPlace, type Place } from "./harness/place.ts"
import { chooseSegment } from "./harness/segments.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

const REFUSED = { error: { code: "auth_error", message: "The key isn't valid.", details: null } }
const GREET = "export const greet = () => 'hi'\n"

inChromium("the chat of a session that has a repository", ({ visit }) => {
  const opened = new AsyncDisposableStack()
  let answer: (request: ModelRequest) => string = () => "Hello."
  const model = createScriptedProvider((request) => {
    const isCommit = request.system?.startsWith("You write the message of a git commit")
    return textAnswer(isCommit ? "fix: greet politely" : answer(request))
  })
  let place: Place
  let page: Page
  let repository: TestRepository
  let git: GitServer
  beforeAll(async () => {
    place = opened.use(await openPlace({ model }))
    git = opened.use(await serveGit(place.server.folder, { username: "ada", password: "secret" }))
    repository = makeRepository(`${place.server.folder}/repository`, { "src/greet.ts": GREET, "README.md": "Mine.\n" })
    const { id } = await place.ask("POST", "/api/v1/sessions", { repository: repository.folder })
    page = opened.use(await visit(`${place.url}/s/${id}/chat`)).page
  })
  afterAll(() => opened.disposeAsync())

  const files = () => page.getByRole("region", { name: "Files", exact: true })
  const paths = () =>
    files()
      .getByRole("checkbox")
      .evaluateAll((all) => all.map((one) => one.closest("label")?.textContent))

  it("lists its files once they were read, and a mentioned one is added with a click", async () => {
    await files().getByRole("button", { name: "Load files" }).click()
    await until(paths).toEqual(["README.md", "src/greet.ts"])
    answer = () => "Look into src/greet.ts for that."
    await page.getByRole("textbox", { name: "Message" }).fill("Where is the greeting?")
    await page.getByRole("button", { name: "Send" }).click()
    await page.getByRole("button", { name: "src/greet.ts" }).click()
    await until(() => files().getByRole("checkbox", { name: "src/greet.ts" }).isChecked()).toBe(true)
    expect(await paths()).toEqual(["src/greet.ts", "README.md"])
  })

  it("is rewound with its files by a run, and nothing can be sent until that has ended", async () => {
    const field = page.getByRole("textbox", { name: "Message" })
    const send = page.getByRole("button", { name: "Send" })
    answer = () => `src/greet.ts\n<<<< EDIT\n${GREET}==== REPLACE\nexport const greet = () => 'hello'\n>>>> EDIT END\n`
    await field.fill("Greet politely")
    await send.click()
    await page.getByRole("button", { name: "Undo edit" }).waitFor()
    await page.getByRole("link", { name: "Changes" }).click()
    await page.getByRole("button", { name: "Merge" }).waitFor()
    await page.getByText("export const greet = () => 'hello'").waitFor()
    await page.getByRole("link", { name: "Chat" }).click()
    await page.getByRole("button", { name: "Rewind to here" }).last().click()
    await until(() => field.inputValue()).toBe("Greet politely")
    await until(() => send.isEnabled()).toBe(true)
    expect(await page.getByRole("article", { name: "Your message" }).count()).toBe(1)
    expect(await page.getByText("Taking the repository's files back").count()).toBe(0)
    const branch = repository.git("for-each-ref", "--format=%(refname)", "refs/heads/switchyard").trim()
    expect(repository.git("show", `${branch}:src/greet.ts`)).toBe(GREET)
  })

  it("says why a review did not begin, and undoes edits by a run", async () => {
    const field = page.getByRole("textbox", { name: "Message" })
    await field.fill("Greet politely")
    await page.getByRole("button", { name: "Send" }).click()
    await page.getByRole("button", { name: "Undo edit" }).click()
    await until(() => page.getByRole("log").textContent()).toContain(
      "The edits of an answer were undone: src/greet.ts.",
    )
    await until(() => page.getByRole("button", { name: "Commit", exact: true }).isEnabled()).toBe(true)
    await page.keyboard.press("Control+k")
    await page.getByRole("combobox").fill("Review changes with the model")
    // The command appears only once the page knows the changes, and the undo may still be on its way.
    await page.getByRole("option", { name: "Review changes with the model" }).click()
    const dialog = page.getByRole("dialog", { name: "Review changes" })
    await dialog.getByRole("textbox", { name: "Since" }).fill("nowhere")
    await dialog.getByRole("button", { name: "Review" }).click()
    await until(() => page.getByRole("alert").textContent()).toBe(
      "Couldn't start the review: The branch, tag or commit doesn't exist.",
    )
    expect(await dialog.count()).toBe(0)
  })

  it("shows that its files are being read, and that a fork is being copied, for as long as the clone takes", async () => {
    repository.git("clone", "-q", "--bare", repository.folder, `${place.server.folder}/remote.git`)
    const remote = { repository: `http://ada:secret@${git.host}/remote.git` }
    const { id } = await place.ask("POST", "/api/v1/sessions", remote)
    const hold = () => {
      const gate = Promise.withResolvers<void>()
      git.onRequest = () => gate.promise
      return gate
    }
    const cloned = hold()
    await page.goto(`${place.url}/s/${id}/chat`)
    const read = files().getByRole("button", { name: "Load files" })
    await read.click()
    await files().getByText("They are being read").waitFor()
    await page.reload()
    await until(() => read.isDisabled()).toBe(true)
    cloned.resolve()
    await until(paths).toEqual(["README.md", "src/greet.ts"])
    const field = page.getByRole("textbox", { name: "Message" })
    const send = page.getByRole("button", { name: "Send" })
    await field.fill("Greet politely")
    await send.click()
    const copied = hold()
    await page.getByRole("button", { name: "Fork from here" }).click()
    await page.getByText("Copying the conversation and its files").waitFor()
    expect(page.url()).not.toContain(id)
    await page.getByText("Fork of Greet politely").first().waitFor()
    await field.fill("Go on")
    await page.getByRole("article", { name: "Your message" }).waitFor()
    expect(await send.isDisabled()).toBe(true)
    expect(await page.getByRole("button", { name: "Rewind to here" }).count()).toBe(0)
    copied.resolve()
    await until(() => send.isEnabled()).toBe(true)
    await until(() => page.getByText("Copying the conversation").count()).toBe(0)
    await page.getByRole("button", { name: "Rewind to here" }).waitFor()
  })

  it("is begun from the first page with a question, of which nothing is left where it is refused", async () => {
    const ids = async () => (await place.ask("GET", "/api/v1/sessions")).sessions.map(({ id }: { id: string }) => id)
    const before = await ids()
    await page.goto("/")
    await chooseSegment(page, "Chat")
    await page.getByLabel("Repository").fill(repository.folder)
    await page.getByLabel("Your question").fill("Where is the greeting?")
    await page.route("**/chat", (route) => route.fulfill({ status: 401, json: REFUSED }), { times: 1 })
    await page.getByRole("button", { name: "Ask" }).click()
    await page.getByText("The key isn't valid.").waitFor()
    expect(await ids()).toEqual(before)
    answer = () => "In src/greet.ts."
    await page.getByRole("button", { name: "Ask" }).click()
    await page.waitForURL(/\/s\/[^/]+\/chat$/)
    await page.getByRole("article", { name: "Your message" }).getByText("Where is the greeting?").waitFor()
    await page.getByText("In src/greet.ts.").waitFor()
    expect(await ids()).toHaveLength(before.length + 1)
  })
})
