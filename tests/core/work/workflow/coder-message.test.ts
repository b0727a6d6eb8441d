import { AppError } from "@switchyard/core/errors"
import type { Workspace } from "@switchyard/core/files/workspaces/files"
import { workspacePath } from "@switchyard/core/files/workspaces/path"
import { userTexts } from "@switchyard/core/models/provider"
import { firstMessage } from "@switchyard/core/work/workflow/coder-message"
import { createDraft } from "@switchyard/core/work/workflow/staging"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { planOf, tasksOf } from "./model.ts"

const { signal } = new AbortController()

/** A workspace of these texts, as far as the coder's message looks into one. */
function filesOf(texts: Record<string, string>): Workspace {
  const fake: Pick<Workspace, "stat" | "readText"> = {
    stat(path) {
      const size = texts[path]?.length
      return size === undefined ? undefined : { type: "file", size, sha256: "", mode: 0o644, binary: false }
    },
    async readText(path) {
      const text = texts[path]
      if (text === undefined) throw new AppError("workspace_not_found", "There is no file at this path.")
      return text
    },
  }
  return fake as Workspace
}

/** The first message of each visit of a run that writes these texts, one after the other. */
function messagesOf(texts: string[], fileTokens: number) {
  const paths = texts.map((_, index) => `file-${index}.ts`)
  const { implementation_steps: steps } = tasksOf(paths)
  return Promise.all(
    paths.map((path, index) => {
      const written = Object.fromEntries(paths.slice(0, index).map((path, at) => [path, texts[at] ?? ""]))
      const step = { path: workspacePath(path), description: `Write ${path} well.`, renamedFrom: undefined }
      const project = { request: "Make ``` it.", plan: planOf(paths), steps, written: paths.slice(0, index) }
      const files = filesOf(written)
      return firstMessage(files, createDraft(files), { ...step, ...project }, { fileTokens, signal })
    }),
  )
}

describe("the coder's first message", () => {
  it("begins, byte for byte, with what the visit before had in common with it", async () => {
    const texts = fc.array(fc.oneof(fc.string(), fc.constant("x".repeat(900))), { minLength: 1, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 0, max: 600 }), async (texts, fileTokens) => {
        const messages = await messagesOf(texts, fileTokens)
        for (const [index, message] of messages.entries()) {
          const before = messages[index - 1]
          const common = before ? userTexts({ ...before, content: "" }).join("") : ""
          expect(userTexts(message).join("").startsWith(common)).toBe(true)
          expect(message.prefix).toHaveLength(index + 1)
        }
      }),
    )
  })

  it("has the request, the plan and all tasks first, and the file of the visit last", async () => {
    const [message] = await messagesOf(["a", "b"], 100)
    expect(message?.prefix?.[0]).toMatch(
      /^User request:\n````\nMake ``` it\.\n````\n\nThe project: Thing\n.*file-0\.ts:\nWrite file-0.*file-1\.ts:\nWrite file-1/s,
    )
    expect(message?.content).toMatch(/^File: file-0\.ts\nTask: Write file-0\.ts well\.\n\nThe file does not exist/)
  })

  it("shows earlier files whole while they fit, and names the others", async () => {
    const [, , , last] = await messagesOf(["small", "L".repeat(4000), "small too", ""], 100)
    const [, first, large, third] = last?.prefix ?? []
    expect(first).toContain("```\nsmall\n```")
    expect(large).toBe("The file file-1.ts, whose turn has been:\nToo long to be shown here; read_file returns it.")
    expect(third).toContain("small too")
  })
})
