import { gitFailure } from "@switchyard/runner/git/plumbing/git-errors"
import { expect, it } from "vitest"

const ended = { code: 128, killedBy: null, stderr: "", stdout: Buffer.from("") }
const failure = (change: object) => gitFailure("fetch", { ...ended, ...change } as Parameters<typeof gitFailure>[1])

it("is what git said, without the passwords of addresses", () => {
  const stderr = "warning: redirecting to 'https://ada:secret@git.example/a.git/'\n"
  const { code, message, details } = failure({ stderr, stdout: Buffer.from("half") })
  expect([code, message]).toEqual(["git_error", "git fetch failed with exit code 128."])
  expect(details).toEqual({
    command: "fetch",
    said: "warning: redirecting to 'https://git.example/a.git/'\nhalf",
  })
})

it("says by which signal git was killed", () => {
  const { code, message, details } = failure({ code: null, killedBy: "SIGKILL" })
  expect([code, message]).toEqual(["git_error", "git fetch was killed by SIGKILL (memory probably ran out)."])
  expect(details).toEqual({ command: "fetch", said: "", killed_by: "SIGKILL" })
})

it("is one of the repository's where that is known, with what it names", () => {
  const missing = failure({ stderr: "fatal: Authentication failed for 'https://git.example/a.git/'\n" })
  expect([missing.code, missing.message]).toEqual([
    "repository_error",
    "The repository's server requires valid credentials.",
  ])
})
