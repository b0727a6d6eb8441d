import { describe, expect, it } from "vitest"
import { mentionedFiles } from "../../../../packages/web/src/features/chat/file-mentions.ts"

const paths = ["src/lease.ts", "lease.ts", "src/sweep.ts", "a"]

describe("the files that an answer mentions", () => {
  it("are those that it names in its sentences and that aren't selected", () => {
    const answer = "See src/lease.ts and src/sweep.ts.\n```ts\nimport './lease.ts'\n```\n"
    expect(mentionedFiles(answer, paths, new Set(["src/sweep.ts"]))).toEqual(["src/lease.ts"])
  })

  it("are not the shorter paths within a longer one", () => {
    expect(mentionedFiles("src/lease.ts", paths, new Set())).toEqual(["src/lease.ts"])
    expect(mentionedFiles("src/lease.ts, and lease.ts", paths, new Set())).toEqual(["src/lease.ts", "lease.ts"])
  })
})
