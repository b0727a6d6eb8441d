import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { QuestionContent } from "@switchyard/core/agents/questions/schema"
import { afterAll, describe, expect, it } from "vitest"
import { answerOf, choicesOf } from "../../../packages/cli/src/acp/permission.ts"
import { repositoryFor } from "../../../packages/cli/src/acp/repository.ts"
import { fenced, updatesOf } from "../../../packages/cli/src/acp/updates.ts"
import { makeRepository } from "../../functions/agents/repository.ts"
import { removeFolder } from "../../remove-folder.ts"

describe("a question in an editor", () => {
  const choice: QuestionContent = {
    kind: "choice",
    questions: [
      {
        question: "Which one?",
        header: "",
        multi: false,
        options: ["A", "deny"].map((label) => ({ label, description: "" })),
      },
      {
        question: "And how?",
        header: "",
        multi: false,
        options: ["B", "B"].map((label) => ({ label, description: "" })),
      },
    ],
  }

  it("of several parts is asked one after the other, and answered by what was chosen", () => {
    const [first, second] = choicesOf(choice)
    expect([first?.title, second?.title]).toEqual(["Which one?", "And how?"])
    expect(first?.options.map(({ name }) => name)).toEqual(["A", "deny", "None of these"])
    expect(answerOf(choice, ["1", "0"])).toEqual({
      choice: "allow",
      answers: { "Which one?": "deny", "And how?": "B" },
    })
    expect(answerOf(choice, ["0", "deny"])).toEqual({ choice: "deny" })
  })

  it("about a plan can be answered by yes and no", () => {
    const plan: QuestionContent = { kind: "plan", plan: "1. Do it." }
    expect(choicesOf(plan)[0]?.options.map(({ optionId }) => optionId)).toEqual(["allow", "allow_all", "deny"])
    expect(answerOf(plan, ["allow"])).toEqual({ choice: "allow" })
  })

  it("is denied by an option that nobody offered", () => {
    const permission: QuestionContent = { kind: "permission", tool: "bash", name: "Bash", command: "true" }
    for (const id of ["", "__proto__", "constructor", "root"]) expect(answerOf(permission, [id]).choice).toBe("deny")
  })
})

describe("what an editor shows", () => {
  it("never ends a block of code before its text ends", () => {
    expect(fenced("a\n```\nb", "")).toBe("````\na\n```\nb\n````")
    expect(fenced("a", "diff")).toBe("```diff\na\n```")
  })

  it("has nothing of what only programs need", () => {
    expect(updatesOf({ type: "run_claimed", generation: 1, executor: "x" } as never)).toEqual([])
    expect(updatesOf({ type: "user_message", content: "Go on.", source: "continuation" })).toEqual([])
  })
})

describe("the repository of an editor's folder", () => {
  const around = mkdtempSync(join(tmpdir(), "switchyard-acp-"))
  afterAll(() => removeFolder(around, { kill: false }))
  const { signal } = new AbortController()

  it("is the folder for a server of this machine, and what it was cloned from for another", async () => {
    const { folder, git } = makeRepository(join(around, "mine"))
    const [local, remote] = [new URL("http://127.0.0.1:3000/"), new URL("https://example.com/")]
    expect(await repositoryFor(folder, local, { signal })).toBe(folder)
    expect(await repositoryFor(folder, remote, { signal })).toBeUndefined()
    git("remote", "add", "origin", "https://ada:secret@example.org/a.git")
    expect(await repositoryFor(folder, remote, { signal })).toBe("https://example.org/a.git")
    git("remote", "set-url", "origin", "git@example.org:a.git")
    expect(await repositoryFor(folder, remote, { signal })).toBe("git@example.org:a.git")
    expect(await repositoryFor(join(dirname(folder), "none"), remote, { signal })).toBeUndefined()
  })
})
