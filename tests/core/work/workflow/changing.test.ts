import type { ModelRequest } from "@switchyard/core/models/provider"
import type { PlannedFile } from "@switchyard/core/work/workflow/schema"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type ScriptedAnswer, textAnswer, toolAnswer } from "../../../fixtures/scripted-model.ts"
import { lastMessage, modelFor, planOf, subjectOf, tasksOf } from "./model.ts"
import { openStudio, type Studio } from "./studio.ts"

let studio: Studio
beforeEach(async () => {
  studio = await openStudio()
})
afterEach(() => studio.close())

/** Creates a model with this plan. The coder gives a file's `turns` in order, and then writes the file. */
function planning(files: PlannedFile[], turns: Record<string, ScriptedAnswer[] | (() => ScriptedAnswer)> = {}) {
  const paths = files.filter(({ action }) => action !== "delete").map(({ path, to }) => to ?? path)
  return modelFor(paths, (request: ModelRequest) => {
    const subject = subjectOf(request)
    if (subject === "plan") return textAnswer(JSON.stringify({ ...planOf([]), files }))
    if (subject === "task_plan") return textAnswer(JSON.stringify(tasksOf(paths)))
    const turn = turns[subject]
    return typeof turn === "function" ? turn() : turn?.shift()
  })
}

async function execute(model: ReturnType<typeof planning>) {
  const runId = await studio.start()
  await studio.execute(runId, model)
  return studio.run(runId)
}

describe("a plan that changes a project", () => {
  it("renames a file before its visit, and deletes what it says, without a call", async () => {
    await studio.write({
      "app.js": "'use strict'\n",
      "old.css": "p {}\n",
      "index.html": "<script src=app.js></script>\n",
    })
    const model = planning(
      [
        { path: "app.js", action: "rename", to: "main.js", purpose: "" },
        { path: "old.css", action: "delete", purpose: "" },
        { path: "index.html", action: "change", purpose: "" },
      ],
      {
        "main.js": [toolAnswer("keep_file", { reason: "Only its name changes." })],
        "index.html": [
          toolAnswer("edit_file", { path: "index.html", edits: [{ search: "app.js", replace: "main.js" }] }),
        ],
      },
    )
    expect(await execute(model)).toMatchObject({ status: "completed" })
    expect(await studio.files()).toEqual({
      "main.js": "'use strict'\n",
      "index.html": "<script src=main.js></script>\n",
    })
    expect(model.requests.map(subjectOf)).toEqual(["plan", "task_plan", "main.js", "index.html"])
    const first = model.requests[2]?.messages[0]?.content
    expect(first).toContain("The file was app.js until now; it is renamed already.")
    expect(first).toContain("use strict")
    expect(first).toMatch(/under the path main\.js: .*\. If only its name changes, call keep_file\.$/)
    expect(model.requests[3]?.messages[0]?.content).not.toContain("keep_file")
    const commits = await studio.eventsOf("workspace_committed")
    expect(commits.map(({ changes }) => changes)).toContainEqual([
      { op: "rename", from_path: "app.js", path: "main.js" },
    ])
  })

  it("may do nothing but delete, and then asks neither architect nor coder", async () => {
    await studio.write({ "a.ts": "x\n", "b.ts": "y\n" })
    const model = planning([{ path: "a.ts", action: "delete", purpose: "" }])
    expect(await execute(model)).toMatchObject({ status: "completed" })
    expect(model.requests.map(subjectOf)).toEqual(["plan"])
    expect(await studio.files()).toEqual({ "b.ts": "y\n" })
  })

  it("is content where somebody else deletes the file first", async () => {
    await studio.write({ "a.ts": "x\n" })
    const files: PlannedFile[] = [
      { path: "b.ts", action: "create", purpose: "" },
      { path: "a.ts", action: "delete", purpose: "" },
    ]
    const model = planning(files, {
      "b.ts": () => [
        studio.write({ "a.ts": null }),
        ...(toolAnswer("write_file", { path: "b.ts", content: "b\n" }) as []),
      ],
    })
    expect(await execute(model)).toMatchObject({ status: "completed" })
    expect(await studio.files()).toEqual({ "b.ts": "b\n" })
  })
})

describe("the coder's tools on a project that is there", () => {
  const file: PlannedFile[] = [{ path: "a.ts", action: "change", purpose: "" }]
  const write = toolAnswer("write_file", { path: "a.ts", content: "new\n" })

  async function answersTo(...turns: ScriptedAnswer[]) {
    const model = planning(file, { "a.ts": [...turns, write] })
    const run = await execute(model)
    expect(run.status).toBe("completed")
    return model.requests.slice(3).map((request) => lastMessage(request).content)
  }

  beforeEach(() => studio.write({ "a.ts": "one\ntwo\nthree\n", "src/b.ts": "// Two times two\n", "logo.png": "\0two" }))

  it("edit a part of a file, all parts or none", async () => {
    const edits = [
      { search: "one", replace: "1" },
      { search: "four", replace: "4" },
    ]
    const [answer] = await answersTo(toolAnswer("edit_file", { path: "a.ts", edits }))
    expect(answer).toBe("ERROR: The text to search for in edit 2 isn't in the file. Nothing was changed.")
    expect((await studio.files())["a.ts"]).toBe("new\n")
  })

  it("show the place that an edit probably meant", async () => {
    const edits = [{ search: "two\n  three", replace: "" }]
    const [answer] = await answersTo(toolAnswer("edit_file", { path: "a.ts", edits }))
    expect(answer).toBe(
      "ERROR: The text to search for isn't in the file. Nothing was changed.\nDid you mean this, from line 2?\ntwo\nthree",
    )
  })

  it("find a text wherever it stands, in any case", async () => {
    const answers = await answersTo(
      toolAnswer("search_files", { text: "TWO" }),
      toolAnswer("search_files", { text: "two", path: "src" }),
      toolAnswer("search_files", { text: "nowhere" }),
    )
    expect(answers).toEqual([
      "a.ts:2: two\nsrc/b.ts:1: // Two times two",
      "src/b.ts:1: // Two times two",
      "The text wasn't found.",
    ])
  })

  it("read some lines", async () => {
    const answers = await answersTo(
      toolAnswer("read_file", { path: "a.ts", first_line: 2, last_line: 2 }),
      toolAnswer("read_file", { path: "a.ts", first_line: null, last_line: 1 }),
      toolAnswer("read_file", { path: "a.ts", first_line: 9 }),
    )
    expect(answers).toEqual(["two", "one", "[The file has 4 lines.]"])
  })

  it("delete and rename other files with the step, and never its own", async () => {
    const answers = await answersTo(
      toolAnswer("delete_file", { path: "a.ts" }),
      toolAnswer("rename_file", { path: "a.ts", to: "c.ts" }),
      toolAnswer("rename_file", { path: "src/b.ts", to: "lib/b.ts" }),
      toolAnswer("delete_file", { path: "src/b.ts" }),
      toolAnswer("delete_file", { path: "logo.png" }),
      toolAnswer("read_file", { path: "lib/b.ts" }),
    )
    expect(answers).toEqual([
      "ERROR: a.ts is the file of this step, so it can't be deleted.",
      "ERROR: a.ts is the file of this step, so it keeps its path.",
      "Renamed src/b.ts to lib/b.ts.",
      "ERROR: There is no file at this path. list_files shows what there is.",
      "Deleted logo.png.",
      "// Two times two\n",
    ])
    expect(await studio.files()).toEqual({ "a.ts": "new\n", "lib/b.ts": "// Two times two\n" })
  })

  it("take the content of a JSON file as an object, too", async () => {
    const model = planning([{ path: "package.json", purpose: "" }], {
      "package.json": [toolAnswer("write_file", { path: "package.json", content: { name: "thing" } })],
    })
    expect(await execute(model)).toMatchObject({ status: "completed" })
    expect((await studio.files())["package.json"]).toBe('{\n  "name": "thing"\n}\n')
  })
})
