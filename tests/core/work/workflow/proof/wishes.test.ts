import { NodeUpdate } from "@switchyard/core/work/workflow/schema"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { textAnswer, toolAnswer } from "../../../../fixtures/scripted-model.ts"
import { lastMessage, modelFor, subjectOf } from "../model.ts"
import { openStudio, type Studio } from "../studio.ts"

let studio: Studio
beforeEach(async () => {
  studio = await openStudio()
})
afterEach(() => studio.close())

const WISH = 'A page with the title "Corner shop" in #c0392b. Don\'t use "Old shop".'
const html = (title: string, colour: string) =>
  `<!doctype html>\n<html lang="en">\n<head><title>${title}</title></head>\n<body style="color: ${colour}">Hello</body>\n</html>\n`

/** Creates a model that writes this page and answers a repair with `repair`. */
function shopModel(page: string, repair = textAnswer("It is all there.")) {
  return modelFor(["index.html"], (request) => {
    const isRepair = String(request.messages[0]?.content).startsWith("Repair: ")
    if (isRepair) return request.messages.length > 1 ? textAnswer("Done.") : repair
    const isPage = subjectOf(request) === "index.html"
    return isPage ? toolAnswer("write_file", { path: "index.html", content: page }) : undefined
  })
}

async function run(model: ReturnType<typeof shopModel>) {
  const runId = await studio.start({ user_prompt: WISH })
  await studio.execute(runId, model, { review: false })
  const repairs = model.requests.filter(({ messages }) => String(messages[0]?.content).startsWith("Repair: "))
  const completed = (await studio.eventsOf("run_completed"))[0]
  return { run: await studio.run(runId), repairs, warning: completed?.warning }
}

describe("what a request names", () => {
  it("costs no call if the files contain it", async () => {
    const found = await run(shopModel(html("Corner shop", "#C0392B")))
    expect(found.run).toMatchObject({ status: "completed" })
    expect([found.repairs, found.warning]).toEqual([[], undefined])
  })

  it("goes back once, and is no warning if it is there then", async () => {
    const edits = [
      { search: "Shop", replace: "Corner shop" },
      { search: "#c00", replace: "#c0392b" },
    ]
    const { repairs, warning } = await run(
      shopModel(html("Shop", "#c00"), toolAnswer("edit_file", { path: "index.html", edits })),
    )
    expect(warning).toBeUndefined()
    expect(repairs.map((request) => lastMessage(request).content)[0]).toContain("- Corner shop (in: ")
    expect(JSON.stringify(repairs)).not.toContain("- Old shop (")
    expect(repairs).toHaveLength(2)
  })

  it("is named at the end of the run if it stays missing", async () => {
    const kept = toolAnswer("keep_file", { reason: "The page is fine." })
    const { run: ended, repairs, warning } = await run(shopModel(html("Shop", "#c0392b"), kept))
    expect(ended).toMatchObject({ status: "completed" })
    expect(repairs).toHaveLength(1)
    expect(warning).toBe('The request mentions these, and no file contains them as written: "Corner shop".')
    const updates = (await studio.events()).map(
      (event) => NodeUpdate.safeParse("update" in event ? event.update : null).data,
    )
    expect(updates).toContainEqual(expect.objectContaining({ not_repaired: "The page is fine." }))
  })
})
