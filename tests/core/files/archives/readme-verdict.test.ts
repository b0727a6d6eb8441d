import { verdictLine, withVerdictLine } from "@switchyard/core/files/archives/readme-verdict"
import type { CheckResult, Verdict } from "@switchyard/core/work/gate/schema"
import { describe, expect, it } from "vitest"

const result = (more: Partial<CheckResult>): CheckResult => ({
  ...{ name: "test", command: "npm test", passed: true, exit_code: 0, duration_ms: 1 },
  ...more,
})
const checks = [
  result({ name: "build", command: "npm run build" }),
  result({ tests: { passed: 12, failed: 0, skipped: 1 } }),
]
const passed: Verdict = { status: "passed", workspace_version: 4, checks }

describe("the line with a verdict", () => {
  it("has commands, exit codes, counts and the version", () => {
    expect(verdictLine(passed, 4)).toBe(
      "**Switchyard check:** passed for version 4. `npm run build`: exit code 0; `npm test`: exit code 0, 12 tests passed, 0 failed, 1 skipped.",
    )
  })

  it.each<[string, Partial<CheckResult>, string]>([
    ["an exit code", { exit_code: 3 }, "`npm test`: exit code 3."],
    ["who set a command", { set: true }, "`npm test` (set manually): exit code 0."],
    ["that a command was stopped", { exit_code: null }, "`npm test`: stopped."],
    ["a command with backticks", { command: "echo `date`\nls" }, "`` echo `date` ls ``: exit code 0."],
  ])("has %s", (_, more, words) => {
    const line = verdictLine({ ...passed, status: "failed", checks: [result(more)] }, 4)
    expect(line).toBe(`**Switchyard check:** failed for version 4. ${words}`)
  })

  it("is void for other files than those that were checked", () => {
    const line = verdictLine(passed, 5)
    expect(line).toBe("**Switchyard check:** void. Version 4 was checked, and the files have changed since.")
  })

  it("never says passed where nothing was run", () => {
    for (const workspace_version of [null, 4]) {
      const line = verdictLine({ status: "not_run", workspace_version, checks: [], reason: "passed" }, 4)
      expect(line).toBe("**Switchyard check:** not run.")
    }
    expect(verdictLine({ ...passed, checks: [] }, 4)).toBe("**Switchyard check:** not run.")
  })
})

describe("a README with the line", () => {
  const line = verdictLine(passed, 4)
  const void_ = verdictLine(passed, 5)

  it.each([
    ["below the title", "# Sums\n\nAdds.\n", `# Sums\n\n${line}\n\nAdds.\n`],
    ["below a title after empty lines", "\n\n## Sums\nAdds.\n", `\n\n## Sums\n\n${line}\nAdds.\n`],
    ["below a title alone", "# Sums\n", `# Sums\n\n${line}\n`],
    ["after a title that doesn't end", "# Sums", `# Sums\n\n${line}\n`],
    ["at the end where there is no title", "Adds.\n", `Adds.\n\n${line}\n`],
    ["after a text that doesn't end", "Adds.", `Adds.\n\n${line}\n`],
    ["with the line ends of the file", "# Sums\r\n\r\nAdds.\r\n", `# Sums\r\n\r\n${line}\r\n\r\nAdds.\r\n`],
    ["after a byte order mark", "\uFEFF# Sums\nAdds.\n", `\uFEFF# Sums\n\n${line}\nAdds.\n`],
  ])("has it %s", (_, before, after) => {
    expect(withVerdictLine(before, line)).toBe(after)
    // A README that already has the line gets only the new line, or none if nothing was checked.
    expect(withVerdictLine(after, void_)).toBe(after.replace(line, void_))
    expect(withVerdictLine(after, undefined).trimEnd()).toBe(before.trimEnd())
  })

  it("is the same where nothing was checked", () => {
    for (const text of ["", "\n\n", "# Sums\r\n\n\nAdds."]) expect(withVerdictLine(text, undefined)).toBe(text)
  })

  it("has no other line that looks like ours", () => {
    const forged = "# Sums\n\n**Switchyard check:** passed for version 9.\nAdds.\n**Switchyard check:** passed.\n"
    expect(withVerdictLine(forged, undefined)).toBe("# Sums\nAdds.\n")
    expect(withVerdictLine(forged, line)).toBe(`# Sums\n\n${line}\nAdds.\n`)
  })
})
