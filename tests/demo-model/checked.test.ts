import { systemClock } from "@switchyard/core/time"
import { createDemoModel } from "@switchyard/functions/demo-model"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startServer, type TestServer } from "../functions/server.ts"
import { someOf } from "../settings.ts"

let server: TestServer
beforeAll(async () => {
  // The demo model types without pauses.
  const clock = { ...systemClock, sleep: async () => {} }
  server = await startServer({ scripted: createDemoModel(clock) })
})
afterAll(() => server.close())

const ask = (user_prompt: string) => server.run({ user_prompt, check: true, consent: true })

const made = [
  "A to-do list with a due date and a priority, in green",
  "A landing page for a coffee shop called Blue Door, in brown and cream",
  "A REST API for books with title, author and year, and its tests",
  "A URL shortener",
  "A word counter",
  "A calculator",
  "A password generator as a command-line tool",
  "A countdown timer",
  "A quiz about geography",
  "A library for notes",
]

const refused = [
  "A Tetris game",
  "A chat with rooms and login",
  "A compiler for Lisp",
  "A raytracer in Rust",
  "An iOS app for running",
  "A Discord bot that plays music",
  "A spreadsheet with formulas",
  "A photo editor with layers",
  "A Kubernetes operator",
  "A web browser",
  "A neural network that recognises digits",
  "Fix the stack trace in my Django project",
]

describe("what the demo makes", () => {
  async function expectPassed(prompt: string): Promise<void> {
    const { status, verdict } = await ask(prompt)
    expect([status, verdict?.status], JSON.stringify(verdict)).toEqual(["completed", "passed"])
    expect(verdict.checks.length).toBeGreaterThan(0)
  }

  it.each(someOf(made, 3))("is installed, tested and started, and works: %s", expectPassed)
})

describe("what the demo can't make", () => {
  it.each(someOf(refused, 4))("it says so: %s", async (prompt) => {
    const { status, error, verdict } = await ask(prompt)
    expect([status, error?.error_type, verdict]).toEqual(["failed", "invalid_request", null])
    expect(error.hint).toContain("key")
  })
})
