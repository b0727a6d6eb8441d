import { workspacePath } from "@switchyard/core/files/workspaces/path"
import { reminderFor, type UnsavedTurn } from "@switchyard/core/work/workflow/coder/coder-reminders"
import { onlyFencedText } from "@switchyard/core/work/workflow/coder/salvage"
import { describe, expect, it } from "vitest"

const file = { path: workspacePath("a.ts"), exists: false }
const looking: UnsavedTurn = {
  usedTools: true,
  refusals: [],
  wasCut: false,
  savedInstead: [],
  repeatedTools: [],
  callsLeft: 8,
}

describe("a reminder", () => {
  it("is not due while the model looks around", () => {
    expect(reminderFor(file, looking)).toBeUndefined()
  })

  it.each<[string, Partial<UnsavedTurn>, string]>([
    ["an answer without a tool", { usedTools: false }, "text outside of a tool call is not kept"],
    ["an answer that was cut", { wasCut: true }, "cut off at the output limit, so nothing of it was saved. Be briefer"],
    ["a call that was made before", { repeatedTools: ["read_file"] }, "You called read_file as before"],
    ["calls that run out", { callsLeft: 3 }, "3 calls are left."],
    ["the last call", { callsLeft: 1 }, "One call is left."],
  ])("names its cause: %s", (_, change, words) => {
    const reminder = reminderFor(file, { ...looking, ...change })
    expect(reminder?.say).toContain(words)
    expect(reminder?.say).toContain("Call write_file with the path a.ts")
  })

  it("names both files where another one was saved", () => {
    const turn = { ...looking, usedTools: false, savedInstead: [workspacePath("main.js")] }
    expect(reminderFor(file, turn)?.say).toContain("You saved main.js, but the file of this step is a.ts.")
  })

  it("offers to leave only a file that exists, and then leaves the choice of the tool", () => {
    const turn = { ...looking, usedTools: false }
    expect(reminderFor(file, turn)?.say).not.toContain("keep_file")
    expect(reminderFor(file, turn)?.toolChoice).toEqual({ tool: "write_file" })
    expect(reminderFor({ ...file, exists: true }, turn)).toMatchObject({
      say: expect.stringContaining("keep_file"),
      toolChoice: "required",
    })
  })
})

describe("the only fence of an answer", () => {
  it.each([
    ["alone", "```\ncode\n```", "code\n"],
    ["with words around it", "Here:\n\n```ts\na\n\nb\n```\nDone.", "a\n\nb\n"],
    ["of more signs", "````md\ncode\n````", "code\n"],
  ])("is its text (%s)", (_, answer, text) => {
    expect(onlyFencedText(answer)).toBe(text)
  })

  it.each([
    ["none", "I saved it."],
    ["two", "```\na\n```\n```\nb\n```"],
    ["one in another", "````md\n```\na\n```\n````"],
    ["one that does not close", "```ts\ncode"],
    ["one that is empty", "```\n\n```"],
    ["one that opens twice", "```ts\na\n```ts\n"],
  ])("is nothing where there is %s", (_, answer) => {
    expect(onlyFencedText(answer)).toBeUndefined()
  })
})
