import { colourLines } from "@switchyard/demo-model/colours"
import { readFollowUp } from "@switchyard/demo-model/follow-up"
import { readIntent } from "@switchyard/demo-model/intent"
import { projectFiles } from "@switchyard/demo-model/project-files"
import { describe, expect, it } from "vitest"

function pine() {
  const { project, refused } = readIntent("a to-do list called Pine")
  if (!project) throw refused
  return project
}

/** Returns the fields of the project that a prompt changes. */
function changed(prompt: string): Record<string, unknown> {
  const before: Record<string, unknown> = { ...pine() }
  const { project, refused } = readFollowUp(prompt, pine())
  if (!project) throw refused
  return Object.fromEntries(
    Object.entries(project).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key])),
  )
}

describe("what a follow-up changes", () => {
  it.each([
    ["rename it to Oak", { name: "Oak" }],
    ["call it Oak instead", { name: "Oak" }],
    ["Please call it Oak now, thanks", { name: "Oak" }],
    ['rename it to "Oak instead"', { name: "Oak instead" }],
    ["call it Tomatoes", { name: "Tomatoes" }],
    ["call it To do", { name: "To do" }],
    ['add a note called "Called off"', { items: ["Called off"] }],
    ["make the buttons green", { accent: "green" }],
    ["chnage the color to purple", { accent: "purple" }],
    ["make it dark", { background: "black" }],
    ["make it dark mode please", { background: "black" }],
    ["use a darker background", { background: "black" }],
    ["make it dark red", { accent: "red" }],
    ["make the background black", { background: "black" }],
    ["auf Deutsch bitte", { locale: "de" }],
  ])("%j: %j", (prompt, change) => expect(changed(prompt)).toEqual(change))

  it("is nothing that it doesn't understand, and says why", () => {
    const refusal = (prompt: string) => readFollowUp(prompt, pine()).refused?.message
    expect(refusal("rename it")).toContain("the new title is missing")
    expect(refusal("add user login")).toContain("doesn't understand “user login”")
    expect(refusal("sort by date")).toContain("“sort”")
    expect(refusal("it's too dark")).toContain("doesn't say which colour")
    expect(refusal("mach es rot")).toContain("only in English")
    expect(refusal("thanks!")).toContain("there is nothing to change")
  })

  it("is dark for everybody on black paper, whatever they prefer", () => {
    const readme = projectFiles({ ...pine(), background: "black" }).find(({ path }) => path === "README.md")
    expect(readme?.content).toContain("on dark paper")
    expect(colourLines("red", "black")).toMatchObject({
      "color-scheme: light dark;": "color-scheme: dark;",
      "@media (prefers-color-scheme: dark) {": "@media all {",
    })
  })
})
