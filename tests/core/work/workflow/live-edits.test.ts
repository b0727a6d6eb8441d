import { createHash } from "node:crypto"
import type { LogEvent } from "@switchyard/core/events"
import { ModelError } from "@switchyard/core/models/errors"
import type { ModelEvent } from "@switchyard/core/models/provider"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { toEvent } from "../../../../packages/web/src/session/stream/event.ts"
import { noLiveText, reduceLiveText, textOf } from "../../../../packages/web/src/session/stream/live-text.ts"
import { streamedToolAnswer } from "../../../fixtures/scripted-model.ts"
import { modelFor } from "./model.ts"
import { openStudio, type Studio } from "./studio.ts"

const before = 'const text = "one"\nconst grüße = "🌍"\nexport { text, grüße }\n'
type Answer = (ModelEvent | Promise<unknown>)[]

const sha256Of = (text: string) => createHash("sha256").update(text).digest("hex")

describe("a file that is being edited", () => {
  let studio: Studio
  beforeEach(async () => {
    studio = await openStudio()
  })
  afterEach(() => studio.close())

  /** Returns the file as the studio shows it after these events. */
  function shownIn(events: LogEvent[], committed = before): string | undefined {
    const file = events.map(toEvent).reduce(reduceLiveText, noLiveText).files.get("a.ts")
    return file && textOf(file, { sha256: sha256Of(committed), text: committed })
  }

  /** Returns a call whose arguments pause after each `upTo` until the log shows the text `shown`. */
  function heldAnswer(edits: object[], stops: [upTo: string, shown: string][], committed = before): Answer {
    const args = { path: "a.ts", edits }
    const answer: Answer = streamedToolAnswer("edit_file", args, 1)
    return stops.reduceRight((held, [upTo, shown]) => {
      const at = JSON.stringify(args).indexOf(upTo) + upTo.length
      return [...held.slice(0, at), seen(shown, committed), ...held.slice(at)]
    }, answer)
  }

  async function seen(shown: string, committed = before): Promise<void> {
    await expect.poll(async () => shownIn(await studio.events(), committed)).toBe(shown)
  }

  /** Runs a workflow on the file. Its coder gives these answers. */
  async function run(answers: (() => Answer)[], { file = "a.ts", text = before } = {}) {
    await studio.write({ "a.ts": text })
    const id = await studio.start()
    await studio.execute(
      id,
      modelFor([file], ({ output }) => (output ? undefined : answers.shift()?.())),
    )
  }

  it("shows each replacement where it goes, and then is what it showed", async () => {
    const edits = [
      { search: '"one"', replace: '"two and three"' },
      { search: "const grüße", replace: "const 🌍rüße" },
      { search: "export { text, grüße }\n", replace: "export { text }\n" },
    ]
    const after = 'const text = "two and three"\nconst 🌍rüße = "🌍"\nexport { text }\n'
    const half = before.replace('"one"', '"two a')
    await run([
      () =>
        heldAnswer(edits, [
          ["two a", half],
          ["}]", after],
        ]),
    ])
    expect(await studio.files()).toMatchObject({ "a.ts": after })
    expect(shownIn(await studio.events())).toBeUndefined()
  })

  it("waits for the search where a model writes the replacement first, and for the path", async () => {
    const args = { edits: [{ replace: '"two"', search: '"one"' }], path: "./a.ts" }
    const whole = streamedToolAnswer("edit_file", args, 1)
    await run([() => [...whole.slice(0, -2), seen(before.replace("one", "two")), ...whole.slice(-2)]])
    expect((await studio.eventsOf("file_edit_text"))[0]).toMatchObject({ path: "a.ts", at: 13, removed: 5, edit: 0 })
  })

  it("has the line ends of the file", async () => {
    const crlf = before.replaceAll("\n", "\r\n")
    const after = crlf.replace('"one"', '"two"\r\n')
    const edits = [{ search: '"one"\nconst', replace: '"two"\n\nconst' }]
    await run([() => heldAnswer(edits, [['nconst"}', after]], crlf)], { text: crlf })
    expect(await studio.files()).toMatchObject({ "a.ts": after })
  })

  it("shows no edit after one whose search isn't there, and none any more once they were refused", async () => {
    const edits = [
      { search: '"one"', replace: '"two"' },
      { search: "nowhere", replace: '"three"' },
    ]
    const shown = before.replace("one", "two")
    await run([() => heldAnswer(edits, [["}]", shown]])])
    const events = await studio.events()
    const refused = events.findIndex(({ type }) => type === "tool_call_started")
    expect(shownIn(events.slice(0, refused))).toBe(shown)
    expect(shownIn(events.slice(0, refused + 1))).toBeUndefined()
    expect(events.some((event) => event.type === "file_edit_text" && event.text.includes("three"))).toBe(false)
  })

  it("goes on from what an earlier call saved", async () => {
    const [two, three] = ["two", "three"].map((word) => before.replace("one", word))
    await run(
      [
        () => heldAnswer([{ search: '"one"', replace: '"two"' }], [["}]", two ?? ""]]),
        () => heldAnswer([{ search: '"two"', replace: '"three"' }], [["}]", three ?? ""]]),
      ],
      { file: "b.ts" },
    )
    expect(await studio.files()).toMatchObject({ "a.ts": three })
  })

  it("isn't shown any more once its call broke off", async () => {
    const edits = [{ search: '"one"', replace: '"two"' }]
    const broken = Promise.reject(new ModelError("connection_error", "Cut."))
    broken.catch(() => {})
    const shown = before.replace('"one"', '"t')
    await run([
      () => [...heldAnswer(edits, [['"replace":"\\"t', shown]]).slice(0, -9), broken],
      () => heldAnswer(edits, [["}]", before.replace("one", "two")]]),
    ])
    expect(await studio.files()).toMatchObject({ "a.ts": before.replace("one", "two") })
  })
})
