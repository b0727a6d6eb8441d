import { isAgentGroup, sessionGroup, worktreeUser } from "@switchyard/runner/processes/agent-user"
import { describe, expect, it } from "vitest"

const place = { data: "/data", sid: "0123456789abcdef0123456789abcdef", worktree: "main" }

describe("the user of a worktree", () => {
  it("is always the same, and no other worktree's, session's or data folder's", () => {
    const others = [{ data: "/other" }, { sid: "123456789abcdef0123456789abcdef0" }, { worktree: "api" }]
    const all = [place, ...others.map((change) => ({ ...place, ...change }))].map((each) => worktreeUser(each))
    expect(new Set(all.map(({ uid }) => uid)).size).toBe(4)
    // Worktrees of a session share a group. Another data folder's session of the same id has a different group, because
    // a runner ends every process in its group.
    expect(new Set(all.map((each) => each.gid)).size).toBe(3)
    expect(worktreeUser(place)).toEqual(worktreeUser({ ...place }))
  })

  it("is of the session's group, and has an id that nothing else gives to anybody", () => {
    for (let index = 0; index < 1000; index++) {
      const { uid, gid } = worktreeUser({ ...place, worktree: `agent-${index}` })
      // Above SSSD's ids, and below the last range that systemd uses.
      expect(uid).toBeGreaterThan(2_000_200_000)
      expect(uid).toBeLessThan(0x7ffe_0000)
      expect(gid).toBe(sessionGroup(place))
      expect(isAgentGroup(gid)).toBe(true)
    }
  })
})
