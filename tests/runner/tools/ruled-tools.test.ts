import type { PermissionMode, PermissionRule } from "@switchyard/core/agents/permissions/schema"
import type { Answer, QuestionContent } from "@switchyard/core/agents/questions/schema"
import { ruledTools } from "@switchyard/runner/tools/ruled-tools"
import { agentTool } from "@switchyard/runner/tools/tool"
import { describe, expect, it } from "vitest"
import * as z from "zod"
import { never as signal } from "../../settings.ts"

/** Calls a tool under a rule. Resolves to its answer, or to the reason why it wasn't called. */
async function callUnder(rule: Partial<PermissionRule>, mode: PermissionMode, answer?: Answer) {
  const asked: QuestionContent[] = []
  const tell_agent = agentTool({
    ...{ title: "Tell", description: "Tells another agent.", readOnly: false },
    input: z.object({ name: z.string() }),
    call: async ({ name }) => `${name} has heard it.`,
  })
  const people = {
    permit: async (question: QuestionContent) => {
      asked.push(question)
      return answer
    },
  }
  const policy = () => ({ mode, rules: [{ tool: "mcp", effect: "allow", ...rule } as PermissionRule] })
  const tools = ruledTools({ tell_agent }, { policy, people, timeout: () => signal })
  const came = await tools.tell_agent?.call({ name: "ben" }, { signal }).catch((error) => error.message)
  return { came, asked }
}

describe("a tool of the product's own", () => {
  it.each(["ask", "accept_edits", "plan", "bypass"] as const)("works unasked in the mode %s", async (mode) => {
    const { came, asked } = await callUnder({ tool: "read", effect: "deny" }, mode)
    expect([came, asked]).toEqual(["ben has heard it.", []])
  })

  it.each([{ tool: "mcp" }, { tool: "any" }, { tool: "mcp", name: "mcp__switchyard__tell_agent" }] as const)(
    "is refused by a rule that denies %o",
    async (rule) => {
      const { came, asked } = await callUnder({ ...rule, effect: "deny" }, "bypass")
      expect([came, asked]).toEqual(["A rule forbids this.", []])
    },
  )

  it("asks a person if a rule says so", async () => {
    const allowed = await callUnder({ effect: "ask" }, "bypass", { choice: "allow" })
    expect(allowed.came).toBe("ben has heard it.")
    expect(allowed.asked).toMatchObject([{ name: "mcp__switchyard__tell_agent", args: '{"name":"ben"}' }])
    const denied = await callUnder({ effect: "ask" }, "bypass", { choice: "deny", text: "Ask me." })
    expect(denied.came).toBe("A person refused. They asked for this instead: Ask me.")
    expect((await callUnder({ effect: "ask" }, "bypass")).came).toBe("No person has allowed it yet.")
  })
})
