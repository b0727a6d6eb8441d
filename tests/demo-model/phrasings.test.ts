import { readIntent } from "@switchyard/demo-model/intent"
import { describe, expect, it } from "vitest"
import { beyond, phrasings } from "./phrasings.ts"

const made = (prompt: string) => {
  const { project, refused } = readIntent(prompt)
  return project ? `${project.topic}/${project.kind}/${project.language}` : refused.message
}

describe.each(Object.entries(phrasings))("asked for %s", (expected, prompts) => {
  it.each(prompts)("%s", (prompt) => expect(made(prompt)).toBe(expected))
})

describe("beyond the demo", () => {
  it.each(beyond)("%s", (prompt) => {
    expect(made(prompt)).toMatch(/^The demo can.*nothing was written\..*It builds small apps by rule/s)
  })
})
