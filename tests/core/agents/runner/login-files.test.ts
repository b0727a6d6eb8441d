import { loginFault, loginTokens } from "@switchyard/core/agents/runner/login-files"
import { describe, expect, it } from "vitest"

/** Credentials that Claude Code 2.1.330 writes after it has received the code from its page. */
const CLAUDE = {
  accessToken: "sk-ant-oat01-access-0123456789",
  refreshToken: "sk-ant-ort01-refresh-0123456789",
  expiresAt: 1795898118762,
  refreshTokenExpiresAt: 1798461318762,
  scopes: ["user:inference", "user:profile", "user:sessions:claude_code"],
  subscriptionType: "pro",
  subscriptionTypeSource: "profile",
  rateLimitTier: "default_claude_pro",
  accountUuid: "a-1",
  organizationUuid: "o-1",
}

describe("the files of a login", () => {
  it("are those that Claude Code leaves when it has logged in with a code", () => {
    const files = { ".credentials.json": JSON.stringify({ claudeAiOauth: CLAUDE }) }
    expect(loginFault("claude", files)).toBeUndefined()
    expect(loginTokens(files)).toEqual(expect.arrayContaining([CLAUDE.accessToken, CLAUDE.refreshToken]))
  })

  it("aren't those of a login that failed", () => {
    expect(loginFault("claude", {})).toMatch(/\.credentials\.json/)
    expect(loginFault("claude", { ".credentials.json": "{}" })).toMatch(/doesn't contain a login/)
    expect(loginFault("claude", { ".credentials.json": '{"claudeAiOauth":' })).toMatch(/doesn't contain a JSON object/)
  })
})
