import { checkProject } from "@switchyard/core/work/checks/check-project"
import { describe, expect, it } from "vitest"

describe("a project", () => {
  it("has the faults of its files, and none in what is not text", async () => {
    const files = new Map([
      ["a.js", "f("],
      ["b.js", "f()"],
      ["logo.png", null],
      ["README.md", ""],
    ])
    const findings = await checkProject(files)
    expect(findings.map(({ path, rule }) => `${path} ${rule}`)).toEqual(["a.js syntax", "README.md empty_file"])
  })
})
